"""Inspects file names and reads file contents. File system errors become `BrokenSource`."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import re
import zlib
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from overstory.errors import BrokenSource, LoaderNotFound, install_command
from overstory.sources.paths import check_opened

WHOLE_FILE_BYTE_LIMIT = 64 * 2**20
"""Maximum size in bytes of a file that is read all at once. A thousand-page book takes a thirtieth of this."""

GUNZIPPED_BYTES = 2**20

COMPRESSED_SUFFIXES = (".gz", ".bz2", ".xz")
"""Suffixes of compressed files, which are read as what they contain. Their content decides, not these suffixes."""


def address(source: str) -> str:
    """Return the absolute path with forward slashes, for `Document.source`.

    Symbolic links are not resolved. Documents below one of them therefore keep their identity if its target changes.
    """
    return Path(os.path.abspath(source)).as_posix()  # noqa: PTH100 # Path.absolute would keep ".." in the path


def has_suffix(source: str, suffixes: Sequence[str]) -> bool:
    """Return True if a file (not a folder) has one of the suffixes, ignoring case.

    A suffix of `COMPRESSED_SUFFIXES` may follow.
    """
    return uncompressed_name(source).lower().endswith(tuple(suffixes)) and not is_folder(source)


def uncompressed_name(source: str) -> str:
    """Return the name of a file without one of the `COMPRESSED_SUFFIXES`."""
    name = Path(source).name
    found = next((suffix for suffix in COMPRESSED_SUFFIXES if name.lower().endswith(suffix)), "")
    return name[: len(name) - len(found)]


# `os.path` is used here because Path.is_file and Path.is_dir raise an error if the folder cannot be accessed.
def is_file(source: str | Path) -> bool:
    return os.path.isfile(source)  # noqa: PTH113


def is_folder(source: str | Path) -> bool:
    return os.path.isdir(source)  # noqa: PTH112


def stem(source: str, suffixes: Sequence[str]) -> str:
    """Return the file name without `.gz` or the like, and without its suffix if that is one of the `suffixes`."""
    name = uncompressed_name(source)
    found = max((suffix for suffix in suffixes if name.lower().endswith(suffix)), key=len, default="")
    return name[: len(name) - len(found)] or name


FILE_ERRORS = (OSError, EOFError, zlib.error, lzma.LZMAError)
"""Exceptions that can be raised while a file is read, whether it is compressed or not."""


def read_head(source: str, size: int) -> bytes:
    """Return up to `size` bytes from the beginning of a file, after decompression.

    Return fewer bytes if an error occurs after some bytes have been read.

    Raises:
        BrokenSource: no byte can be read because of an error.
    """
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


def is_damaged_compression(source: str) -> bool:
    """Return True if a file is compressed and damaged. Only the first 64 MiB of its unpacked content are checked."""
    try:
        raw, unpacked = _opened(source)
    except BrokenSource:
        return False
    with raw:
        if unpacked is None:
            return False
        try:
            with unpacked(raw) as stream:
                left = WHOLE_FILE_BYTE_LIMIT
                while left > 0 and (part := stream.read(min(left, GUNZIPPED_BYTES))):
                    left -= len(part)
        except FILE_ERRORS as error:
            return _is_damage(error)
    return False


def unreadable(error: Exception, source: str, line: int | None = None) -> BrokenSource:
    """Convert one of the `FILE_ERRORS` to a `BrokenSource`."""
    message, remedy = _reason(error)
    return BrokenSource(message, source=source, line=line, remedy=remedy)


@contextmanager
def reading(source: str) -> Generator[None]:
    """Convert `FILE_ERRORS` that are raised in the `with` block to `BrokenSource`."""
    try:
        yield
    except FILE_ERRORS as error:
        raise unreadable(error, source) from error


def open_bytes(source: str) -> IO[bytes]:
    """Open a file as a stream of bytes, unpacked if its content is gzip, bzip2 or xz, whatever its name."""
    raw, unpacked = _opened(source)
    return unpacked(raw) if unpacked else raw


def open_seekable(source: str) -> IO[bytes]:
    """Open a file for formats that need random access. A compressed file is decompressed into memory first."""
    raw, unpacked = _opened(source)
    if unpacked is None:
        return raw
    with unpacked(raw) as stream:
        return io.BytesIO(_read_whole(stream, source))


def _opened(source: str) -> tuple[IO[bytes], Callable[[IO[bytes]], IO[bytes]] | None]:
    """Return the raw stream of a file, and the function that unpacks it; None if it is not compressed."""
    with reading(source):
        raw = Path(source).open("rb")  # noqa: SIM115 # the caller closes it
        try:
            check_opened(raw, source)
            head = raw.read(_MAGIC_BYTES)
            raw.seek(0)
        except BaseException:
            raw.close()
            raise
    return raw, next((unpacked for magic, unpacked in _UNPACKED.items() if magic.match(head)), None)


def read_bytes(source: str, *, limit: int = WHOLE_FILE_BYTE_LIMIT, remedy: str = "") -> bytes:
    """Return all bytes of a file, after decompression.

    Args:
        limit: maximum number of bytes after decompression.
        remedy: advice for a file that is larger.

    Raises:
        BrokenSource: the file cannot be read, or is larger than `limit`.
    """
    with open_bytes(source) as stream:
        return _read_whole(stream, source, limit, remedy)


def _read_whole(stream: IO[bytes], source: str, limit: int = WHOLE_FILE_BYTE_LIMIT, remedy: str = "") -> bytes:
    with reading(source):
        data = stream.read(limit + 1)
    if len(data) > limit:
        raise BrokenSource(
            f"has more than {limit // 2**20} MiB, too much to read at once",
            source=source,
            remedy=remedy or "Split it, or convert it to JSON lines, whose records are read one by one.",
        )
    return data


def empty(source: str, what: str = "") -> BrokenSource:
    """Return the error for a source without text. `what` says why it has none."""
    return BrokenSource(f"is empty{f': {what}' if what else ''}", source=source, remedy="Leave it out.")


def missing_extra(extra: str, library: str) -> LoaderNotFound:
    """Return the error for a format whose library is not installed."""
    return LoaderNotFound(f"reading this format needs {library}, which is not installed", remedy=install_command(extra))


def _reason(error: Exception) -> tuple[str, str]:
    match error:
        case FileNotFoundError():
            return "no such file", "Check the path."
        case PermissionError():
            return "cannot be read: permission denied", "Check the permissions of the file and of its folders."
        case IsADirectoryError():
            return "is a folder, not a file", "Name a file in it."
        case _ if _is_damage(error):
            program = "gzip" if isinstance(error, (gzip.BadGzipFile, EOFError, zlib.error)) else "bzip2 or xz"
            return f"the compressed data are damaged: {error}", f"Check it with {program} -t, or download it again."
        case OSError():
            return f"cannot be read: {error.strerror or error}", ""
        case _:
            return f"cannot be read: {error}", ""


def _is_damage(error: Exception) -> bool:
    """Return True for an error in compressed data. bzip2 raises an `OSError` without a number."""
    return isinstance(error, (EOFError, zlib.error, lzma.LZMAError)) or (
        isinstance(error, OSError) and (isinstance(error, gzip.BadGzipFile) or error.errno is None)
    )


class _OwnsFile(io.BufferedIOBase):
    """A stream that also closes the file from which it unpacks."""

    packed: IO[bytes]

    def close(self) -> None:
        super().close()
        self.packed.close()


class _Gunzipped(_OwnsFile, gzip.GzipFile):
    pass


class _Bunzipped(_OwnsFile, bz2.BZ2File):
    pass


class _Unxzipped(_OwnsFile, lzma.LZMAFile):
    pass


def _owning(stream: _OwnsFile, raw: IO[bytes]) -> IO[bytes]:
    stream.packed = raw
    return cast("IO[bytes]", stream)


_MAGIC_BYTES = 10
_UNPACKED: dict[re.Pattern[bytes], Callable[[IO[bytes]], IO[bytes]]] = {
    re.compile(rb"\x1f\x8b"): lambda raw: _owning(_Gunzipped(fileobj=raw), raw),
    re.compile(rb"BZh[1-9]1AY&SY"): lambda raw: _owning(_Bunzipped(raw), raw),
    re.compile(rb"\xfd7zXZ\0"): lambda raw: _owning(_Unxzipped(raw), raw),
}
"""Maps the first bytes of compressed files to the function that unpacks them."""
