"""Safe use of HTTP endpoints: no keys in messages, no redirects to other servers, limited responses, and retries."""

from __future__ import annotations

import datetime
import email.utils
import functools
import re
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, urljoin, urlsplit

from overstory.display import on_one_line

MASK = "***"
_SHORTEST_SECRET_CHARACTERS = 8
"""Minimum length of a real key. A shorter key is a placeholder, such as "none", that may be a word in responses."""

LONGEST_MESSAGE_CHARACTERS = 500

CONNECT_SECONDS = 10.0
REQUEST_SECONDS = 60.0
"""Timeouts, in seconds, for connecting and for a response. The timeout of a language model is a setting instead."""

REQUEST_RETRIES = 4

_PORTS = {"http": 80, "https": 443}


def cleaned(message: str, key: str | None) -> str:
    """Return an endpoint's message as one short line in which the key, and each half of the key, is masked."""
    message = on_one_line(message)
    return (_spellings(key).sub(MASK, message) if key else message)[:LONGEST_MESSAGE_CHARACTERS]


@functools.lru_cache(maxsize=8)
def _spellings(key: str) -> re.Pattern[str]:
    """Return a pattern that matches the key as messages may show it: in another case, or broken by spaces.

    If the halves of the key are too long to be words, the pattern also matches each half.
    """
    half = len(key) // 2
    shown = [key, key[:half], key[half:]] if half >= _SHORTEST_SECRET_CHARACTERS else [key]
    case = re.IGNORECASE if len(key) >= _SHORTEST_SECRET_CHARACTERS else 0
    return re.compile("|".join(r"\s?".join(map(re.escape, each)) for each in shown), case)


def cause_without_key(error: Exception, key: str | None) -> Exception | None:
    """Return the error if it can be the cause of another error; None if its message contains the key.

    A traceback shows the messages of all causes.
    """
    return None if key and key in str(error) else error


class KeyMask:
    """Masks the key in a text that arrives in pieces, even if the key is split between two pieces."""

    def __init__(self, key: str | None) -> None:
        self._key = key if key and len(key) >= _SHORTEST_SECRET_CHARACTERS else ""
        self._held = ""  # end of the text that is held back because the key may begin there

    def take(self, piece: str) -> str:
        """Add a piece and return the next part of the masked text. An end that may begin the key is held back."""
        if not self._key:
            return piece
        text = (self._held + piece).replace(self._key, MASK)
        held = next((n for n in range(min(len(self._key) - 1, len(text)), 0, -1) if text.endswith(self._key[:n])), 0)
        self._held = text[len(text) - held :]
        return text[: len(text) - held]

    def rest(self) -> str:
        """Return the end of the text that `take` has held back."""
        rest, self._held = self._held, ""
        return rest

    def whole(self, text: str) -> str:
        return text.replace(self._key, MASK) if self._key else text


def redirect_elsewhere(response: Any) -> str:  # the response comes from httpx or its successor
    """Return the target of a redirect to another scheme, host or port; "" if there is no such redirect.

    Callers must not follow such a redirect, because it would send data to an address that nobody configured.
    """
    if not response.has_redirect_location:
        return ""
    asked = urlsplit(str(response.request.url))
    location = str(response.headers.get("location", ""))
    try:
        target = urlsplit(urljoin(asked.geturl(), location))
        if _origin(target) == _origin(asked):
            return ""
    except ValueError:
        return location
    return without_secrets(target)


def without_secrets(address: SplitResult) -> str:
    """Return an address for use in messages: without user, password, query and fragment."""
    return address._replace(netloc=address.netloc.rpartition("@")[2], query="", fragment="").geturl()


def bounded(stream: Any, most: int, error: Callable[[], Exception]) -> Any:  # streams come from httpx or its successor
    """Return a wrapper around a byte stream that raises `error()` if the stream yields more than `most` bytes.

    The class of the wrapper derives from the class of `stream`, because the library accepts only its own classes.
    """

    def begin(_: object) -> None: ...

    async def parts(_: object) -> AsyncIterator[bytes]:
        received = 0
        async for part in stream:
            received += len(part)
            if received > most:
                raise error()
            yield part

    async def aclose(_: object) -> None:
        await stream.aclose()

    kind = type(stream)
    made = type(kind.__name__, (kind,), {"__init__": begin, "__aiter__": parts, "aclose": aclose})
    return made()


def _origin(address: SplitResult) -> tuple[str, str | None, int | None]:
    return address.scheme, address.hostname, address.port or _PORTS.get(address.scheme)


@dataclass(frozen=True, slots=True)
class Backoff:
    """Pauses between retries that grow exponentially and vary randomly, so that clients do not all retry together.

    Attributes:
        first: first pause in seconds, before the random variation.
        longest: maximum pause in seconds, before the random variation.
        patience: maximum pause in seconds that a server may request. If it requests more, there is no retry.
    """

    retries: int = 5
    first: float = 0.5
    longest: float = 30.0
    patience: float = 60.0

    def pause(self, retry: int, *, asked: float | None, chance: float) -> float | None:
        """Return the seconds to wait before a retry; None if there must be no retry.

        Args:
            retry: number of the retry, counted from 1.
            asked: minimum pause in seconds that the server requested (Retry-After); None if there is none.
            chance: random number from 0 to 1 that determines the random variation.
        """
        if retry > self.retries or (asked is not None and asked > self.patience):
            return None
        if asked is not None:
            return asked + chance * self.first
        return min(self.longest, self.first * 2.0 ** (retry - 1)) * (0.5 + 0.5 * chance)


def retry_after(headers: Mapping[str, str], now: datetime.datetime) -> float | None:
    """Return how many seconds to wait according to the header retry-after-ms or Retry-After; None if neither is valid.

    The header retry-after-ms contains milliseconds. Retry-After contains seconds or a date.
    """
    for name, unit in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        value = headers.get(name)
        if value is None:
            continue
        try:
            seconds = float(value) * unit
        except ValueError:
            continue
        if 0.0 <= seconds < float("inf"):
            return seconds
    try:
        until = email.utils.parsedate_to_datetime(headers.get("retry-after", ""))
    except ValueError:
        return None
    if until.tzinfo is None:  # the offset is "-0000", which means UTC
        until = until.replace(tzinfo=datetime.UTC)
    return max(0.0, (until - now).total_seconds())
