"""Rules for endpoints that we ask over HTTP: messages are cleaned, redirects checked, responses bounded."""

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
"""Characters. A shorter key is a placeholder such as "none" or "ollama", which an answer may contain as a word."""

LONGEST_MESSAGE_CHARACTERS = 500
"""Maximum characters of an endpoint's message that are passed on."""

CONNECT_SECONDS = 10.0
REQUEST_SECONDS = 60.0
"""Until an endpoint is connected to, and until it has answered. How long a language model may take is a setting."""

REQUEST_RETRIES = 4

_PORTS = {"http": 80, "https": 443}


def cleaned(message: str, key: str | None) -> str:
    """An endpoint's message for an error: on one line, shortened, without terminal escapes.

    Without the key, too, be it whole or half, in capitals or with spaces.
    """
    message = on_one_line(message)
    return (_spellings(key).sub(MASK, message) if key else message)[:LONGEST_MESSAGE_CHARACTERS]


@functools.lru_cache(maxsize=8)
def _spellings(key: str) -> re.Pattern[str]:
    """The key as a message may show it; its halves only if they are long enough to be no words."""
    half = len(key) // 2
    shown = [key, key[:half], key[half:]] if half >= _SHORTEST_SECRET_CHARACTERS else [key]
    case = re.IGNORECASE if len(key) >= _SHORTEST_SECRET_CHARACTERS else 0
    return re.compile("|".join(r"\s?".join(map(re.escape, each)) for each in shown), case)


class KeyMask:
    """Masks the key in a text that arrives in pieces, also where the key straddles pieces."""

    def __init__(self, key: str | None) -> None:
        self._key = key if key and len(key) >= _SHORTEST_SECRET_CHARACTERS else ""
        self._held = ""  # the end of the text so far, if the key may begin there

    def take(self, piece: str) -> str:
        """The text up to this piece that cannot be the beginning of the key and was not returned yet."""
        if not self._key:
            return piece
        text = (self._held + piece).replace(self._key, MASK)
        held = next((n for n in range(min(len(self._key) - 1, len(text)), 0, -1) if text.endswith(self._key[:n])), 0)
        self._held = text[len(text) - held :]
        return text[: len(text) - held]

    def rest(self) -> str:
        """The rest, at the end."""
        rest, self._held = self._held, ""
        return rest

    def whole(self, text: str) -> str:
        """A complete text with the key masked."""
        return text.replace(self._key, MASK) if self._key else text


def redirect_elsewhere(response: Any) -> str:  # of httpx, or of its successor in newer clients
    """The address that a response redirects to, if its scheme, host or port is another than that of the request; else
    "". What is sent to an endpoint must not reach an address that nobody chose."""
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
    """An address for messages: without user, password, query and fragment."""
    return address._replace(netloc=address.netloc.rpartition("@")[2], query="", fragment="").geturl()


def bounded(stream: Any, most: int, error: Callable[[], Exception]) -> Any:  # streams of httpx or of its successor
    """A stream of bytes that raises `error()` after `most` bytes.

    It is of the class of `stream`, because the library accepts its own classes only.
    """

    def begin(_: object) -> None:
        """Nothing: the stream has begun."""

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
    if until.tzinfo is None:  # "-0000", which means UTC
        until = until.replace(tzinfo=datetime.UTC)
    return max(0.0, (until - now).total_seconds())
