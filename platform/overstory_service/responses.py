"""JSON responses, cursors for lists that are sent in pages, and parts of the OpenAPI document that routes share."""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any

from starlette.responses import Response

from overstory.model.plain import plain
from overstory.structured_text import parse_json
from overstory.surrogates import is_well_formed
from overstory_service.problems import PROBLEM_JSON, Problem, Refused

_JOB_NUMBER_BOUND = 2**63


def cursor_of(*place: str) -> str:
    """Return a cursor, which is an opaque text that represents a position in a list.

    Args:
        place: the position, for example the source and the key of a document.
    """
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode("ascii").rstrip("=")


def _is_text(part: object) -> bool:
    return isinstance(part, str) and is_well_formed(part)


def place_of(cursor: str, *, parts: int) -> tuple[str, ...]:
    """Return the position in a list that a cursor represents.

    Args:
        parts: number of texts that make up a position in this list.

    Raises:
        Refused: the cursor is invalid or belongs to another list.
    """
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        place = parse_json(base64.b64decode(padded.encode("ascii"), altchars=b"-_", validate=True))
    except (ValueError, binascii.Error):
        place = None
    if not isinstance(place, list) or len(place) != parts or not all(map(_is_text, place)):
        raise _foreign()
    return tuple(place)


def job_number_of(cursor: str) -> int:
    """Return the job number that a cursor for the list of jobs represents.

    Raises:
        Refused: the cursor does not belong to the list of jobs.
    """
    (text,) = place_of(cursor, parts=1)
    if not (text.isascii() and text.isdecimal()) or int(text) >= _JOB_NUMBER_BOUND:
        raise _foreign()
    return int(text)


def _foreign() -> Refused:
    return Refused("The cursor is not from this list.", remedy="Send the `next` value of the previous page unchanged.")


PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": description, "content": {PROBLEM_JSON: {}}}
    for status, description in {
        400: "The request is invalid.",
        401: "The token is missing or unknown.",
        403: "The token has too few rights.",
        404: "The resource does not exist, or the token has no access to it.",
        409: "The state of the corpus does not allow this request.",
        413: "The request is too large.",
        422: "The request does not match the OpenAPI schema.",
        429: "Too many concurrent requests.",
        500: "Internal error.",
        501: "A package that this request needs is not installed.",
        502: "The language model failed.",
        503: "The database is not available.",
        504: "The request timed out.",
        507: "The disk of the service is full.",
    }.items()
}
"""The error responses of all routes, for the OpenAPI document."""

EVENTS: dict[str, Any] = {
    "text/event-stream": {
        "schema": {"type": "object", "properties": {"event": {"type": "string"}, "data": {"type": "string"}}}
    }
}
"""The content of event streams, for the OpenAPI document."""


class DataclassResponse(Response):
    """A JSON response that contains a dataclass in the same form as the option `--json` prints it."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:  # `content` is any value that `plain` accepts
        return json.dumps(plain(content), ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
