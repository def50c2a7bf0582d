"""Pauses between the retries of a failed request."""

from __future__ import annotations

import datetime
import email.utils
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Backoff:
    """Exponential backoff with jitter, so that clients that failed together do not retry together.

    Attributes:
        retries: maximum number of retries.
        first, longest: seconds, before jitter.
        patience: the longest pause that a server may ask for; if it asks for more, there is no retry.
    """

    retries: int = 5
    first: float = 0.5
    longest: float = 30.0
    patience: float = 60.0

    def pause(self, retry: int, *, asked: float | None, chance: float) -> float | None:
        """Seconds before retry number `retry`, counted from 1; None for no retry.

        Args:
            asked: the server's Retry-After in seconds, which is the minimum.
            chance: random number for the jitter, 0 to 1.
        """
        if retry > self.retries or (asked is not None and asked > self.patience):
            return None
        if asked is not None:
            return asked + chance * self.first
        return min(self.longest, self.first * 2.0 ** (retry - 1)) * (0.5 + 0.5 * chance)


def retry_after(headers: Mapping[str, str], now: datetime.datetime) -> float | None:
    """Seconds that a server asks to wait, from Retry-After (seconds or a date) or retry-after-ms; None if both are
    missing or unreadable."""
    for name, unit in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        said = headers.get(name)
        if said is None:
            continue
        try:
            seconds = float(said) * unit
        except ValueError:
            continue
        if 0.0 <= seconds < float("inf"):
            return seconds
    try:
        until = email.utils.parsedate_to_datetime(headers.get("retry-after", ""))
    except ValueError:
        return None
    if until.tzinfo is None:  # "-0000", which means UTC
        until = until.replace(tzinfo=datetime.UTC)
    return max(0.0, (until - now).total_seconds())
