"""Loads ZIP and tar archives. Each file inside is read by the loader for its format."""

from __future__ import annotations

import calendar
import lzma
import os
import stat
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO

from overstory.display import error_text
from overstory.errors import BrokenSource
from overstory.model import Document, Loaded
from overstory.model.metadata import MODIFIED
from overstory.protocols import OnBroken, OnSkipped
from overstory.sources.encodings import fallback
from overstory.sources.loader_catalogue import Catalogue, catalogue
from overstory.sources.read_options import ReadOptions
from overstory.sources.walk import read_sources
from overstory.surrogates import is_well_formed
from overstory_loaders.blocks import is_storable
from overstory_loaders.files import address, empty, is_folder, reading
from overstory_loaders.temporary_copy import TemporaryCopy

_MOST_MEMBERS = 100_000
MOST_UNPACKED_BYTES = 2 * 2**30
"""Maximum unpacked size of an archive in bytes."""
_MOST_UNPACKED_SHARE = 200
"""Maximum ratio of unpacked to packed size. Text usually compresses to a tenth of its size, rarely to a fiftieth."""
LEAST_SUSPECT_BYTES = 64 * 2**20
"""The limit on the ratio applies only to archives that unpack to more bytes than this."""
NO_TIME = 0
"""Modification time used for archive members that have none."""

_UNPACK = "Unpack it, and load the folder."
_DECRYPT = "Unpack it with its password, and load the folder."
_UTF8_NAME, _ENCRYPTED = 0x800, 0x1
_DAMAGED = (tarfile.TarError, zipfile.BadZipFile, EOFError, zlib.error, lzma.LZMAError, NotImplementedError, ValueError)
_COPIED_BYTES = 2**20


@dataclass(frozen=True, slots=True)
class _ArchiveMember:
    name: str
    modified: int
    open: Callable[[], IO[bytes]]


def unpack(source: str, folder: Path, *, on_broken: OnBroken, on_skipped: OnSkipped) -> int:
    """Write the files of an archive into a folder, and return the number of files written.

    Links, devices and members with unsafe names are skipped. Damaged members are passed to `on_broken`.

    Raises:
        BrokenSource: the file is empty or not an archive, contains too many members, or unpacks to too many bytes.
    """
    written = 0
    size = Path(source).stat().st_size
    if not size:
        raise empty(source)
    with Path(source).open("rb") as stream:
        is_zip = stream.read(2) == b"PK" or source.lower().endswith(".zip")
    most = min(MOST_UNPACKED_BYTES, max(LEAST_SUSPECT_BYTES, _MOST_UNPACKED_SHARE * size))
    left = most
    members = _zip_members(source, on_broken, on_skipped) if is_zip else _tar_members(source, on_broken, on_skipped)
    for number, member in enumerate(members, start=1):
        if number > _MOST_MEMBERS:
            raise BrokenSource(f"has more than {_MOST_MEMBERS:,} members", source=source, remedy=_UNPACK)
        place = _place(member.name, source, on_skipped)
        if place is None:
            continue
        try:
            left -= _write(member, folder / place, left)
        except FileExistsError:
            on_broken(_broken_member(source, member.name, "is in the archive twice; the first one was read"))
            continue
        except (NotADirectoryError, IsADirectoryError):
            on_broken(_broken_member(source, member.name, "is listed both as a file and as a folder"))
            continue
        except _DAMAGED as error:
            (folder / place).unlink(missing_ok=True)
            on_broken(_broken_member(source, member.name, f"is damaged: {error_text(error)}"))
            continue
        if left < 0:
            shown = f"{most / 2**30:.0f} GiB" if most >= 2**30 else f"{most // 2**20} MiB"
            share = f"over {_MOST_UNPACKED_SHARE} times its size"
            why = "the most that is unpacked" if most == MOST_UNPACKED_BYTES else share
            raise BrokenSource(f"unpacks to more than {shown}, {why}", source=source, remedy=_UNPACK)
        written += 1
    return written


def _place(name: str, source: str, on_skipped: OnSkipped) -> PurePosixPath | None:
    plain = name.replace("\\", "/")
    path = PurePosixPath(plain)
    shown = f"{source}/{os.fsencode(name).decode('utf-8', 'backslashreplace')}"
    if not path.parts or path.is_absolute() or ".." in path.parts or plain[1:2] == ":":
        on_skipped(f"{shown} (its name points outside the archive)")
    elif not (is_well_formed(plain) and is_storable(plain)) or any(len(os.fsencode(p)) > 255 for p in path.parts):
        on_skipped(f"{shown} (its name is not a valid file name)")
    else:
        return path
    return None


