"""Restores the user's paths in what a loader reports about a temporary copy."""

from __future__ import annotations

import os
import posixpath
from dataclasses import replace
from pathlib import Path

from overstory.errors import BrokenSource
from overstory.model import Link, Loaded
from overstory.sources.encodings import DecodedFile
from overstory_loaders.files import address


class TemporaryCopy:
    """A temporary file or folder that a loader reads in place of the user's file.

    Args:
        copy: the temporary file or folder.
        place: address of the file or folder that it replaces.
    """

    def __init__(self, copy: Path, place: str) -> None:
        self._copy, self._place = address(str(copy)), place
        self._around = posixpath.dirname(self._copy) + "/"

    def renamed(self, item: Loaded) -> Loaded:
        """Return the item with the user's addresses."""
        source = self.address(item.source)
        if isinstance(item, Link) and item.target_source:
            return replace(item, source=source, target_source=self.address(item.target_source))
        return replace(item, source=source)

    def renamed_error(self, error: BrokenSource) -> BrokenSource:
        """Return the error with the user's path."""
        source = self.address(Path(os.path.abspath(error.source)).as_posix())  # noqa: PTH100 # links are not resolved
        named = BrokenSource(error.reason, source=source, line=error.line, remedy=error.remedy, hides=error.hides)
        named.__cause__ = error
        return named

    def renamed_decoded(self, decoded: DecodedFile) -> DecodedFile:
        """Return the report of a decoded file with the user's path."""
        return replace(decoded, path=self.address(decoded.path))

    def address(self, source: str) -> str:
        """Return the user's address for the copy, a file inside it, or a neighbouring file."""
        if source == self._copy or source.startswith(f"{self._copy}/"):
            return self._place + source.removeprefix(self._copy)
        if source.startswith(self._around):
            return f"{posixpath.dirname(self._place)}/{source.removeprefix(self._around)}"
        return source
