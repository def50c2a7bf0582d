"""Replaces the paths of temporary copies by the user's paths in documents and error messages."""

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
        place: address of the file or folder that the copy replaces.
    """

    def __init__(self, copy: Path, place: str) -> None:
        self._copy, self._place = address(str(copy)), place
        self._around = posixpath.dirname(self._copy) + "/"

    def renamed(self, item: Loaded) -> Loaded:
        """Return the item with the user's addresses instead of those of the copy."""
        source = self.address(item.source)
        if isinstance(item, Link) and item.target_source:
            return replace(item, source=source, target_source=self.address(item.target_source))
        return replace(item, source=source)

    def renamed_error(self, error: BrokenSource) -> BrokenSource:
        """Return the error with the user's path instead of that of the copy."""
        source = self.address(Path(os.path.abspath(error.source)).as_posix())  # noqa: PTH100 # `abspath` does not resolve links
        named = BrokenSource(error.reason, source=source, line=error.line, remedy=error.remedy, hides=error.hides)
        named.__cause__ = error
        return named

    def renamed_decoded(self, decoded: DecodedFile) -> DecodedFile:
        """Return the report on a decoded file with the user's path instead of that of the copy."""
        return replace(decoded, path=self.address(decoded.path))

    def address(self, source: str) -> str:
        """Return the user's address for the copy, for a file inside it, or for a file in the same folder."""
        if source == self._copy or source.startswith(f"{self._copy}/"):
            return self._place + source.removeprefix(self._copy)
        if source.startswith(self._around):
            return f"{posixpath.dirname(self._place)}/{source.removeprefix(self._around)}"
        return source
