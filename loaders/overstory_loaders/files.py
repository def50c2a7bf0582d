"""Names and bytes of files, with errors of the file system converted to ours."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from overstory.errors import BrokenSource, LoaderNotFound, install_command
from overstory.sources.paths import check_opened

WHOLE_FILE_BYTE_LIMIT = 64 * 2**20
"""Maximum bytes of a file that is read as a whole; a book of a thousand pages has a thirtieth of it."""

GUNZIPPED_BYTES = 2**20
"""Bytes that are unpacked at once where only the damage of a compressed file is looked for."""

GZIP_SUFFIX = ".gz"
_GZIP_MAGIC = b"\x1f\x8b"


def address(source: str) -> str:
    """The absolute path with forward slashes, for `Document.source`: the same from every working directory.

    Links are not followed: documents below a link `current` keep their identity when its target changes.
    """
    return Path(os.path.abspath(source)).as_posix()  # noqa: PTH100 # Path.absolute keeps "..", which is another name


def has_suffix(source: str, suffixes: Sequence[str]) -> bool:
    """Whether a file (not a folder) is named so, in any case, with or without a further `.gz`."""
    return Path(source).name.lower().removesuffix(GZIP_SUFFIX).endswith(tuple(suffixes)) and not is_folder(source)


# Path.is_file and Path.is_dir raise for paths in a folder that cannot be entered.
def is_file(source: str | Path) -> bool:
    """Whether there is an accessible file."""
    return os.path.isfile(source)  # noqa: PTH113


def is_folder(source: str | Path) -> bool:
    """Whether there is an accessible folder."""
    return os.path.isdir(source)  # noqa: PTH112


def stem(source: str, suffixes: Sequence[str]) -> str:
    """The file's name without one of some suffixes, as the fallback for a title; other ones belong to the name."""
    name = Path(source).name
    if name.lower().endswith(GZIP_SUFFIX):
        name = name[: -len(GZIP_SUFFIX)]
    found = max((suffix for suffix in suffixes if name.lower().endswith(suffix)), key=len, default="")
    return name[: len(name) - len(found)] or name


FILE_ERRORS = (OSError, EOFError, zlib.error)
"""The exceptions of reading a file, compressed or not."""


def read_head(source: str, size: int) -> bytes:
    """The first bytes of a file, decompressed, as many as can be read."""
    head = b""
    with open_bytes(source) as stream:
        buffered = cast("io.BufferedIOBase", stream)
        try:
            while len(head) < size and (part := buffered.read1(size - len(head))):
                head += part
        except FILE_ERRORS as error:
            if not head:
                raise unreadable(error, source) from error
    return head


def is_damaged_gzip(source: str) -> bool:
    """Whether a file is compressed, and damaged within what is read of a file as a whole."""
    try:
        raw, is_compressed = _opened(source)
        with _Gunzipped(raw) if is_compressed else raw as stream:
            left = WHOLE_FILE_BYTE_LIMIT if is_compressed else 0
            while left > 0 and (part := stream.read(min(left, GUNZIPPED_BYTES))):
                left -= len(part)
    except (gzip.BadGzipFile, EOFError, zlib.error):
        return True
    except (BrokenSource, OSError):
        return False
    return False


def unreadable(error: Exception, source: str, line: int | None = None) -> BrokenSource:
    """The error to raise for one of `FILE_ERRORS`."""
    message, remedy = _reason(error)
    return BrokenSource(message, source=source, line=line, remedy=remedy)


@contextmanager
def reading(source: str) -> Generator[None]:
    """Convert errors of the file system and of compressed data to `BrokenSource`."""
    try:
        yield
    except FILE_ERRORS as error:
        raise unreadable(error, source) from error


def open_bytes(source: str) -> IO[bytes]:
    """The file's bytes as a stream, decompressed if they are gzip (by content, because names may be wrong)."""
    raw, is_compressed = _opened(source)
    return cast("IO[bytes]", _Gunzipped(raw)) if is_compressed else raw  # GzipFile has the same interface


def open_seekable(source: str) -> IO[bytes]:
    """As `open_bytes`, for formats that are read back and forth: what is compressed is unpacked as a whole first."""
    raw, is_compressed = _opened(source)
    if not is_compressed:
        return raw
    with _Gunzipped(raw) as stream:
        return io.BytesIO(_read_whole(cast("IO[bytes]", stream), source))


def _opened(source: str) -> tuple[IO[bytes], bool]:
    """The file's bytes as they are, and whether they are gzip."""
    with reading(source):
        raw = Path(source).open("rb")  # noqa: SIM115 # the caller closes it
        try:
            check_opened(raw, source)
            is_compressed = raw.read(2) == _GZIP_MAGIC
            raw.seek(0)
        except BaseException:
            raw.close()
            raise
    return raw, is_compressed


def read_bytes(source: str, *, limit: int = WHOLE_FILE_BYTE_LIMIT, remedy: str = "") -> bytes:
    """All bytes of a file, decompressed."""
    with open_bytes(source) as stream:
        return _read_whole(stream, source, limit, remedy)


def _read_whole(stream: IO[bytes], source: str, limit: int = WHOLE_FILE_BYTE_LIMIT, remedy: str = "") -> bytes:
    with reading(source):
        data = stream.read(limit + 1)
    if len(data) > limit:
        raise BrokenSource(
            f"has more than {limit // 2**20} MiB, too much to read at once",
            source=source,
            remedy=remedy or "Split it, or turn it into JSON lines: records are read one by one.",
        )
    return data


def empty(source: str, what: str = "") -> BrokenSource:
    """The error for a source without text; `what` adds the reason."""
    return BrokenSource(f"is empty{f': {what}' if what else ''}", source=source, remedy="Leave it out.")


def missing_extra(extra: str, library: str) -> LoaderNotFound:
    """The error for a format whose library is not installed."""
    return LoaderNotFound(f"reading this format needs {library}, which is not installed", remedy=install_command(extra))


def _reason(error: Exception) -> tuple[str, str]:
    match error:
        case FileNotFoundError():
            return "there is no such file", "Check the path."
        case PermissionError():
            return "cannot be read: permission denied", "Check the permissions of the file and of its folders."
        case IsADirectoryError():
            return "is a folder, not a file", "Name a file in it."
        case gzip.BadGzipFile() | EOFError() | zlib.error():
            return f"the compressed data are damaged: {error}", "Check it with gzip -t, or get it again."
        case OSError():
            return f"cannot be read: {error.strerror or error}", ""
        case _:
            return f"cannot be read: {error}", ""


class _Gunzipped(gzip.GzipFile):
    """A GzipFile that also closes the underlying file."""

    def __init__(self, raw: IO[bytes]) -> None:
        super().__init__(fileobj=raw)
        self._raw = raw

    def close(self) -> None:
        super().close()
        self._raw.close()
