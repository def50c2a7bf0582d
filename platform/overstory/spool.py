"""Temporary SQLite tables for data that may exceed memory, such as records of each document of a run.

SQLite keeps the tables in memory until its cache is full, and writes the rest to an unnamed file, which the operating
system deletes when the process ends, even if killed.
"""

from __future__ import annotations

import sqlite3
from types import TracebackType
from typing import Self

from overstory.errors import OverstoryError

_SPOOL_CACHE_MEGABYTES = 16

_FAST = ("PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF", "PRAGMA temp_store = FILE")
"""Settings without crash safety, because the tables are temporary."""

_CANNOT_WRITE = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN}
_PRIMARY_CODE = 0xFF
"""Mask for the primary part of a SQLite error code; the other bits identify the failed call."""


class Spool:
    """Temporary SQLite tables that are deleted on close. Use it in a `with` block, from one thread at a time.

    A Python set with the ids of ten million records would take more than a gigabyte of memory.
    """

    def __init__(self, *tables: str, megabytes: float = _SPOOL_CACHE_MEGABYTES) -> None:
        """Create the tables.

        Args:
            tables: table definitions as in `CREATE TABLE`: name and columns.
            megabytes: size of the memory cache; a sorting statement takes the same amount again.
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
        """Delete the tables.

        Raises:
            OverstoryError: the block failed because the temporary file could not be written.
        """
        self._table.close()
        if isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode & _PRIMARY_CODE in _CANNOT_WRITE:
            raise OverstoryError(
                f"A temporary file could not be written, most often because the disk is full: {error}",
                remedy="Free space on the disk for temporary files, or set SQLITE_TMPDIR to a folder on another disk.",
            ) from error
