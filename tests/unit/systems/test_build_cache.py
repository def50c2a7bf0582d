"""What a build leaves in memory for the next one."""

from __future__ import annotations

import gc
import weakref
from typing import cast

from overstory.graph import GraphClient
from overstory.systems.build_cache import MOST_UNITS, BuildCache


class Connection:
    """Something that can be held weakly."""


def connection() -> GraphClient:
    return cast("GraphClient", Connection())


def test_what_was_written_last_is_taken_once() -> None:
    cache, here, there = BuildCache[str](), connection(), connection()
    cache.keep(here, "first", "old", units=1)
    cache.keep(here, "second", "new", units=1)
    assert cache.take(there, "second") is None
    assert cache.take(here, "second") == "new"
    assert cache.take(here, "second") is None


def test_another_stamp_finds_nothing_and_forgets_what_there_was() -> None:
    cache, here = BuildCache[str](), connection()
    cache.keep(here, "mine", "build", units=1)
    assert cache.take(here, "another process'") is None
    assert cache.take(here, "mine") is None


def test_a_build_of_too_many_units_is_not_kept() -> None:
    cache, here = BuildCache[str](), connection()
    cache.keep(here, "large", "build", units=MOST_UNITS + 1)
    assert cache.take(here, "large") is None
    cache.keep(here, "fits", "build", units=MOST_UNITS)
    assert cache.take(here, "fits") == "build"


def test_a_connection_that_is_gone_takes_its_build_with_it() -> None:
    class Build:
        pass

    cache, here, build = BuildCache[Build](), connection(), Build()
    alive = weakref.ref(build)
    cache.keep(here, "stamp", build, units=1)
    del here, build
    gc.collect()
    assert alive() is None
