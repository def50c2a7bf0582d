"""Archives (ZIP, tar): their files, each read by the loader of its format."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from overstory.errors import BrokenSource
from overstory.model import Document, Loaded
from overstory.model.file_metadata import MODIFIED
from overstory.protocols import OnBroken, OnSkipped
from overstory.sources.encodings import fallback
from overstory.sources.installed import Catalogue, catalogue
from overstory.sources.read_options import ReadOptions
from overstory.sources.walk import read_sources
from overstory_loaders.files import address, is_folder, reading
from overstory_loaders.moved import Moved
from overstory_loaders.unpacking import NO_TIME, unpack

SUFFIXES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")

_NO_TIME = datetime.fromtimestamp(NO_TIME, UTC)


def _is_archive(source: str) -> bool:
    return source.lower().endswith(SUFFIXES) and not is_folder(source)


class ArchiveLoader:
    """ZIP and tar archives. A document of `notes.zip` has a source like `/srv/notes.zip/folder/page.md`."""

    name = "archive"
    isolated = True

    def recognises(self, source: str) -> bool:
        """By name."""
        return _is_archive(source)

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Loaded]:
        """As `load_telling`."""
        return self.load_telling(source, on_broken=on_broken, on_skipped=lambda _: None)

    def load_telling(self, source: str, *, on_broken: OnBroken, on_skipped: OnSkipped) -> Iterator[Loaded]:
        """What the loaders of its files yield, as for a folder. An archive within the archive is skipped."""
        with tempfile.TemporaryDirectory(prefix="overstory-") as name, reading(source):
            folder = Path(name).resolve()
            unpack(source, folder, on_broken=on_broken, on_skipped=on_skipped)
            yield from _UnpackedFiles(address(source), folder, on_broken, on_skipped).items()


class _UnpackedFiles:
    """The files of an unpacked archive, under their names in it."""

    def __init__(self, archive: str, folder: Path, on_broken: OnBroken, on_skipped: OnSkipped) -> None:
        self._folder, self._moved = folder.as_posix(), Moved(folder, archive)
        self._on_broken, self._on_skipped = on_broken, on_skipped
        self._holds_archives = False

    def items(self) -> Iterator[Loaded]:
        installed = catalogue()
        others = {name: loader for name, loader in installed.loaders.items() if name != ArchiveLoader.name}
        encoding, on_decoded = fallback()
        read = read_sources(
            [self._folder],
            loader=None,
            on_broken=self._hear_broken,
            on_skipped=self._hear_skipped,
            installed=Catalogue(others, installed.unusable),
            options=ReadOptions(encoding=encoding),
            on_decoded=lambda decoded: on_decoded(self._moved.decoded(decoded)),
        )
        yield from map(self._named, read)

    def _named(self, item: Loaded) -> Loaded:
        moved = self._moved.item(item)
        if isinstance(moved, Document) and moved.file_metadata.get(MODIFIED) == _NO_TIME:
            known = {key: value for key, value in moved.file_metadata.items() if key != MODIFIED}
            return replace(moved, file_metadata=known)
        return moved

    def _hear_broken(self, error: BrokenSource) -> None:
        moved = self._moved.error(error)
        if error.source == self._folder and self._holds_archives:
            moved = BrokenSource(
                "contains nothing that any loader recognises but archives, which are not read within an archive",
                source=moved.source,
                remedy="Unpack it, and load the folder.",
            )
        self._on_broken(moved)

    def _hear_skipped(self, what: str) -> None:
        inner = ""
        if _is_archive(what):
            self._holds_archives, inner = True, " (an archive within an archive: unpack it)"
        self._on_skipped(self._moved.address(what) + inner)
