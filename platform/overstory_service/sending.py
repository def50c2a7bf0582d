"""Answers as JSON, and as streams of server-sent events."""

from __future__ import annotations

import json
from typing import Any

from starlette.responses import Response

from overstory.model.plain import plain
from overstory_service.problems import PROBLEM_JSON, Problem

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
"""What every route may answer."""


EVENTS: dict[str, Any] = {
    "text/event-stream": {
        "schema": {"type": "object", "properties": {"event": {"type": "string"}, "data": {"type": "string"}}}
    }
}
"""What a stream has, for the OpenAPI document."""


class Sent(Response):
    """A value of ours as JSON, as `--json` prints it."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:  # whatever `plain` takes
        return json.dumps(plain(content), ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
