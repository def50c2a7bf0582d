"""Temporary SQLite tables for data that may not fit in memory, such as one record for each loaded document.

SQLite keeps the tables in memory until its cache is full, and writes further data to a file without a name. The
operating system deletes this file when the process ends, even if the process is killed.
"""

from __future__ import annotations

import sqlite3
from types import TracebackType
from typing import Self

from overstory.errors import OverstoryError

_SPOOL_CACHE_MEGABYTES = 16

_FAST = ("PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF", "PRAGMA temp_store = FILE")
"""SQLite settings that are fast but not safe against crashes. The tables are temporary, so safety is not needed."""

_CANNOT_WRITE = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN}
_PRIMARY_CODE = 0xFF
"""Mask for the main part of a SQLite error code. The other bits identify the operation that failed."""


class Spool:
    """Temporary SQLite tables, which are deleted at the end of the `with` block.

    Only one thread at a time may use them. Compared with a Python set, they save memory: a set of ten million ids takes
    more than a gigabyte.
    """

    def __init__(self, *tables: str, megabytes: float = _SPOOL_CACHE_MEGABYTES) -> None:
        """Create the tables.

        Args:
            tables: name and columns of each table, as in `CREATE TABLE`.
            megabytes: size of the memory cache. A statement that sorts needs the same amount of memory again.
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
