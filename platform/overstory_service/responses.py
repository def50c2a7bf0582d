"""Responses as JSON and as streams of server-sent events; cursors of pages."""

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
    """Return the cursor of a place, such as a source and a key: text that a client sends back as it is."""
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode("ascii").rstrip("=")


def _is_text(part: object) -> bool:
    return isinstance(part, str) and is_well_formed(part)


def place_of(cursor: str, *, parts: int) -> tuple[str, ...]:
    """Return the place of a cursor.

    Raises:
        Refused: it is not a cursor of such places.
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
    """Return the job number of a cursor.

    Raises:
        Refused: it is not a cursor of jobs.
    """
    (text,) = place_of(cursor, parts=1)
    if not (text.isascii() and text.isdecimal()) or int(text) >= _JOB_NUMBER_BOUND:
        raise _foreign()
    return int(text)


def _foreign() -> Refused:
    return Refused("The cursor is not of this list.", remedy="Send `next` of the page before, as it is.")


PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": description, "content": {PROBLEM_JSON: {}}}
    for status, description in {
        400: "The request cannot be done as it is.",
        401: "No token, or one that is not known.",
        403: "The token has no rights to this.",
        404: "Not there, or not for this token.",
        409: "The corpus is not in a state for this.",
        413: "Too large.",
        422: "Not what this document says.",
        429: "Too many requests at a time.",
        500: "A fault.",
        501: "Something that this needs is not installed.",
        502: "The language model failed.",
        503: "The database cannot be used now.",
        504: "It took too long.",
        507: "The disk of the service is full.",
    }.items()
}
"""Error responses of every route, for the OpenAPI document."""

EVENTS: dict[str, Any] = {
    "text/event-stream": {
        "schema": {"type": "object", "properties": {"event": {"type": "string"}, "data": {"type": "string"}}}
    }
}
"""Content of a stream, for the OpenAPI document."""


class DataclassResponse(Response):
    """A dataclass as JSON, as `--json` prints it."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:  # whatever `plain` takes
        return json.dumps(plain(content), ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
