"""Stores the values of texts that were parsed, for later stages of an index run that need the same parses."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import tempfile
import threading
import zlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from overstory.text.parsing.pipelines import Pipeline
from overstory.text.parsing.readings import Reading, encoded

T = TypeVar("T")


class ParsedTexts:
    """A context manager that stores the values of parsed texts in a temporary file. Several threads can use it at once.

    If a text is not in the file, it is simply parsed again, with the same result. This happens if the text was parsed
    with another pipeline or not at all, or if the file could not be written. The file is deleted as soon as it is open,
    so nothing remains of it even if the process is killed.

    Attributes:
        readings: the readings whose values are stored for each text; empty if no later stage needs any.
    """

    def __init__(self, folder: Path, readings: Sequence[Reading[Any]]) -> None:
        """Remember the folder; the file itself is created by the first `add`.

        Args:
            folder: folder for the file, which grows to the size of the texts: 0.7 GB for a million passages.
        """
        self.readings = tuple(dict.fromkeys(readings))
        self._folder = folder
        self._path: Path | None = None
        self._database: sqlite3.Connection | None = None
        self._ended = False
        self._turn = threading.Lock()

    def add(self, pipeline: Pipeline, text: str, values: Sequence[object]) -> None:
        """Store the values of a text that `pipeline` parsed, one for each of the `readings`, in the same order."""
        rows = [
            (_key(pipeline, reading, text), zlib.compress(encoded(value).encode(), 1))
            for reading, value in zip(self.readings, values, strict=True)
        ]
        with self._turn:
            try:
                database = self._opened()
                if database is not None:
                    database.executemany("INSERT OR IGNORE INTO parsed VALUES (?, ?)", rows)
            except (sqlite3.Error, OSError):  # for example if the disk is full; the texts will be parsed again
                self._end()

    def find(self, pipeline: Pipeline, reading: Reading[T], texts: Sequence[str]) -> list[T | None]:
        """Return the stored value of each text, or None if the text must be parsed."""
        keys = [_key(pipeline, reading, text) for text in texts]
        found = self._read(keys)
        return [reading.decoded(json.loads(zlib.decompress(found[key]))) if key in found else None for key in keys]

    def _read(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        places = ", ".join("?" * len(keys))
        with self._turn:
            if self._database is None:
                return {}
            try:
                return dict(
                    self._database.execute(f"SELECT key, value FROM parsed WHERE key IN ({places})", keys)  # noqa: S608 # only question marks are inserted
                )
            except sqlite3.Error:
                self._end()
                return {}

    def _opened(self) -> sqlite3.Connection | None:
        if self._database is not None or self._ended:
            return self._database
        self._folder.mkdir(parents=True, exist_ok=True)
        number, name = tempfile.mkstemp(prefix="parsed-", suffix=".sqlite3", dir=self._folder)
        os.close(number)
        self._path = Path(name)
        database = self._database = sqlite3.connect(name, isolation_level=None, check_same_thread=False)
        # Only this connection uses the file, so it needs neither a journal nor several transactions.
        database.executescript(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;"
            "CREATE TABLE parsed (key BLOB PRIMARY KEY, value BLOB NOT NULL); BEGIN"
        )
        with suppress(OSError):  # Windows cannot delete an open file; there, `_end` deletes it
            self._path.unlink()
            self._path = None
        return database

    def _end(self) -> None:
        self._ended = True
        if self._database is not None:
            with suppress(sqlite3.Error):
                self._database.close()
            self._database = None
        if self._path is not None:
            with suppress(OSError):
                self._path.unlink()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._turn:
            self._end()


def _key(pipeline: Pipeline, reading: Reading[Any], text: str) -> bytes:
    of = f"{pipeline.folder}\0{pipeline.fingerprint}\0{reading.address}\0{text}"
    return hashlib.blake2b(of.encode("utf-8", "surrogatepass"), digest_size=16).digest()
