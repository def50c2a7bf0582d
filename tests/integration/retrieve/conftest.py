from __future__ import annotations

import pytest
from tests.passages import OpenCorpus

from overstory.examples import movie_graph
from overstory.knowledge import Knowledge


@pytest.fixture(scope="module")
def films(open_module_corpus: OpenCorpus) -> Knowledge:
    """A graph of films and people."""
    knowledge = open_module_corpus()
    knowledge.ingest(movie_graph())
    knowledge.index()
    return knowledge
