"""Who asks, and what they may: the rights of a token, or of anybody on this machine where there are no tokens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from overstory_service.problems import NotAllowed, NotThere, SessionOver, TokenNeeded, TokenUnknown
from overstory_service.tokens import RIGHTS, AccessToken, Rights, TokenFile

LOCAL_NAME = "local"


@dataclass(frozen=True, slots=True)
class Access:
    """What a request may do.

    Attributes:
        name: of the token, for the log and for jobs.
        corpora: that it may ask; None for all.
        where: the filter that all it reads goes through; "" for none.
    """

    name: str
    rights: Rights
    corpora: frozenset[str] | None = None
    where: str = ""

    def require(self, rights: Rights) -> None:
        """
        Raises:
            NotAllowed: the token has less.
        """
        if RIGHTS.index(self.rights) < RIGHTS.index(rights):
            raise NotAllowed(f"This needs a token with the rights {rights!r}; this one has {self.rights!r}.")

    def require_whole(self, what: str) -> None:
        """
        Raises:
            NotAllowed: the token sees a part of its corpora by a filter, and `what` is of the whole.
        """
        if self.where:
            raise NotAllowed(f"{what} cannot be had with this token, which sees the documents of a filter alone.")

    def sees(self, corpus: str) -> bool:
        """Whether the corpus is one of the token's, be it there or not."""
        return self.corpora is None or corpus in self.corpora

    def covers(self, corpora: Sequence[str]) -> bool:
        """True if a token for these corpora (empty: for all) gives access to no more than this access does."""
        return self.corpora is None or (bool(corpora) and self.corpora.issuperset(corpora))

    def may_name(self, name: str, tokens: Iterable[AccessToken]) -> bool:
        """True if the name of a token may be shown: it is this token's own, or that of one that it administers.

        Args:
            tokens: all there are; one that was revoked can only be shown to an administrator of all corpora.
        """
        if name == self.name:
            return True
        if self.rights != "admin":
            return False
        return self.corpora is None or any(each.name == name and self.covers(each.corpora) for each in tokens)

    def require_corpus(self, corpus: str) -> None:
        """
        Raises:
            NotThere: the token is not for this corpus; as for one that does not exist.
        """
        if not self.sees(corpus):
            raise NotThere(corpus)


LOCAL = Access(LOCAL_NAME, "admin")
"""Of every request where the service listens to this machine alone, and has no tokens."""


class Gate:
    """Finds what a request may do by its Authorization header, or by the cookie of the page."""

    def __init__(self, tokens: TokenFile, *, open_without_tokens: bool) -> None:
        """
        Args:
            open_without_tokens: whether whoever asks may do all as long as there was never a token. Where the last one
                was revoked nobody may do anything: what was closed does not open by that, nor by a new start.
        """
        self.tokens = tokens
        self._open = open_without_tokens

    def admit(self, authorization: str | None, session: str | None = None) -> Access:
        """
        Args:
            authorization: the header, if the request has one.
            session: what the cookie of the page has, if the request has one; a header goes before it.

        Raises:
            TokenNeeded: there is no token in it.
            TokenUnknown: there is one that is not good.
            SessionOver: there is no header, and the session has ended.
            SettingsError: the tokens cannot be read.
        """
        if self._open and self.tokens.had_some():
            self._open = False
        if session is not None and authorization is None and not self._open:
            token = self.tokens.of_session(session)
            if token is None:
                raise SessionOver
            return access_of(token)
        scheme, _, secret = (authorization or "").partition(" ")
        if authorization is None or (self._open and scheme.lower() != "bearer"):
            if self._open:
                return LOCAL
            raise TokenNeeded("This needs a token.")
        if scheme.lower() != "bearer" or not secret.strip():
            raise TokenNeeded("The Authorization header has no bearer token.")
        token = self.tokens.find(secret.strip())
        if token is None:
            if self._open:
                return LOCAL  # clients of OpenAI's API send some key, needed or not
            raise TokenUnknown
        return access_of(token)


def access_of(token: AccessToken) -> Access:
    """What a token is good for."""
    return Access(token.name, token.rights, frozenset(token.corpora) or None, token.where)
