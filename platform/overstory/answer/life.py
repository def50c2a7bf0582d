"""The dates and places of a life, as encyclopedias write them: "(28 December 1888 in Bielefeld – 11 March 1931)"."""

from __future__ import annotations

import re
from typing import NamedTuple

_DATE = re.compile(
    r"\b\d{1,2}(?:st|nd|rd|th)? [^\W\d_]{3,12},? \d{3,4}|\b[^\W\d_]{3,12} \d{1,2}(?:st|nd|rd|th)?, \d{3,4}"
    r"|\b[^\W\d_]{3,12} \d{4}|\b\d{3,4}\b"
)
_PARENTHESIS = re.compile(r"\((?P<inside>[^()]{4,200})\)")
_DASH = re.compile(r"\s[–—-]\s?|[–—]\s?|,? (?:d\.|died) ")
_PLACE = re.compile(r"(?:\bin |, |\bat )(?P<place>[^\W\d_][^\d;()]{1,60})$")
_YEAR = re.compile(r"\d{3,4}")


class Life(NamedTuple):
    """Dates and places as they are written; "" for what is not said."""

    born: str = ""
    birthplace: str = ""
    died: str = ""
    deathplace: str = ""


def life_in(text: str) -> Life:
    """The life that the first parenthesis with a date tells."""
    for match in _PARENTHESIS.finditer(text):
        inside = match["inside"]
        if not _YEAR.search(inside):
            continue
        first, *rest = _DASH.split(inside, maxsplit=1)
        begun = _DATE.findall(first)
        ended = _DATE.search(rest[0]) if rest else None
        if not begun or (rest and ended is None):
            continue
        after = first[first.rfind(begun[-1]) + len(begun[-1]) :]
        return Life(
            begun[-1] if rest or "born" in first or len(begun) == 1 else "",
            _place(after),
            ended.group() if ended else "",
            _place(rest[0][ended.end() :]) if ended else "",
        )
    return Life()


def year_of(date: str) -> int | None:
    """The year of a date."""
    found = _YEAR.findall(date)
    return int(found[-1]) if found else None


_NAMES_OF_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november"),
    "december",
)
_MONTHS = {name: number for number, name in enumerate(_NAMES_OF_MONTHS, 1)}


def order_of(date: str) -> tuple[int, int, int] | None:
    """By which dates are compared: year, month and day, 0 for what is not said."""
    year = year_of(date)
    if year is None:
        return None
    month = next((_MONTHS[word] for word in re.findall(r"[a-z]+", date.lower()) if word in _MONTHS), 0)
    day = re.search(r"(?<!\d)\d{1,2}(?!\d)", date)
    return year, month, int(day.group()) if day and month else 0


def _place(text: str) -> str:
    found = _PLACE.search(text.strip(" ,"))
    return found["place"].strip(" ,") if found else ""
