"""Tables in a temporary file: what a run notes of each document or record, when memory must not grow with them."""

from __future__ import annotations

import sqlite3
from types import TracebackType
from typing import Self

_FAST = ("PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF", "PRAGMA cache_size = -16384")
"""Nothing of it is needed after a crash."""


class Spool:
    """SQLite tables that are deleted when it is closed. Use it in a `with` block, from one thread at a time.

    A set with the ids of ten million records would take more than a gigabyte of memory.
    """

    def __init__(self, *tables: str) -> None:
        """
        Args:
            tables: each as in `CREATE TABLE`: its name and columns.
        """
        self._table = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        for statement in (*_FAST, *(f"CREATE TABLE {table}" for table in tables), "BEGIN"):
            self._table.execute(statement)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._table.close()
