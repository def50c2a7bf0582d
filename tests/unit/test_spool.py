"""Tables in a temporary file."""

from __future__ import annotations

import sqlite3
from threading import Thread

import pytest

from overstory.spool import Spool


class Numbers(Spool):
    """Numbers, each once."""

    def __init__(self) -> None:
        super().__init__("numbers (number INTEGER PRIMARY KEY)")

    def add(self, number: int) -> None:
        self._table.execute("INSERT OR IGNORE INTO numbers VALUES (?)", (number,))

    def all(self) -> list[int]:
        return [number for (number,) in self._table.execute("SELECT number FROM numbers ORDER BY number")]


def test_it_is_read_in_another_thread_than_the_one_that_wrote_it() -> None:
    found: list[int] = []
    with Numbers() as numbers:
        for number in (3, 1, 3):
            numbers.add(number)
        reader = Thread(target=lambda: found.extend(numbers.all()))
        reader.start()
        reader.join()
    assert found == [1, 3]


def test_two_share_nothing_and_nothing_is_left_when_one_is_closed() -> None:
    with Numbers() as one, Numbers() as other:
        one.add(1)
        assert other.all() == []
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        one.all()
