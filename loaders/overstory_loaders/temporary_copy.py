"""What loaders yield of a temporary copy, with the addresses that its files have for the user."""

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
    """Items and errors of a file or a folder that stands for another one.

    Args:
        copy: the temporary file or folder.
        place: the address of what it stands for.
    """

    def __init__(self, copy: Path, place: str) -> None:
        self._copy, self._place = address(str(copy)), place
        self._around = posixpath.dirname(self._copy) + "/"

    def renamed(self, item: Loaded) -> Loaded:
        """The item, with the addresses of the user's files."""
        source = self.address(item.source)
        if isinstance(item, Link) and item.target_source:
            return replace(item, source=source, target_source=self.address(item.target_source))
        return replace(item, source=source)

    def renamed_error(self, error: BrokenSource) -> BrokenSource:
        """The error, which names the user's file."""
        source = self.address(Path(os.path.abspath(error.source)).as_posix())  # noqa: PTH100 # links stay as they are
        named = BrokenSource(error.reason, source=source, line=error.line, remedy=error.remedy, hides=error.hides)
        named.__cause__ = error
        return named

    def renamed_decoded(self, decoded: DecodedFile) -> DecodedFile:
        """What was read in another encoding, by the name of the user's file."""
        return replace(decoded, path=self.address(decoded.path))

    def address(self, source: str) -> str:
        """The address of the copy, of a file in it, or of a neighbour that it links to."""
        if source == self._copy or source.startswith(f"{self._copy}/"):
            return self._place + source.removeprefix(self._copy)
        if source.startswith(self._around):
            return f"{posixpath.dirname(self._place)}/{source.removeprefix(self._around)}"
        return source
