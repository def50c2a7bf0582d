"""What a build leaves in memory for the next one."""

from __future__ import annotations

import gc
import weakref
from typing import cast

import numpy as np

from overstory.graph import GraphClient
from overstory.systems.serag.build_cache import MOST_CHUNKS, Memory, Remembered
from overstory.systems.serag.graph_reads import ReadChunks
from overstory.vectors.nearest import nobody


class Connection:
    """Something that can be held weakly."""


def connection() -> GraphClient:
    return cast("GraphClient", Connection())


def remembered(stamp: str, chunks: int = 1) -> Remembered:
    nothing = np.zeros(0, dtype=np.int64)
    vectors = np.zeros((0, 1), dtype=np.float32)
    read = ReadChunks([""] * chunks, [], nothing, vectors, [], np.zeros(0, dtype=np.bool_))
    return Remembered(stamp, read, nobody(0, 1), {}, {})


def test_what_was_written_last_is_taken_once() -> None:
    memory, here, there = Memory(), connection(), connection()
    memory.keep(here, remembered("first"))
    memory.keep(here, second := remembered("second"))
    assert memory.take(there, "second") is None
    assert memory.take(here, "second") is second
    assert memory.take(here, "second") is None


def test_what_another_process_wrote_over_is_forgotten() -> None:
    memory, here = Memory(), connection()
    memory.keep(here, remembered("mine"))
    assert memory.take(here, "theirs") is None
    assert memory.take(here, "mine") is None


def test_a_large_corpus_is_not_kept_and_none_longer_than_its_connection() -> None:
    memory, here = Memory(), connection()
    memory.keep(here, remembered("large", MOST_CHUNKS + 1))
    assert memory.take(here, "large") is None
    memory.keep(here, kept := remembered("stamp"))
    gone = weakref.ref(here)
    assert kept.stamp == "stamp"
    del here
    gc.collect()
    assert gone() is None
