"""Error responses in the form of problem details (RFC 9457), which state what is wrong and what the user can do.

The remedies in this module mention requests and commands, because they are for programs and for users of a terminal.
The web page has a separate remedy for each `type` of problem (`remedies` in `words.js`).

An error does not reveal anything that the token may not see. If a corpus does not exist, the error does not list other
corpora. The details of internal errors are only written to the log.
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

TOKENS_REMEDY = "Send the header Authorization: Bearer TOKEN. To create a token, run `overstory tokens add NAME`."


class Refused(OverstoryError):
    """The service refuses the request. Subclasses define the status and the headers of the response."""

    status: ClassVar[int] = 400
    headers: ClassVar[Mapping[str, str]] = {}


class TokenNeeded(Refused):
    """The request has no valid token."""

    status = 401
    headers: ClassVar[Mapping[str, str]] = {"WWW-Authenticate": 'Bearer realm="overstory"'}

    def __init__(self, message: str) -> None:
        super().__init__(message, remedy=TOKENS_REMEDY)


class TokenUnknown(TokenNeeded):
    """The token does not exist or was revoked."""

    def __init__(self) -> None:
        super().__init__("This token does not exist or was revoked.")


class SessionOver(TokenNeeded):
    """The session of the web page has ended, or its token was revoked."""

    def __init__(self) -> None:
        super().__init__("You are signed out: the session has expired, or its token was revoked.")


class Forged(Refused):
    """The request contains the cookie of the web page, but it was not sent by the web page."""

    status = 403


class TokensUnreadable(Refused):
    """The file of the tokens cannot be read. The reason is in the log of the service."""

    status = 503

    def __init__(self) -> None:
        super().__init__(
            "The service cannot read its tokens; its log has the reason.", remedy="Tell the operator of the service."
        )


class Ambiguous(Refused):
    """The request contains both Content-Length and Transfer-Encoding, which makes its length ambiguous."""

    headers: ClassVar[Mapping[str, str]] = {"Connection": "close"}


class UnknownParameter(Refused):
    """The request contains an unknown or repeated parameter.

    Such a parameter is not ignored, because it may be a filter whose name is misspelt.
    """

    status = 422


class NotAllowed(Refused):
    """The token has too few rights."""

    status = 403

    def __init__(
        self, message: str, *, remedy: str = "Ask the operator of the service for a token with more rights."
    ) -> None:
        super().__init__(message, remedy=remedy)


class NotThere(Refused):
    """The corpus does not exist, or the token may not access it. The error does not reveal which is the case."""

    status = 404

    def __init__(self, corpus: str) -> None:
        super().__init__(
            f"There is no corpus {corpus!r} for this token.", remedy="GET /v1/corpora lists the corpora of your token."
        )


class NothingHere(Refused):
    """The job, token or file does not exist, or the token may not see it."""

    status = 404

    def __init__(self, what: str) -> None:
        super().__init__(f"There is no {what}.", remedy="A GET request to the parent path lists what exists.")


class SlowBody(Refused):
    status = 408


class TooLarge(Refused):
    status = 413


class TooBusy(Refused):
    """The maximum number of concurrent requests has been reached."""

    status = 429
    headers: ClassVar[Mapping[str, str]] = {"Retry-After": "1"}


class TookTooLong(Refused):
    status = 504


class ForeignPage(Refused):
    """The request comes from a web origin that is not allowed, or is for a host name that is not allowed."""

    status = 403


PROBLEM_JSON = "application/problem+json"
OPENAI_PATHS = ("/v1/chat/", "/v1/models")
"""Beginnings of paths for clients of OpenAI's API, which expect a field `error` in an error response."""
DESCRIBED = "See the OpenAPI document (/openapi.json) for the parameters and fields of each request."
_log = logging.getLogger("overstory.service")

