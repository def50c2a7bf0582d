"""Files at addresses like s3://bucket/folder, by fsspec, which is optional as are its packages for each kind of store.

The only module that talks to it: whatever a store raises becomes an error of ours here.
"""

from __future__ import annotations

import io
import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, TextIO

from overstory.errors import ExtraMissing, OverstoryError, SourceError

FIRST_LINE_BYTES = 4_096
"""Of a shard, its first line among them, which is shorter."""

_REMOTE = re.compile(r"(?!neo4j|bolt|https?:)[A-Za-z][A-Za-z0-9+.-]+://.+")


def is_remote(path: str) -> bool:
    """Whether a path is an address that a store of files may have; pages and databases are no files."""
    return _REMOTE.match(path) is not None


@contextmanager
def text_of(path: str, *, most_bytes: int = -1) -> Generator[TextIO]:
    """The lines of a file. One at an address is fetched before, which is for shards: they fit into memory.

    Args:
        most_bytes: so many are fetched, at least the first line among them; -1 for all.

    Raises:
        OSError: it cannot be read.
        SourceError: its store cannot be used.
        ExtraMissing: fsspec is not installed.
    """
    if not is_remote(path):
        with Path(path).open(encoding="utf-8") as lines:
            yield lines
        return
    with _faults(path, passing=FileNotFoundError):
        store, name = _store(path)
        content: bytes = store.cat_file(name, start=None, end=None if most_bytes < 0 else most_bytes)
    yield io.StringIO(content.decode())


class RemoteFolder:
    """A `ShardFolder` at an address. A file is there when all of it is written: stores of objects know no half ones."""

    def __init__(self, address: str) -> None:
        """
        Raises:
            SourceError: its store cannot be used.
            ExtraMissing: fsspec is not installed.
        """
        self.address = address.rstrip("/")
        with _faults(self.address):
            self._store, self._root = _store(self.address)

    def names(self) -> set[str]:
        with _faults(self.address):
            self._store.invalidate_cache()
            try:
                found: list[str] = self._store.ls(self._root, detail=False)
            except FileNotFoundError:  # stores of objects know no empty folders
                return set()
            return {path.rstrip("/").rpartition("/")[2] for path in found if path.strip("/") != self._root.strip("/")}

    def write(self, name: str, lines: Sequence[str]) -> None:
        with _faults(self.path(name)):
            self._store.pipe_file(f"{self._root}/{name}", "".join(f"{line}\n" for line in lines).encode())

    def path(self, name: str) -> str:
        return f"{self.address}/{name}"

    def delete(self, name: str) -> None:
        with suppress(FileNotFoundError), _faults(self.path(name), passing=FileNotFoundError):
            self._store.rm_file(f"{self._root}/{name}")


def _store(address: str) -> tuple[Any, str]:
    """The file system of an address, and the path in it."""
    try:
        core: Any = import_module("fsspec.core")
    except ImportError as error:
        raise ExtraMissing("fsspec", extra="remote") from error
    store, path = core.url_to_fs(address)
    return store, path.rstrip("/")


@contextmanager
def _faults(address: str, *, passing: type[Exception] = OverstoryError) -> Generator[None]:
    try:
        yield
    except (OverstoryError, passing):
        raise
    except Exception as error:  # each store has its own: for names, keys, networks
        raise SourceError(
            f"{address} cannot be used: {type(error).__name__}: {error}",
            remedy="Check the address, and what its store asks for: its package (s3fs for s3://), key and network.",
        ) from error
