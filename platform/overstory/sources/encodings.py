"""The fallback encoding, in which a run reads files that are not UTF-8.

The user specifies this encoding for the run, or has it detected for each file. Loaders have no parameters, and they
decode text in many places. Therefore the run stores the fallback encoding in a context variable, together with a
callback to which loaders report the encoding that they used.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from overstory.display import counted


@dataclass(frozen=True, slots=True)
class DecodedFile:
    """A report that a file was read in an encoding other than UTF-8, or that some of its bytes were replaced.

    Attributes:
        replaced: number of places where invalid bytes were replaced with "�".
    """

    path: str
    encoding: str
    replaced: int = 0

    @property
    def shown(self) -> str:
        """Text for the user, such as "windows-1252" or "utf-8, with � at 3 places"."""
        return self.encoding + (f", with � at {counted(self.replaced, 'place')}" if self.replaced else "")


OnDecoded = Callable[[DecodedFile], None]


def _ignore(_decoded: DecodedFile) -> None:
    pass


_fallback: ContextVar[tuple[str, OnDecoded]] = ContextVar("overstory_fallback_encoding", default=("", _ignore))


@contextmanager
def use_fallback(encoding: str, on_decoded: OnDecoded) -> Generator[None]:
    """Set the fallback encoding for the files that are read during the `with` block.

    Args:
        encoding: the encoding of files that are not UTF-8; "auto" to detect it; "" to refuse such files.
        on_decoded: called for each file that is read in the fallback encoding or with some bytes replaced.
    """
    before = _fallback.set((encoding, on_decoded))
    try:
        yield
    finally:
        _fallback.reset(before)


def fallback() -> tuple[str, OnDecoded]:
    """Return the fallback encoding of the run ("" if there is none) and the callback to which its use is reported.

    Loaders that read files inside files, such as archives, need both, because they report these files under other
    names.
    """
    return _fallback.get()


def has_fallback() -> bool:
    """Return True if the run has a fallback encoding, that is, if it also reads files that are not UTF-8."""
    return bool(_fallback.get()[0])


def report_encoding(source: str, encoding: str, *, replaced: int = 0) -> None:
    """Report that a file was read in a fallback encoding, or that some of its bytes were replaced."""
    _fallback.get()[1](DecodedFile(source, encoding, replaced))
