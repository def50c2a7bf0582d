"""Fuzz targets: each takes an input, and raises `Finding` if the product fails on it."""

from __future__ import annotations

import resource
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.contract.test_loaders import SAMPLES

from overstory.errors import BrokenSource, FilterError
from overstory.filters import read_filter
from overstory.filters.expression import fulfils
from overstory.model import Document
from overstory.model.metadata import MetadataScalar
from overstory.sources import catalogue
from overstory.sources.loader_runner import LoaderRunner

MAX_CPU_SECONDS = 10
"""Limit for one input of at most 200 kB; ordinary inputs take a thousandth of it."""
INSTALLED = catalogue()
UNEXPECTED = "Report this"
"""In remedies for faults of ours, not of the file."""
FRONT_MATTER = {
    "front-yaml": b"---\ntitle: Salt\nyear: 1895\ntags: [a, b]\nowner: {name: Ada, born: 1815-12-10}\n"
    b"---\n\nSalt is up.\n",
    "front-toml": b'+++\ntitle = "Salt"\nyear = 1895\ntags = ["a"]\n[owner]\nname = "Ada"\n+++\n\nSalt is up.\n',
    "front-json": b'{"title": "Salt", "year": 1895, "tags": ["a"]}\n\nSalt is up.\n',
}
FILTERS = (
    b"author = 'Ada' and year >= 1815",
    b"file ~ 'archive/*' or not (tags in ('a', 'b'))",
    b"date < 2024-02-29 and exists(owner.name)",
    b'`a key` != "x\\"y" and price not in (1, 2.5, -3e4)',
)
METADATA: dict[str, list[MetadataScalar]] = {
    "author": ["Ada"],
    "year": [1815],
    "file": ["archive/a/b.md"],
    "tags": ["a", "c"],
    "price": [2.5],
}


class Finding(Exception):
    """An input on which the product fails."""


def read_file(content: bytes, path: Path) -> None:
    """Read a file; every fault must be reported as one of the file, and what is read must be documents."""
    path.write_bytes(content)
    broken: list[BrokenSource] = []
    loader = INSTALLED.recognising(str(path))
    if loader is None:
        return
    before = cpu_seconds()
    # Without a worker process: its start takes longer than most inputs, and the limits of this process hold.
    loading = LoaderRunner(broken.append, _ignore, _ignore, encoding="")
    try:
        for item in loading.items(str(path), loader):
            if isinstance(item, Document):
                item.text.encode()
    except Exception as error:
        raise Finding(f"{type(error).__name__}: {error}") from error
    for fault in broken:
        if UNEXPECTED in fault.remedy:
            raise Finding(str(fault)) from fault.__cause__
    _check_time(before)


def read_a_filter(content: bytes, _path: Path) -> None:
    """Read a filter, and apply it to metadata."""
    before = cpu_seconds()
    try:
        fulfils(read_filter(content.decode("utf-8", "replace")), METADATA)
    except FilterError:
        pass
    except Exception as error:
        raise Finding(f"{type(error).__name__}: {error}") from error
    _check_time(before)


def _check_time(before: float) -> None:
    taken = cpu_seconds() - before
    if taken > MAX_CPU_SECONDS:
        raise Finding(f"{taken:.0f} s of CPU time")


def cpu_seconds() -> float:
    """CPU time of this process and of those that it started and that have ended."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def _ignore(_heard: object) -> None:
    """Hears of what is no finding."""


@dataclass(frozen=True, slots=True)
class Target:
    """A function that is fuzzed.

    Attributes:
        seeds: valid inputs, by the name of the file that each is written to.
    """

    check: Callable[[bytes, Path], None]
    seeds: dict[str, bytes]


_FILES = {name: content.encode() if isinstance(content, str) else content for name, content in SAMPLES.values()}
_MARKUP = {f"{name}.md": content for name, content in FRONT_MATTER.items()}
_SETTINGS = {
    "a.yaml": FRONT_MATTER["front-yaml"].split(b"---\n")[1],
    "a.toml": FRONT_MATTER["front-toml"].split(b"+++\n")[1],
    "a.json": b'{"title": "Salt", "owner": {"name": "Ada"}, "tags": [1, 2.5, null, true]}',
}

TARGETS = {
    "loaders": Target(read_file, _FILES),
    "front matter": Target(read_file, _MARKUP | _SETTINGS),
    "filters": Target(read_a_filter, {f"{number}.filter": each for number, each in enumerate(FILTERS)}),
}
