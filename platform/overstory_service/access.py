"""Determines the rights of a request from its token or session.

As long as there are no tokens, requests from this machine have all rights.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from overstory_service.problems import NotAllowed, NotThere, SessionOver, TokenNeeded, TokenUnknown
from overstory_service.tokens import RIGHTS, AccessToken, Rights, TokenFile

LOCAL_NAME = "local"


@dataclass(frozen=True, slots=True)
class Access:
    """The rights of a request.

    Attributes:
        name: name of the token, which is written to the log and stored with jobs.
        corpora: names of the corpora that the request may access; None for all corpora.
        where: filter that selects the documents that the request may see; "" for all documents.
    """

    name: str
    rights: Rights
    corpora: frozenset[str] | None = None
    where: str = ""

    def require(self, rights: Rights) -> None:
        """Check that the token has at least these rights.

        Raises:
            NotAllowed: the token has fewer rights.
        """
        if RIGHTS.index(self.rights) < RIGHTS.index(rights):
            raise NotAllowed(f"This request needs a token with {rights} rights; this token has {self.rights} rights.")

    def require_whole(self, what: str) -> None:
        """Check that the token has no filter. A request that concerns all documents of a corpus must call this.

        Args:
            what: what was requested; the error message begins with these words.

        Raises:
            NotAllowed: the token has a filter.
        """
        if self.where:
            raise NotAllowed(f"{what} is not available to this token, because a filter limits it to some documents.")

    def sees(self, corpus: str) -> bool:
        """Return True if the token may access a corpus with this name. The corpus need not exist."""
        return self.corpora is None or corpus in self.corpora

    def covers(self, corpora: Sequence[str]) -> bool:
        """Return True if the token may access all of these corpora. An empty sequence stands for all corpora."""
        return self.corpora is None or (bool(corpora) and self.corpora.issuperset(corpora))

    def may_name(self, name: str, tokens: Iterable[AccessToken]) -> bool:
        """Return True if the user of this token may see the name of a token.

        Every user may see the name of their own token. Administrators may also see the names of tokens that can access
        only corpora that they administer. The names of revoked tokens are visible only to administrators of all
        corpora.

        Args:
            tokens: all valid tokens.
        """
        if name == self.name:
            return True
        if self.rights != "admin":
            return False
        return self.corpora is None or any(each.name == name and self.covers(each.corpora) for each in tokens)

    def require_corpus(self, corpus: str) -> None:
        """Check that the token may access a corpus.

        Raises:
            NotThere: the token may not access the corpus. The error is the same as for a corpus that does not exist.
        """
        if not self.sees(corpus):
            raise NotThere(corpus)


LOCAL = Access(LOCAL_NAME, "admin")
"""The rights of every request as long as only this machine can reach the service and no token exists."""


class Gate:
    """Authenticates requests with the Authorization header or with the cookie of the web page."""

    def __init__(self, tokens: TokenFile, *, open_without_tokens: bool) -> None:
        """
        Args:
            open_without_tokens: if True, accept every request until the first token is created. After the last token
                has been revoked, no request is accepted, not even after a restart.
        """
        self.tokens = tokens
        self._open = open_without_tokens

    def admit(self, authorization: str | None, session: str | None = None) -> Access:
        """Return the rights of a request.

        Args:
            authorization: the Authorization header, which takes precedence over the cookie; None if there is none.
            session: the value of the web page's cookie; None if there is none.

        Raises:
            TokenNeeded: the request contains no token.
            TokenUnknown: the token is unknown or was revoked.
            SessionOver: there is no Authorization header, and the session has ended.
            SettingsError: the file of the tokens cannot be read.
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
                return LOCAL  # unknown tokens are ignored here, because clients for OpenAI's API always send some key
            raise TokenUnknown
        return access_of(token)


def access_of(token: AccessToken) -> Access:
    return Access(token.name, token.rights, frozenset(token.corpora) or None, token.where)
