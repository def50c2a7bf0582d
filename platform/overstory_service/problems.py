"""Errors of the library and refusals of the service as problem details (RFC 9457): what is wrong, and the remedy.

The remedy is for programs and people on a terminal: it names requests and commands. The page has its own by `type`
(`remedies` in its words).

An error reveals nothing that a token may not see: that of a missing corpus names no others, and internal errors go
to the log alone.
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
from overstory.storage import FULL

TOKENS_REMEDY = "Send one: Authorization: Bearer TOKEN. `overstory tokens add NAME` makes one."


class Refused(OverstoryError):
    """A request that the service refuses."""

    status: ClassVar[int] = 400
    headers: ClassVar[Mapping[str, str]] = {}


class TokenNeeded(Refused):
    """The request has no valid token."""

    status = 401
    headers: ClassVar[Mapping[str, str]] = {"WWW-Authenticate": 'Bearer realm="overstory"'}

    def __init__(self, message: str) -> None:
        super().__init__(message, remedy=TOKENS_REMEDY)


class TokenUnknown(TokenNeeded):
    """The token is not in the file: it never existed, or was revoked."""

    def __init__(self) -> None:
        super().__init__("This token is not known, or was revoked.")


class SessionOver(TokenNeeded):
    """The session of the page has ended, or its token was revoked."""

    def __init__(self) -> None:
        super().__init__("You are signed out: the session has ended, or its token was revoked.")


class Forged(Refused):
    """A request with the page's cookie that the page did not send."""

    status = 403


class TokensUnreadable(Refused):
    """The file of tokens cannot be read; the log has the reason."""

    status = 503

    def __init__(self) -> None:
        super().__init__(
            "The service cannot read its tokens; its log says why.", remedy="Tell whoever runs the service."
        )


class Ambiguous(Refused):
    """The request has two lengths, so its end is unknown."""

    headers: ClassVar[Mapping[str, str]] = {"Connection": "close"}


class UnknownParameter(Refused):
    """The address or the form has an unknown or repeated parameter: a misspelt filter would be no filter."""

    status = 422


class NotAllowed(Refused):
    """The token lacks the rights, whatever the corpora hold."""

    status = 403

    def __init__(
        self, message: str, *, remedy: str = "Ask whoever runs the service for a token with other rights."
    ) -> None:
        super().__init__(message, remedy=remedy)


class NotThere(Refused):
    """The corpus does not exist, or the token may not see it: the error does not reveal which."""

    status = 404

    def __init__(self, corpus: str) -> None:
        super().__init__(
            f"There is no corpus {corpus!r} for this token.", remedy="GET /v1/corpora lists those that there are."
        )


class NothingHere(Refused):
    """There is no such job, token or file that the token may see."""

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
    """The service has as many requests as it takes."""

    status = 429
    headers: ClassVar[Mapping[str, str]] = {"Retry-After": "1"}


class TookTooLong(Refused):
    """The response took too long."""

    status = 504


class ForeignPage(Refused):
    """The request is from a page of another origin, or to a host name that is not this service's."""

    status = 403


PROBLEM_JSON = "application/problem+json"
OPENAI_PATHS = ("/v1/chat/", "/v1/models")
"""Paths whose clients read an `error` field."""
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
"""Status by class; the first match counts."""

_INSIDE: tuple[type[errors.OverstoryError], ...] = (errors.DatabaseError, errors.ServerError, errors.LlmError)
"""Their messages name addresses, folders and users of the server."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Body of an error response, media type application/problem+json.

    Attributes:
        type: URN of the kind of problem, on which a client may rely.
        title: the kind in words.
        status: status code of the response.
        detail: what is wrong.
        remedy: what to do; may be empty.
    """

    type: str
    title: str
    status: int
    detail: str
    remedy: str = ""

    @property
    def body(self) -> dict[str, str | int]:
        """The problem as JSON types."""
        return asdict(self)

    def response(self, headers: dict[str, str] | None = None, *, as_openai: bool = False) -> JSONResponse:
        """Return the response.

        Args:
            as_openai: add an `error` field, which clients of OpenAI's API read.
        """
        body: dict[str, Any] = dict(self.body)  # JSON
        if as_openai:
            said = f"{self.detail} {self.remedy}".strip()
            body["error"] = {"message": said, "type": self.type, "code": str(self.status), "param": None}
        return JSONResponse(body, self.status, headers, PROBLEM_JSON)


def problem_of(error: Exception, *, corpus: str = "") -> Problem:
    """Return the problem that a client gets for an error.

    Args:
        corpus: corpus of the request.
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
    while error is not None:
        full_spool = isinstance(error, sqlite3.Error) and getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_FULL
        if full_spool or isinstance(error, errors.DiskFull) or (isinstance(error, OSError) and error.errno in FULL):
            return True
        error = error.__cause__
    return False


def _remedy(error: errors.OverstoryError) -> str:
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
    """Return the response to a request that ended with an error."""
    problem = problem_of(error, corpus=corpus)
    headers = dict(error.headers) if isinstance(error, Refused) else {}
    if problem.status == HTTPStatus.SERVICE_UNAVAILABLE:
        headers["Retry-After"] = "5"
    return problem.response(headers, as_openai=as_openai)


def invalid(detail: str) -> Problem:
    """Return the problem of a request that does not match the OpenAPI document."""
    return _problem("InvalidRequest", 422, detail, DESCRIBED)


def by_status(status: int, detail: str) -> Problem:
    """Return the problem of a missing path or method, and the like."""
    return _problem(HTTPStatus(status).phrase.title().replace(" ", ""), status, detail, DESCRIBED)


def _problem(kind: str, status: int, detail: str, remedy: str) -> Problem:
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", kind).lower()
    title = words.replace("-", " ").capitalize()
    return Problem(f"urn:overstory:problem:{words}", title, status, detail, remedy)