_STATUS: tuple[tuple[type[errors.OverstoryError], int], ...] = (
    (errors.CorpusDeleting, 409),
    (errors.CorpusNotFound, 404),
    (errors.CorpusNameInvalid, 400),
    (errors.DocumentNotFound, 404),
    (errors.AnswerNotFound, 404),
    (errors.EntityNotFound, 404),
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
"""Pairs of an error class and a status code. The first class to which an error belongs decides."""

_INSIDE: tuple[type[errors.OverstoryError], ...] = (errors.DatabaseError, errors.ServerError, errors.LlmError)
"""Errors whose messages are only for the log, because they may mention addresses, folders and users of the server."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Body of an error response, media type application/problem+json.

    Attributes:
        type: URN of the kind of problem; stable across versions.
        title: kind of the problem in words.
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
        return asdict(self)

    def response(self, headers: dict[str, str] | None = None, *, as_openai: bool = False) -> JSONResponse:
        """Return the error response for this problem.

        Args:
            as_openai: if True, add a field `error` for clients of OpenAI's API.
        """
        body: dict[str, Any] = dict(self.body)  # the values have JSON types
        if as_openai:
            message = f"{self.detail} {self.remedy}".strip()
            body["error"] = {"message": message, "type": self.type, "code": str(self.status), "param": None}
        return JSONResponse(body, self.status, headers, PROBLEM_JSON)


def problem_of(error: Exception, *, corpus: str = "") -> Problem:
    """Return the problem to send to the client for an error. Details of internal errors are only written to the log.

    Args:
        corpus: name of the corpus in the request; "" if there is none.
    """
    if isinstance(error, errors.CorpusNotFound) and not isinstance(error, errors.CorpusDeleting):
        error = NotThere(corpus)
    if isinstance(error, Refused):
        return _problem(type(error).__name__, error.status, str(error), error.remedy)
    if _is_full_disk(error):
        _log.error("%s: %s", type(error).__name__, error)
        remedy = "Ask the operator of the service to free some space, then try again."
        return _problem("DiskFull", HTTPStatus.INSUFFICIENT_STORAGE, "The disk of the service is full.", remedy)
    if isinstance(error, errors.OverstoryError):
        status = next((status for kind, status in _STATUS if isinstance(error, kind)), 500)
        if isinstance(error, errors.WriterBusy):  # its message must not be sent: it names a user, a process, a machine
            error = errors.WriterBusy(
                f"Corpus {corpus!r} is currently being changed.",
                remedy="Try again when it has finished; GET /v1/jobs lists running jobs. Questions still work.",
            )
        is_inside = isinstance(error, _INSIDE) and not isinstance(error, errors.LlmNotSet)
        if status == HTTPStatus.INTERNAL_SERVER_ERROR or is_inside:
            _log.warning("%s: %s %s", type(error).__name__, error, error.remedy)
            detail = "The service cannot answer this request now; its log has the reason."
            return _problem(
                type(error).__name__, status, detail, "Try again later, or tell the operator of the service."
            )
        return _problem(type(error).__name__, status, str(error), _remedy(error))
    _log.error("Unexpected error, a bug in Overstory:", exc_info=error)
    return _problem("Fault", 500, "Internal error; the log has the details.", "Tell the operator of the service.")


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
            return "Send DELETE /v1/corpora/{corpus} to delete the rest. Then load the documents again."
        case errors.DocumentNotFound():
            return "GET /v1/corpora/{corpus}/documents lists ids."
        case errors.MetadataNotFound() if error.remedy:
            nearest = f"Similar keys: {', '.join(error.nearest)}. " if error.nearest else ""
            return f"{nearest}GET /v1/corpora/{{corpus}}/metadata lists all keys."
        case errors.CommunityNotFound():
            return "GET /v1/corpora/{corpus}/tree and …/reports list ids, which change when a tree is rebuilt."
        case errors.EntityNotFound() if not (error.suggestions or any(error.unknown.values())):
            return "POST /v1/corpora/{corpus}/search finds passages by other words."
        case errors.IndexMissing():
            over_http = "POST /v1/corpora/{corpus}/index, with the value of --system in `systems`."
            return f"{error.remedy} Over HTTP: {over_http}"
        case _:
            return error.remedy


def response_of(error: Exception, *, corpus: str = "", as_openai: bool = False) -> JSONResponse:
    problem = problem_of(error, corpus=corpus)
    headers = dict(error.headers) if isinstance(error, Refused) else {}
    if problem.status == HTTPStatus.SERVICE_UNAVAILABLE:
        headers["Retry-After"] = "5"
    return problem.response(headers, as_openai=as_openai)


def invalid(detail: str) -> Problem:
    """Return the problem for a request that does not match the OpenAPI document."""
    return _problem("InvalidRequest", 422, detail, DESCRIBED)


def by_status(status: int, detail: str) -> Problem:
    """Return the problem for a status code of HTTP, for example 404 for an unknown path."""
    return _problem(HTTPStatus(status).phrase.title().replace(" ", ""), status, detail, DESCRIBED)


def _problem(kind: str, status: int, detail: str, remedy: str) -> Problem:
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", kind).lower()
    title = words.replace("-", " ").capitalize()
    return Problem(f"urn:overstory:problem:{words}", title, status, detail, remedy)
