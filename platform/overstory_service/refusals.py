"""What the service refuses by itself, beside the errors of the library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from overstory.errors import OverstoryError

TOKENS_REMEDY = "Send one: Authorization: Bearer TOKEN. `overstory tokens add NAME` makes one."


class Refused(OverstoryError):
    """A request that is not answered."""

    status: ClassVar[int] = 400
    headers: ClassVar[Mapping[str, str]] = {}


class TokenNeeded(Refused):
    """No token, or none that is good."""

    status = 401
    headers: ClassVar[Mapping[str, str]] = {"WWW-Authenticate": 'Bearer realm="overstory"'}

    def __init__(self, message: str) -> None:
        super().__init__(message, remedy=TOKENS_REMEDY)


class TokenUnknown(TokenNeeded):
    """A token that is not in the file: it was never made, or has ended."""

    def __init__(self) -> None:
        super().__init__("This token is not known, or was revoked.")


class SessionOver(TokenNeeded):
    """The cookie of the page is of a session that has ended, or whose token was revoked."""

    def __init__(self) -> None:
        super().__init__("You are signed out: the session has ended, or its token was revoked.")


class Forged(Refused):
    """A request with the page's cookie that the page did not send."""

    status = 403


class TokensUnreadable(Refused):
    """The service cannot tell who asks; the log says why."""

    status = 503

    def __init__(self) -> None:
        super().__init__(
            "The service cannot read its tokens; its log says why.", remedy="Tell whoever runs the service."
        )


class Ambiguous(Refused):
    """The request says in two ways how long it is, so that what follows it cannot be told from it."""

    headers: ClassVar[Mapping[str, str]] = {"Connection": "close"}


class UnknownParameter(Refused):
    """The address or the form has something that the route does not have, or twice: a filter that is spelt wrong would
    be no filter."""

    status = 422


class NotAllowed(Refused):
    """The token is good, but not for this, whatever the corpora hold."""

    status = 403

    def __init__(
        self, message: str, *, remedy: str = "Ask whoever runs the service for a token with other rights."
    ) -> None:
        super().__init__(message, remedy=remedy)


class NotThere(Refused):
    """Something that does not exist, or that the token may not see: nobody is told which."""

    status = 404

    def __init__(self, corpus: str) -> None:
        super().__init__(
            f"There is no corpus {corpus!r} for this token.", remedy="GET /v1/corpora lists those that there are."
        )


class NothingHere(Refused):
    """No document, community, job or the like by this id that the token may see."""

    status = 404

    def __init__(self, what: str) -> None:
        super().__init__(f"There is no {what}.", remedy="The list above it names those that there are.")


class SlowBody(Refused):
    """The client did not send its body in time."""

    status = 408


class TooLarge(Refused):
    """The body is larger than the service takes."""

    status = 413


class TooBusy(Refused):
    """As many requests as the service takes are worked on."""

    status = 429
    headers: ClassVar[Mapping[str, str]] = {"Retry-After": "1"}


class TookTooLong(Refused):
    """The answer was not there in time."""

    status = 504


class ForeignPage(Refused):
    """A web page of another place asks, or a name that is not this service's."""

    status = 403
