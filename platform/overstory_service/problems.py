"""Errors as problem details (RFC 9457): what is wrong, and the remedy, as the library says them.

The remedy is for programs and people on a terminal: it names requests and commands. The page has its own by `type`
(`remedies` in its words).

Nobody learns from an error what their token may not see: that of a missing corpus does not name others, and
what goes wrong inside is said to the log alone.
"""

from __future__ import annotations

import logging
import re
import sqlite3
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from http import HTTPStatus
from typing import Any, ClassVar

from starlette.responses import JSONResponse

from overstory import errors
from overstory.errors import OverstoryError
from overstory.server.storage_errors import FULL

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


PROBLEM_JSON = "application/problem+json"
OPENAI_PATHS = ("/v1/chat/", "/v1/models")
"""Paths whose clients look for an `error` in the answer."""
DESCRIBED = "The OpenAPI document (/openapi.json) says what a request may have."
_log = logging.getLogger("overstory.service")

_STATUS: tuple[tuple[type[errors.OverstoryError], int], ...] = (
    (errors.CorpusDeleting, 409),
    (errors.CorpusNotFound, 404),
    (errors.CorpusNameInvalid, 400),
    (errors.DocumentNotFound, 404),
    (errors.AnswerNotFound, 404),
    (errors.NameNotFound, 404),
    (errors.MetadataNotFound, 404),
    (errors.CommunityNotFound, 404),
    (errors.QuestionError, 400),
    (errors.SettingsError, 400),
    (errors.SourceError, 400),
    (errors.WriterBusy, 409),
    (errors.CorpusError, 409),
    (errors.IndexMissing, 409),
    (errors.SchemaError, 409),
    (errors.GdsMissing, 501),
    (errors.DatabaseError, 503),
    (errors.ServerError, 503),
    (errors.ModelError, 501),
    (errors.ExtraMissing, 501),
    (errors.LlmNotSet, 501),
    (errors.LlmBusy, 503),
    (errors.BudgetExhausted, 503),
    (errors.LlmError, 502),
)
"""By class, the first that fits."""

_INSIDE: tuple[type[errors.OverstoryError], ...] = (errors.DatabaseError, errors.ServerError, errors.LlmError)
"""Their messages name addresses, folders and users of the server."""


@dataclass(frozen=True, slots=True)
class Problem:
    """The body of an answer that is none, media type application/problem+json.

    Attributes:
        type: a URN that says which kind of problem it is; a client may rely on it.
        title: the kind in words.
        status: of HTTP.
        detail: what is wrong.
        remedy: what to do; "" where there is nothing to say.
    """

    type: str
    title: str
    status: int
    detail: str
    remedy: str = ""

    @property
    def body(self) -> dict[str, str | int]:
        """As JSON types."""
        return asdict(self)

    def response(self, headers: dict[str, str] | None = None, *, as_openai: bool = False) -> JSONResponse:
        """The answer that has it.

        Args:
            as_openai: also with an `error` as clients of OpenAI's API look for it.
        """
        body: dict[str, Any] = dict(self.body)  # JSON
        if as_openai:
            said = f"{self.detail} {self.remedy}".strip()
            body["error"] = {"message": said, "type": self.type, "code": str(self.status), "param": None}
        return JSONResponse(body, self.status, headers, PROBLEM_JSON)


def problem_of(error: Exception, *, corpus: str = "") -> Problem:
    """What a client is told of an error.

    Args:
        corpus: that was asked.
    """
    if isinstance(error, errors.CorpusNotFound) and not isinstance(error, errors.CorpusDeleting):
        error = NotThere(corpus)
    if isinstance(error, Refused):
        return _problem(type(error).__name__, error.status, str(error), error.remedy)
    if _is_full_disk(error):
        _log.error("%s: %s", type(error).__name__, error)
        remedy = "Tell whoever runs the service to free some space, and try again then."
        return _problem("DiskFull", HTTPStatus.INSUFFICIENT_STORAGE, "The disk of the service is full.", remedy)
    if isinstance(error, errors.OverstoryError):
        status = next((status for kind, status in _STATUS if isinstance(error, kind)), 500)
        if isinstance(error, errors.WriterBusy):  # whose message names the user, the process and the machine
            error = errors.WriterBusy(
                f"Corpus {corpus!r} is being written to.",
                remedy="Try again when that is done; GET /v1/jobs lists what runs. Questions are answered meanwhile.",
            )
        is_inside = isinstance(error, _INSIDE) and not isinstance(error, errors.LlmNotSet)
        if status == HTTPStatus.INTERNAL_SERVER_ERROR or is_inside:
            _log.warning("%s: %s %s", type(error).__name__, error, error.remedy)
            detail = "The service cannot do this now; its log says why."
            return _problem(type(error).__name__, status, detail, "Try again later, or tell whoever runs the service.")
        return _problem(type(error).__name__, status, str(error), _remedy(error))
    _log.error("An error that is a fault of Overstory's:", exc_info=error)
    return _problem("Fault", 500, "The service failed; its log says how.", "Tell whoever runs the service.")


def _is_full_disk(error: BaseException | None) -> bool:
    """Whether an error, or what it was raised from, is of a disk that is full, or a quota used up."""
    while error is not None:
        full_spool = isinstance(error, sqlite3.Error) and getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_FULL
        if full_spool or isinstance(error, errors.DiskFull) or (isinstance(error, OSError) and error.errno in FULL):
            return True
        error = error.__cause__
    return False


def _remedy(error: errors.OverstoryError) -> str:
    """What to do over HTTP, where the library names commands."""
    match error:
        case errors.CorpusDeleting():
            return "DELETE /v1/corpora/{corpus} deletes the rest. Then load it again."
        case errors.DocumentNotFound():
            return "GET /v1/corpora/{corpus}/documents lists ids."
        case errors.MetadataNotFound() if error.remedy:
            nearest = f"The nearest: {', '.join(error.nearest)}. " if error.nearest else ""
            return f"{nearest}GET /v1/corpora/{{corpus}}/metadata lists all keys."
        case errors.CommunityNotFound():
            return "GET /v1/corpora/{corpus}/tree and …/reports list ids. They change when a tree is rebuilt."
        case errors.NameNotFound() if not (error.suggestions or any(error.unknown.values())):
            return "POST /v1/corpora/{corpus}/search finds passages by other words."
        case errors.IndexMissing():
            over_http = "POST /v1/corpora/{corpus}/index, with what stands after --system as `systems`."
            return f"{error.remedy} Over HTTP: {over_http}"
        case _:
            return error.remedy


def response_of(error: Exception, *, corpus: str = "", as_openai: bool = False) -> JSONResponse:
    """The answer to a request that ended with an error."""
    problem = problem_of(error, corpus=corpus)
    headers = dict(error.headers) if isinstance(error, Refused) else {}
    if problem.status == HTTPStatus.SERVICE_UNAVAILABLE:
        headers["Retry-After"] = "5"
    return problem.response(headers, as_openai=as_openai)


def invalid(detail: str) -> Problem:
    """Of a request that is not what the OpenAPI document says."""
    return _problem("InvalidRequest", 422, detail, DESCRIBED)


def by_status(status: int, detail: str) -> Problem:
    """Of a path or a method that there is not, and the like."""
    return _problem(HTTPStatus(status).phrase.title().replace(" ", ""), status, detail, DESCRIBED)


def _problem(kind: str, status: int, detail: str, remedy: str) -> Problem:
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", kind).lower()
    title = words.replace("-", " ").capitalize()
    return Problem(f"urn:overstory:problem:{words}", title, status, detail, remedy)
