"""The folder that contains the shards. It is on this machine or in a file store."""

from __future__ import annotations

import io
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Protocol

from overstory.errors import SourceError
from overstory.sources.paths import is_remote
from overstory.sources.stores import store_at, store_faults
from overstory.whole_files import written_whole

FIRST_LINE_BYTES = 4_096
"""Number of bytes that are read from a shard to get its first line. The first line is always shorter."""


@contextmanager
def opened(path: str, *, most_bytes: int = -1) -> Generator[BinaryIO]:
    """Open a shard for reading. A shard in a store is first downloaded into memory, because shards are small.

    Args:
        path: the path or the address of the shard.
        most_bytes: maximum number of bytes to download; -1 for no limit.

    Raises:
        OSError: the file cannot be read.
        SourceError: the store cannot be accessed.
        ExtraMissing: fsspec is not installed.
    """
    if not is_remote(path):
        with Path(path).open("rb") as lines:
            yield lines
        return
    with store_faults(path, passing=FileNotFoundError):
        store, name = store_at(path)
        content: bytes = store.cat_file(name, start=None, end=None if most_bytes < 0 else most_bytes)
    yield io.BytesIO(content)


class RemoteFolder:
    """A `ShardFolder` in a store. In an object store, a file becomes visible only once it is complete."""

    def __init__(self, address: str) -> None:
        """
        Raises:
            SourceError: the store cannot be accessed.
            ExtraMissing: fsspec is not installed.
        """
        self.address = address.rstrip("/")
        with store_faults(self.address):
            self._store, self._root = store_at(self.address)

    def names(self) -> set[str]:
        with store_faults(self.address):
            self._store.invalidate_cache()
            try:
                found: list[str] = self._store.ls(self._root, detail=False)
            except FileNotFoundError:  # in an object store, an empty folder does not exist
                return set()
            return {path.rstrip("/").rpartition("/")[2] for path in found if path.strip("/") != self._root.strip("/")}

    def write(self, name: str, lines: Sequence[str]) -> None:
        with store_faults(self.path(name)):
            self._store.pipe_file(f"{self._root}/{name}", "".join(f"{line}\n" for line in lines).encode())

    def path(self, name: str) -> str:
        return f"{self.address}/{name}"

    def delete(self, name: str) -> None:
        with suppress(FileNotFoundError), store_faults(self.path(name), passing=FileNotFoundError):
            self._store.rm_file(f"{self._root}/{name}")


class ShardFolder(Protocol):
    """A folder that contains text files, and in which an incomplete file is never visible."""

    address: str
    """Absolute path or address with which any process can open the folder."""

    def names(self) -> set[str]:
        """Return the names of the files in the folder. If the folder does not exist, create it.

        Raises:
            SourceError: the folder cannot be created or read.
        """
        ...

    def write(self, name: str, lines: Sequence[str]) -> None:
        """Write a file that contains these lines.

        Raises:
            SourceError: the file cannot be written.
        """
        ...

    def path(self, name: str) -> str:
        """Return the path or address of a file, which can be passed to `opened`."""
        ...

    def delete(self, name: str) -> None:
        """Delete a file if it exists."""
        ...


def shard_folder(address: str) -> ShardFolder:
    """Return the folder at a path, or at an address in a store that fsspec supports.

    Raises:
        SourceError: the store cannot be accessed.
        ExtraMissing: fsspec is not installed.
    """
    return RemoteFolder(address) if is_remote(address) else LocalFolder(address)


class LocalFolder:
    def __init__(self, address: str) -> None:
        self._folder = Path(address).absolute()
        self.address = str(self._folder)

    def names(self) -> set[str]:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            return {path.name for path in self._folder.iterdir()}
        except OSError as error:
            raise SourceError(
                f"{self._folder} cannot be written: {error.strerror}.", remedy="Name another folder."
            ) from error

    def write(self, name: str, lines: Sequence[str]) -> None:
        try:
            with written_whole(self._folder / name) as out:
                out.writelines(f"{line}\n" for line in lines)
        except OSError as error:
            raise SourceError(
                f"{self._folder / name} cannot be written: {error.strerror}.",
                remedy="Free some space, or name another folder.",
            ) from error

    def path(self, name: str) -> str:
        return str(self._folder / name)

    def delete(self, name: str) -> None:
        (self._folder / name).unlink(missing_ok=True)
