"""How long to wait before a failed request is sent again."""

from __future__ import annotations

import datetime
import email.utils
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Backoff:
    """Pauses that double, each cut at random, so that clients that failed together do not come back together.

    Attributes:
        retries: how often a request is sent again.
        first, longest: seconds, before chance.
        patience: the longest pause that a server may ask for; where it asks for more, nothing is sent again.
    """

    retries: int = 5
    first: float = 0.5
    longest: float = 30.0
    patience: float = 60.0

    def pause(self, retry: int, *, asked: float | None, chance: float) -> float | None:
        """Seconds before retry number `retry`, counted from 1; None where there is to be none.

        Args:
            asked: what the server's Retry-After says; the pause is not shorter.
            chance: 0 to 1.
        """
        if retry > self.retries or (asked is not None and asked > self.patience):
            return None
        if asked is not None:
            return asked + chance * self.first
        return min(self.longest, self.first * 2.0 ** (retry - 1)) * (0.5 + 0.5 * chance)


def retry_after(headers: Mapping[str, str], now: datetime.datetime) -> float | None:
    """Seconds that a server asks to wait, from Retry-After (seconds or a date) or retry-after-ms; None if it does not,
    or says it in no way that can be read."""
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
    if until.tzinfo is None:  # "-0000", which says that it is UTC
        until = until.replace(tzinfo=datetime.UTC)
    return max(0.0, (until - now).total_seconds())
