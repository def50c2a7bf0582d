"""Cursors: where the next page begins, as a text that a client sends back and need not understand."""

from __future__ import annotations

import base64
import binascii
import json

from overstory.structured_text import parse_json
from overstory.surrogates import is_well_formed
from overstory_service.refusals import Refused

_JOB_NUMBER_BOUND = 2**63


def cursor_of(*place: str) -> str:
    """The cursor of a place, such as a source and a key."""
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode("ascii").rstrip("=")


def _is_text(part: object) -> bool:
    return isinstance(part, str) and is_well_formed(part)


def place_of(cursor: str, *, parts: int) -> tuple[str, ...]:
    """The place that a cursor was made of.

    Raises:
        Refused: it is not one of these.
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
    """The number of the job that a cursor was made of.

    Raises:
        Refused: it is not one of these.
    """
    (text,) = place_of(cursor, parts=1)
    if not (text.isascii() and text.isdecimal()) or int(text) >= _JOB_NUMBER_BOUND:
        raise _foreign()
    return int(text)


def _foreign() -> Refused:
    return Refused("The cursor is none of this list.", remedy="Send `next` of the page before, as it is.")
