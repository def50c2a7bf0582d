"""A hostile file of a megabyte is read, or reported, within memory and CPU time in proportion to it, in every format
whose reader once took more."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.sources import write

MOST_CPU_SECONDS = 60
"""Machines differ; the longest takes ten on one that is not fast. Before it took hours, or all memory."""
MOST_BYTES = 2 * 2**30

READ = """
import resource, sys
resource.setrlimit(resource.RLIMIT_CPU, (int(sys.argv[3]),) * 2)
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[4]),) * 2)
from overstory.sources import catalogue
from overstory.errors import BrokenSource
count = 0
try:
    for _ in catalogue().loaders[sys.argv[1]].load(sys.argv[2], on_broken=print):
        count += 1
except BrokenSource as error:
    print(error)
print(count, "items")
"""

MAIL = "From: a@b\nSubject: "
TYPED = "From: a@b\nSubject: x\nContent-Type: "


@dataclass(frozen=True)
class Case:
    """A file: what it begins with, and what is repeated, `{0}` standing for a number; what the loader says of it."""

    name: str
    before: str
    repeated: str
    said: str = ""
    size: int = 1_000_000

    def text(self) -> str:
        length = len(self.repeated)
        pieces = (self.repeated.replace("{0}", str(number)) for number in range(self.size // length))
        return self.before + "".join(pieces)


TOO_LONG = "too long for its size"
CASES = [
    Case("a.py", "", "\\\n", TOO_LONG),
    Case("a.py", "", "<!--", TOO_LONG),
    Case("a.py", "", "; a=", TOO_LONG),
    Case("a.sh", "", "<<a{0}\n", TOO_LONG, size=300_000),
    Case("a.sh", "", "cat <<-E{0} ", TOO_LONG, size=300_000),
    Case("a.js", "", "->", TOO_LONG),
    Case("a.rb", "", "a\n=\n", TOO_LONG),
    Case("a.eml", MAIL, "=?utf-8?q?a"),
    Case("a.eml", MAIL, "=?utf-8?q?a?= "),
    Case("a.eml", f"{MAIL}x\n", "A{0}: é\n"),
    Case("a.eml", TYPED, "a;"),
    Case("a.eml", f"{TYPED}text/plain", ";a*{0}=b"),
    Case("a.eml", f"{TYPED}multipart/alternative; boundary=b\n\n", "--b\n\n"),
    Case("a.eml", f"{TYPED}text/plain; format=flowed\n\n", "a \n"),
    Case("a.txt", "From: a@b\nSubject: x\n", " a\n"),
]


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.name} {case.before[-8:]!r} {case.repeated!r}")
def test_a_hostile_file_takes_work_in_proportion_to_its_length(case: Case, tmp_path: Path) -> None:
    path = write(tmp_path / case.name, case.text())
    loader = {".eml": "mail", ".txt": "text"}.get(path.suffix, "code")
    limits = (str(MOST_CPU_SECONDS), str(MOST_BYTES))
    command = [sys.executable, "-c", READ, loader, str(path), *limits]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=500)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert case.said in ended.stdout
    assert ended.stdout.endswith("0 items\n" if case.said == TOO_LONG else "1 items\n")
