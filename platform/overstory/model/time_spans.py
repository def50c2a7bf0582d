"""Dates with the precision with which a text gives them, and the time during which a text says that something holds."""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass
from datetime import date
from typing import Literal

DatePrecision = Literal["year", "month", "day"]

_WRITTEN = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class PartialDate:
    """A year, a month or a day.

    Raises:
        ValueError: there is no such day or month.
    """

    year: int
    month: int | None = None
    day: int | None = None

    def __post_init__(self) -> None:
        date(self.year, self.month or 1, self.day or 1)

    @classmethod
    def read(cls, text: str) -> PartialDate:
        """Read "2019", "2019-03" or "2019-03-04".

        Raises:
            ValueError: the text is no such date.
        """
        found = _WRITTEN.fullmatch(text.strip())
        if found is None:
            raise ValueError(f"{text!r} is no date such as 2019, 2019-03 or 2019-03-04")
        year, month, day = found.groups()
        return cls(int(year), int(month) if month else None, int(day) if day else None)

    @classmethod
    def of(cls, day: date, precision: DatePrecision) -> PartialDate:
        """Return the year, the month or the day that a day is in."""
        return cls(*(day.year, day.month, day.day)[: {"year": 1, "month": 2, "day": 3}[precision]])

    @property
    def precision(self) -> DatePrecision:
        return "year" if self.month is None else "month" if self.day is None else "day"

    @property
    def first(self) -> date:
        """The first day of the year, of the month, or the day."""
        return date(self.year, self.month or 1, self.day or 1)

    @property
    def last(self) -> date:
        """The last day of the year, of the month, or the day."""
        month = self.month or 12
        return date(self.year, month, self.day or calendar.monthrange(self.year, month)[1])

    def __str__(self) -> str:
        return self.first.isoformat()[: {"year": 4, "month": 7, "day": 10}[self.precision]]


class HasTimes:
    """The time of a fact, according to one passage. Dates are text such as "2019", "2019-03" or "2019-03-04".

    Attributes:
        holds_from: when the fact began; "" if the passage does not say so.
        holds_to: when it ended; "" if the passage does not say so.
        said_at: when the passage or its document says it; "" if that is unknown.
        ended: True if the passage says that the fact no longer holds, perhaps without a date: "the former head".
        time_words: the words that say so; "" if there are none.
    """

    __slots__ = ()

    holds_from: str
    holds_to: str
    said_at: str
    ended: bool
    time_words: str

    @property
    def when(self) -> str:
        """When the fact holds and when it was said: "since 2023-07-01, said 2023-06-12"; "" if neither is known."""
        if self.holds_from and self.holds_from == self.holds_to:
            held = self.holds_from
        elif self.holds_from and self.holds_to:
            held = f"{self.holds_from} to {self.holds_to}"
        elif self.holds_from:
            held = f"since {self.holds_from}"
        else:
            held = f"until {self.holds_to}" if self.holds_to else "no longer" if self.ended else ""
        return ", ".join(filter(None, (held, f"said {self.said_at}" if self.said_at else "")))


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """The time during which something holds, according to a text.

    Attributes:
        holds_from: when it began; None if the text does not say so.
        holds_to: when it ended; None if the text does not say so. For something that happened "in May 2021", both are
            that month.
        words: the words that say so.
        start: position of their first character in the text.
        end: position after their last character.
        ended: True if it no longer holds when the text is written. The text may not say since when: "the former head".
    """

    holds_from: PartialDate | None
    holds_to: PartialDate | None
    words: str
    start: int
    end: int
    ended: bool = False
