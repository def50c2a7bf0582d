"""The encoding of files that are not UTF-8: the one that a run names, or the one that charset-normalizer recognises.

Loaders are made without arguments, and decode at many places, so they ask here: the walk says for each step of a loader
which encoding the run has for such files, and hears which one was taken.
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
"""Of a file, around its first byte that is not UTF-8, by which its encoding is recognised."""


@dataclass(frozen=True, slots=True)
class DecodedFile:
    """A file that was read in another encoding than UTF-8, or not wholly in its own.

    Attributes:
        encoding: the one that was taken.
        replaced: at how many places there were bytes that it lacks, which became "�"; 0 for files that were read in
            another encoding than UTF-8.
    """

    path: str
    encoding: str
    replaced: int = 0

    @property
    def shown(self) -> str:
        """ "windows-1252"; "utf-8, with � at 3 places"."""
        return self.encoding + (f", with � at {counted(self.replaced, 'place')}" if self.replaced else "")


OnDecoded = Callable[[DecodedFile], None]


def _ignore(_decoded: DecodedFile) -> None:
    """Where nobody listens."""


_fallback: ContextVar[tuple[str, OnDecoded]] = ContextVar("overstory_fallback_encoding", default=("", _ignore))


@contextmanager
def use_fallback(encoding: str, on_decoded: OnDecoded) -> Generator[None]:
    """Files that are not UTF-8 are read by this encoding; "" refuses them."""
    before = _fallback.set((encoding, on_decoded))
    try:
        yield
    finally:
        _fallback.reset(before)


def fallback() -> tuple[str, OnDecoded]:
    """The encoding of the run for such files, "" if they are refused, and who hears which one was taken; for loaders
    that have other files read, under names of their own."""
    return _fallback.get()


def has_fallback() -> bool:
    """Whether files that are not UTF-8 are to be read."""
    return bool(_fallback.get()[0])


def fallback_encoding(sample: bytes, source: str) -> str | None:
    """Return the encoding for a file that is not UTF-8; None if the run refuses such files.

    A loader that uses the encoding calls `report_encoding`.

    Args:
        sample: the part of the file around its first byte that is not UTF-8.

    Raises:
        BrokenSource: no encoding could be recognised.
    """
    encoding, _ = _fallback.get()
    if not encoding:
        return None
    return _recognised(sample, source) if encoding == AUTO else encoding


def report_encoding(source: str, encoding: str, *, replaced: int = 0) -> None:
    """Tells the run that a file was read by what `fallback_encoding` said, or with some of its bytes replaced."""
    _fallback.get()[1](DecodedFile(source, encoding, replaced))


def around(data: bytes, offset: int) -> bytes:
    """The part of some bytes by which their encoding is recognised."""
    return data[max(0, offset - RECOGNISED_BYTES // 2) : offset + RECOGNISED_BYTES // 2]


def _recognised(sample: bytes, source: str) -> str:
    from charset_normalizer import from_bytes  # only where it is asked for

    best = from_bytes(sample).best()
    if best is None:
        raise BrokenSource(
            "is not UTF-8, and in no encoding that can be recognised",
            source=source,
            remedy="If it is a text, name its encoding: --encoding windows-1252",
        )
    return best.encoding
