"""Tables in a temporary file."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from overstory.errors import OverstoryError
from overstory.spool import Spool


class Numbers(Spool):
    """Numbers, each once."""

    def __init__(self) -> None:
        super().__init__("numbers (number INTEGER PRIMARY KEY)")

    def add(self, number: int) -> None:
        self._table.execute("INSERT OR IGNORE INTO numbers VALUES (?)", (number,))

    def all(self) -> list[int]:
        return [number for (number,) in self._table.execute("SELECT number FROM numbers ORDER BY number")]

    def overfill(self) -> None:
        """Adds more numbers than its file may have pages for."""
        self._table.execute("PRAGMA max_page_count = 10")
        self._table.executemany("INSERT INTO numbers VALUES (?)", [(number,) for number in range(100_000)])

    def misread(self) -> None:
        self._table.execute("SELECT * FROM letters")


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


CHILD = """
import os, resource, signal, sys
from overstory.errors import OverstoryError
from overstory.spool import Spool

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
try:
    with Spool("texts (text TEXT)", megabytes=0) as texts:
        texts._table.executemany("INSERT INTO texts VALUES (?)", [(str(number) * 1_000,) for number in range(5_000)])
        folder = os.environ["SQLITE_TMPDIR"]
        files = [os.readlink(f"/proc/self/fd/{fd}") for fd in range(3, 20) if os.path.exists(f"/proc/self/fd/{fd}")]
        print("in a file" if any(file.startswith(folder) for file in files) else files, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
except OverstoryError as error:
    print(error, error.remedy)
"""


def spooled(folder: Path, largest_file: int) -> subprocess.CompletedProcess[str]:
    """Fills a spool in a process that may write files of this size."""
    return subprocess.run(
        [sys.executable, "-c", CHILD, str(largest_file)],
        env={**os.environ, "SQLITE_TMPDIR": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.skipif(sys.platform != "linux", reason="looks for open files as Linux lists them")
def test_a_killed_process_leaves_no_file_behind(tmp_path: Path) -> None:
    killed = spooled(tmp_path, 100_000_000)
    assert killed.stdout.strip() == "in a file"
    assert killed.returncode == -signal.SIGKILL
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(sys.platform != "linux", reason="limits the size of files")
def test_a_file_that_cannot_be_written_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    failed = spooled(tmp_path, 100_000)
    assert "disk is full" in failed.stdout
    assert "SQLITE_TMPDIR" in failed.stdout
    assert not list(tmp_path.iterdir())


def test_a_full_disk_is_told_from_other_faults() -> None:
    with pytest.raises(OverstoryError, match="disk is full"), Numbers() as numbers:
        numbers.overfill()
    with pytest.raises(sqlite3.OperationalError, match="no such table"), Numbers() as numbers:
        numbers.misread()
