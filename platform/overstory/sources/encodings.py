"""The fallback encoding for files that are not UTF-8: the one named for the run, or one detected by charset-normalizer.

Loaders take no arguments and decode text in many places. So the run sets the fallback encoding in a context variable,
and loaders report through it which encoding they used.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from overstory.display import counted
from overstory.errors import BrokenSource
from overstory.sources.read_options import AUTO

RECOGNISED_BYTES = 262_144
"""Bytes around the first one that is not UTF-8 by which the encoding of a file is detected."""


@dataclass(frozen=True, slots=True)
class DecodedFile:
    """A file that was read in another encoding than UTF-8, or with some of its bytes replaced.

    Attributes:
        encoding: the encoding that was used.
        replaced: number of places where invalid bytes became "�"; 0 if the whole file could be decoded.
    """

    path: str
    encoding: str
    replaced: int = 0

    @property
    def shown(self) -> str:
        """Text for the user: "windows-1252", or "utf-8, with � at 3 places"."""
        return self.encoding + (f", with � at {counted(self.replaced, 'place')}" if self.replaced else "")


OnDecoded = Callable[[DecodedFile], None]


def _ignore(_decoded: DecodedFile) -> None:
    pass


_fallback: ContextVar[tuple[str, OnDecoded]] = ContextVar("overstory_fallback_encoding", default=("", _ignore))


@contextmanager
def use_fallback(encoding: str, on_decoded: OnDecoded) -> Generator[None]:
    """Read files that are not UTF-8 in this encoding during the block; "" refuses them."""
    before = _fallback.set((encoding, on_decoded))
    try:
        yield
    finally:
        _fallback.reset(before)


def fallback() -> tuple[str, OnDecoded]:
    """Return the fallback encoding of the run ("" if there is none) and the callback for files that it decodes.

    For loaders that read other files under names of their own.
    """
    return _fallback.get()


def has_fallback() -> bool:
    """Return True if files that are not UTF-8 are read."""
    return bool(_fallback.get()[0])


def fallback_encoding(sample: bytes, source: str) -> str | None:
    """Return the encoding for a file that is not UTF-8; None if the run refuses such files.

    A loader that uses the encoding calls `report_encoding`.

    Args:
        sample: the part of the file around its first byte that is not UTF-8.

    Raises:
        BrokenSource: no encoding could be detected.
    """
    encoding, _ = _fallback.get()
    if not encoding:
        return None
    return _recognised(sample, source) if encoding == AUTO else encoding


def report_encoding(source: str, encoding: str, *, replaced: int = 0) -> None:
    """Report that a file was read in a fallback encoding, or with some of its bytes replaced."""
    _fallback.get()[1](DecodedFile(source, encoding, replaced))


def around(data: bytes, offset: int) -> bytes:
    """Return the part of `data` around `offset` by which the encoding is detected."""
    return data[max(0, offset - RECOGNISED_BYTES // 2) : offset + RECOGNISED_BYTES // 2]


def _recognised(sample: bytes, source: str) -> str:
    from charset_normalizer import from_bytes  # imported only if a run needs it

    best = from_bytes(sample).best()
    if best is None:
        raise BrokenSource(
            "is not UTF-8, and its encoding cannot be detected",
            source=source,
            remedy="If it is a text file, name its encoding: --encoding windows-1252",
        )
    return best.encoding
