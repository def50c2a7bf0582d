"""The position of a record, for messages."""

from __future__ import annotations

from dataclasses import dataclass

from overstory.errors import BrokenSource


@dataclass(frozen=True, slots=True)
class Place:
    """A file, and a line or record in it.

    Attributes:
        line: counted from 1; None if lines have no meaning in the format.
        record: counted from 1; named if there is no line.
    """

    source: str
    line: int | None = None
    record: int | None = None

    def __str__(self) -> str:
        if self.line is not None:
            return f"line {self.line}"
        return self.source if self.record is None else f"record {self.record}"

    def broken(self, message: str, *, remedy: str = "") -> BrokenSource:
        """The error that names this place."""
        if self.line is None and self.record is not None:
            message = f"record {self.record}: {message}"
        return BrokenSource(message, source=self.source, line=self.line, remedy=remedy)
