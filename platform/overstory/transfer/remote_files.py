"""Shards at addresses like s3://bucket/folder (`sources/stores.py`)."""

from __future__ import annotations

import io
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from overstory.sources.addresses import is_remote
from overstory.sources.stores import store_at, store_faults

FIRST_LINE_BYTES = 4_096
"""Of a shard, its first line among them, which is shorter."""


@contextmanager
def opened(path: str, *, most_bytes: int = -1) -> Generator[BinaryIO]:
    """A file to read. One at an address is fetched before, which is for shards: they fit into memory.

    Args:
        most_bytes: so many are fetched, at least the first line among them; -1 for all.

    Raises:
        OSError: it cannot be read.
        SourceError: its store cannot be used.
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
    """A `ShardFolder` at an address. A file is there when all of it is written: stores of objects know no half ones."""

    def __init__(self, address: str) -> None:
        """
        Raises:
            SourceError: its store cannot be used.
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
            except FileNotFoundError:  # stores of objects know no empty folders
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
