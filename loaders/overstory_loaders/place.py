"""The position of a record in a file, for error messages."""

from __future__ import annotations

from dataclasses import dataclass

from overstory.errors import BrokenSource


@dataclass(frozen=True, slots=True)
class Place:
    """A file, or a line or record in it.

    Attributes:
        line: line number, counted from 1; None if the format has no meaningful lines.
        record: record number, counted from 1. It appears in messages if `line` is None.
    """

    source: str
    line: int | None = None
    record: int | None = None

    def __str__(self) -> str:
        if self.line is not None:
            return f"line {self.line}"
        return self.source if self.record is None else f"record {self.record}"

    def broken(self, message: str, *, remedy: str = "") -> BrokenSource:
        """Return an error that names this position."""
        if self.line is None and self.record is not None:
            message = f"record {self.record}: {message}"
        return BrokenSource(message, source=self.source, line=self.line, remedy=remedy)
