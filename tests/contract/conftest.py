"""Systems in packages of their own, which keep to the same contracts as ours."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from tests.packages import OUTSIDE

from overstory.knowledge import Knowledge


@pytest.fixture(scope="module")
def outside() -> Iterator[None]:
    """Puts the packages where Python finds them and their entry points."""
    sys.path.insert(0, str(OUTSIDE))
    yield
    sys.path.remove(str(OUTSIDE))


@pytest.fixture(scope="module")
def shared_corpus(outside: None, shared_corpus: Knowledge) -> Iterator[Knowledge]:
    """The corpus of all tests, for the time of a module with an index that a package of its own makes."""
    shared_corpus.index(systems=["pagerank"])
    yield shared_corpus
    shared_corpus.remove_system("pagerank")