def _write(member: _ArchiveMember, path: Path, left: int) -> int:
    """Write a member and return its size in bytes. A result greater than `left` means that the limit was exceeded."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with member.open() as stream, path.open("xb") as file:
        length = 0
        while part := stream.read(min(_COPIED_BYTES, max(1, left - length + 1))):
            length += len(part)
            if length > left:
                break
            file.write(part)
    os.utime(path, (member.modified, member.modified))
    return length


def _broken_member(source: str, name: str, message: str, *, remedy: str = _UNPACK) -> BrokenSource:
    shown = os.fsencode(name).decode("utf-8", "backslashreplace")
    return BrokenSource(message, source=f"{source}/{shown}", remedy=remedy)


def _zip_members(source: str, on_broken: OnBroken, on_skipped: OnSkipped) -> Iterator[_ArchiveMember]:
    try:
        archive = zipfile.ZipFile(source)
    except _DAMAGED as error:
        raise BrokenSource(f"is not a ZIP archive: {error}", source=source, remedy="Check it with unzip -t.") from error
    with archive:
        if len(archive.infolist()) > _MOST_MEMBERS:
            raise BrokenSource(f"has more than {_MOST_MEMBERS:,} members", source=source, remedy=_UNPACK)
        for info in archive.infolist():
            name = _zip_name(info)
            mode = info.external_attr >> 16
            if info.is_dir():
                continue
            if info.flag_bits & _ENCRYPTED:
                on_broken(_broken_member(source, name, "is encrypted", remedy=_DECRYPT))
            elif mode and stat.S_IFMT(mode) not in (0, stat.S_IFREG):
                on_skipped(f"{source}/{name} (a link or a device)")
            else:
                yield _ArchiveMember(name, _zip_time(info), partial(archive.open, info))


def _zip_name(info: zipfile.ZipInfo) -> str:
    """Return the member's name, decoded as UTF-8 if possible.

    Many programs write names in UTF-8 without declaring it, and zipfile then decodes them as cp437.
    """
    if info.flag_bits & _UTF8_NAME:
        return info.filename
    try:
        return info.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return info.filename


def _zip_time(info: zipfile.ZipInfo) -> int:
    """Return the member's modification time in seconds since 1970. ZIP stores no time zone, so UTC is assumed."""
    try:
        return max(NO_TIME, calendar.timegm(datetime(*info.date_time, tzinfo=UTC).utctimetuple()))
    except ValueError:
        return NO_TIME


def _tar_members(source: str, on_broken: OnBroken, on_skipped: OnSkipped) -> Iterator[_ArchiveMember]:
    try:
        archive = tarfile.open(source, "r|*")  # noqa: SIM115 # the `with` statement below closes it
    except _DAMAGED as error:
        raise BrokenSource(f"is not a tar archive: {error}", source=source, remedy="Check it with tar -t.") from error
    with archive:
        while True:
            try:
                info = archive.next()
            except (*_DAMAGED, OSError) as error:
                on_broken(BrokenSource(f"ends unexpectedly: {error}", source=source, remedy="Download it again."))
                return
            if info is None:
                return
            archive.members = []  # type: ignore[attr-defined] # otherwise tarfile keeps all members in memory
            if info.isdir():
                continue
            if not info.isreg():
                on_skipped(f"{source}/{info.name} (a link or a device)")
                continue
            modified = int(info.mtime) if 0 <= info.mtime < 2**40 else NO_TIME
            yield _ArchiveMember(info.name, modified, partial(_tar_stream, archive, info))


def _tar_stream(archive: tarfile.TarFile, info: tarfile.TarInfo) -> IO[bytes]:
    stream = archive.extractfile(info)
    if stream is None:
        raise tarfile.TarError("has no contents")
    return stream


SUFFIXES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")

_NO_TIME = datetime.fromtimestamp(NO_TIME, UTC)


def _is_archive(source: str) -> bool:
    return source.lower().endswith(SUFFIXES) and not is_folder(source)


class ArchiveLoader:
    """Loader for ZIP and tar archives. A page in `notes.zip` has a source such as `/srv/notes.zip/folder/page.md`."""

    name = "archive"
    isolated = True

    def recognises(self, source: str) -> bool:
        return _is_archive(source)

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Loaded]:
        """Yield the documents, annotations and links from the files inside. Skipped files are not reported."""
        return self.load_container(source, on_broken=on_broken, on_skipped=lambda _: None)

    def load_container(self, source: str, *, on_broken: OnBroken, on_skipped: OnSkipped) -> Iterator[Loaded]:
        """Yield the documents, annotations and links from the files inside. Archives within the archive are skipped."""
        with tempfile.TemporaryDirectory(prefix="overstory-") as name, reading(source):
            folder = Path(name).resolve()
            unpack(source, folder, on_broken=on_broken, on_skipped=on_skipped)
            yield from _UnpackedFiles(address(source), folder, on_broken, on_skipped).items()


class _UnpackedFiles:
    def __init__(self, archive: str, folder: Path, on_broken: OnBroken, on_skipped: OnSkipped) -> None:
        self._folder, self._copy = folder.as_posix(), TemporaryCopy(folder, archive)
        self._on_broken, self._on_skipped = on_broken, on_skipped
        self._holds_archives = False

    def items(self) -> Iterator[Loaded]:
        installed = catalogue()
        others = {name: loader for name, loader in installed.loaders.items() if name != ArchiveLoader.name}
        encoding, on_decoded = fallback()
        read = read_sources(
            [self._folder],
            loader=None,
            on_broken=self._report_broken,
            on_skipped=self._report_skipped,
            installed=Catalogue(others, installed.unusable),
            options=ReadOptions(encoding=encoding),
            on_decoded=lambda decoded: on_decoded(self._copy.renamed_decoded(decoded)),
        )
        yield from map(self._named, read)

    def _named(self, item: Loaded) -> Loaded:
        moved = self._copy.renamed(item)
        if isinstance(moved, Document) and moved.file_metadata.get(MODIFIED) == _NO_TIME:
            known = {key: value for key, value in moved.file_metadata.items() if key != MODIFIED}
            return replace(moved, file_metadata=known)
        return moved

    def _report_broken(self, error: BrokenSource) -> None:
        moved = self._copy.renamed_error(error)
        if error.source == self._folder and self._holds_archives:
            moved = BrokenSource(
                "contains only archives, which are not read inside an archive, and no file that a loader recognises",
                source=moved.source,
                remedy="Unpack it, and load the folder.",
            )
        self._on_broken(moved)

    def _report_skipped(self, what: str) -> None:
        inner = ""
        if _is_archive(what):
            self._holds_archives, inner = True, " (an archive within an archive: unpack it)"
        self._on_skipped(self._copy.address(what) + inner)
