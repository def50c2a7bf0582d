"""Tables in a temporary file: what a run notes of each document or record, when memory must not grow with them.

SQLite keeps them in memory until its cache is full, and writes the rest to a file without a name, which the operating
system deletes with the process, killed or not.
"""

from __future__ import annotations

import sqlite3
from types import TracebackType
from typing import Self

from overstory.errors import OverstoryError

_SPOOL_CACHE_MEGABYTES = 16
"""Megabytes that a spool keeps in memory, unless it is made with another number."""

_FAST = ("PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF", "PRAGMA temp_store = FILE")
"""Nothing of it is needed after a crash."""

_CANNOT_WRITE = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN}
_PRIMARY_CODE = 0xFF
"""The bits of an error code that say what happened; further bits say at which call."""


class Spool:
    """SQLite tables that are deleted when it is closed. Use it in a `with` block, from one thread at a time.

    A set with the ids of ten million records would take more than a gigabyte of memory.
    """

    def __init__(self, *tables: str, megabytes: float = _SPOOL_CACHE_MEGABYTES) -> None:
        """
        Args:
            tables: each as in `CREATE TABLE`: its name and columns.
            megabytes: what is kept in memory; a statement that sorts takes as much again.
        """
        self._table = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        cache = f"PRAGMA cache_size = -{max(1, round(megabytes * 1_000_000 / 1024))}"
        for statement in (*_FAST, cache, *(f"CREATE TABLE {table}" for table in tables), "BEGIN"):
            self._table.execute(statement)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """
        Raises:
            OverstoryError: the block ended because its temporary file could not be written.
        """
        self._table.close()
        if isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode & _PRIMARY_CODE in _CANNOT_WRITE:
            raise OverstoryError(
                f"A temporary file could not be written, most often because the disk is full: {error}",
                remedy="Free some space where temporary files are, or name a folder on another disk in SQLITE_TMPDIR.",
            ) from error
