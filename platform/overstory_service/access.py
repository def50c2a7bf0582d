"""Rights of a request, from its token or session, or from being on this machine if there are no tokens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from overstory_service.problems import NotAllowed, NotThere, SessionOver, TokenNeeded, TokenUnknown
from overstory_service.tokens import RIGHTS, AccessToken, Rights, TokenFile

LOCAL_NAME = "local"


@dataclass(frozen=True, slots=True)
class Access:
    """Rights of a request.

    Attributes:
        name: name of the token, for the log and for jobs.
        corpora: names of the corpora that it may access; None for all.
        where: filter on the documents that it may see; "" for no filter.
    """

    name: str
    rights: Rights
    corpora: frozenset[str] | None = None
    where: str = ""

    def require(self, rights: Rights) -> None:
        """Check that the token has these rights.

        Raises:
            NotAllowed: the token has fewer rights.
        """
        if RIGHTS.index(self.rights) < RIGHTS.index(rights):
            raise NotAllowed(f"This request needs a token with {rights} rights; this token has {self.rights} rights.")

    def require_whole(self, what: str) -> None:
        """Check that the token has no filter, for a request that needs the whole corpus.

        Args:
            what: subject of the error message.

        Raises:
            NotAllowed: the token has a filter.
        """
        if self.where:
            raise NotAllowed(f"{what} is not available to this token, because a filter limits it to some documents.")

    def sees(self, corpus: str) -> bool:
        """Return True if the token may access a corpus with this name, whether or not it exists."""
        return self.corpora is None or corpus in self.corpora

    def covers(self, corpora: Sequence[str]) -> bool:
        """Return True if these corpora (empty: all corpora) are among the corpora of this access."""
        return self.corpora is None or (bool(corpora) and self.corpora.issuperset(corpora))

    def may_name(self, name: str, tokens: Iterable[AccessToken]) -> bool:
        """Return True if the name of a token may be shown: its own name, or the name of a token that it administers.

        Args:
            tokens: all valid tokens. Names of revoked tokens are only shown to administrators of all corpora.
        """
        if name == self.name:
            return True
        if self.rights != "admin":
            return False
        return self.corpora is None or any(each.name == name and self.covers(each.corpora) for each in tokens)

    def require_corpus(self, corpus: str) -> None:
        """Check that the token may access a corpus.

        Raises:
            NotThere: the token may not access it. The error is the same as for a missing corpus.
        """
        if not self.sees(corpus):
            raise NotThere(corpus)


LOCAL = Access(LOCAL_NAME, "admin")
"""Access of every request while the service listens only to this machine and has no tokens."""


class Gate:
    """Authentication of requests by the Authorization header or the page's cookie."""

    def __init__(self, tokens: TokenFile, *, open_without_tokens: bool) -> None:
        """
        Args:
            open_without_tokens: accept every request until the first token is created. After the last token is revoked
                the service stays closed, also after a restart.
        """
        self.tokens = tokens
        self._open = open_without_tokens

    def admit(self, authorization: str | None, session: str | None = None) -> Access:
        """Return the rights of a request.

        Args:
            authorization: the Authorization header; None if the request has none.
            session: value of the page's cookie; None without a cookie. The header takes precedence.

        Raises:
            TokenNeeded: the request has no token.
            TokenUnknown: the token is unknown or revoked.
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
            raise TokenNeeded("This request needs a token.")
        if scheme.lower() != "bearer" or not secret.strip():
            raise TokenNeeded("The Authorization header has no bearer token.")
        token = self.tokens.find(secret.strip())
        if token is None:
            if self._open:
                return LOCAL  # OpenAI clients always send a key, even to a service without tokens
            raise TokenUnknown
        return access_of(token)


def access_of(token: AccessToken) -> Access:
    return Access(token.name, token.rights, frozenset(token.corpora) or None, token.where)
