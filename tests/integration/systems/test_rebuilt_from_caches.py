"""A change to one document builds HiRAG's and T-Retriever's index again, from what was read and written before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.chat_endpoint import Endpoint
from tests.integration.systems.hirag import oracle as hirag
from tests.integration.systems.hirag.test_model import DOCUMENTS, MODEL, NEW, Answering, with_model
from tests.integration.systems.tretriever import oracle as tretriever
from tests.integration.systems.tretriever.test_build import GRAPH, LINKS, link, vertex
from tests.kills import KillableKnowledge
from tests.passages import OpenCorpus

from overstory.model import Document, Link

CORPORA: dict[str, list[Document | Link]] = {"tretriever": [*GRAPH, *LINKS], "hirag": [*DOCUMENTS]}
CHECKED: dict[str, Callable[[KillableKnowledge], Any]] = {"hirag": hirag.checked, "tretriever": tretriever.checked}
ADDED: dict[str, list[Document | Link]] = {
    "hirag": [NEW],
    "tretriever": [vertex("flute", "music"), link("flute", "guitar")],
}
# In other words: a prompt in the same words would be sent again, since its answer is forgotten with the passage that is
# replaced.
CHANGED: dict[str, Document] = {
    "hirag": replace(NEW, text="Gotland is an island of Sweden. Stella ran aground on Gotland."),
    "tretriever": replace(vertex("flute", "music"), text="The flute is a thing of wood and of the music."),
}


def reused(answering: Answering) -> bool:
    """Return True if no prompt was sent twice."""
    return set(answering.answered.values()) == {1}


@pytest.mark.slow
@pytest.mark.parametrize("cache_megabytes", [512, 0], ids=["with a cache of answers", "from the index alone"])
@pytest.mark.parametrize("name", CORPORA)
def test_a_model_is_sent_no_prompt_again_and_the_index_is_that_of_a_fresh_build(
    open_corpus: OpenCorpus, endpoint: Endpoint, tmp_path: Path, name: str, cache_megabytes: int
) -> None:
    endpoint.then = answering = Answering()
    checked = CHECKED[name]
    with with_model(open_corpus(), endpoint, tmp_path, cache_megabytes=cache_megabytes) as knowledge:
        knowledge.ingest_documents(CORPORA[name])
        knowledge.index(systems=[name], model=MODEL)
        first = answering.parts.copy()
        knowledge.ingest_documents(ADDED[name])
        estimate = knowledge.estimate_index()
        knowledge.index()
        asked = answering.parts - first
        assert reused(answering)
        assert estimate.requests >= asked.total() > 0
        assert 0 < estimate.kept <= first.total()
        assert (asked["entities"], asked["relations"]) == ((1, 1) if name == "hirag" else (0, 0))
        knowledge.ingest_documents([CHANGED[name]])
        knowledge.index()
        assert reused(answering) or not cache_megabytes  # the index in use lacks texts of the one before it
        after = checked(knowledge)
        knowledge.remove_system(name)
        knowledge.index(systems=[name], model=MODEL)
        assert checked(knowledge) == after
        assert reused(answering) == bool(cache_megabytes)


@pytest.mark.slow
@pytest.mark.parametrize("name", CORPORA)
def test_readers_see_the_index_before_until_a_killed_rebuild_is_completed(
    open_corpus: OpenCorpus, endpoint: Endpoint, tmp_path: Path, name: str
) -> None:
    endpoint.then = answering = Answering()
    with with_model(open_corpus(), endpoint, tmp_path) as knowledge:
        knowledge.ingest_documents(CORPORA[name])
        knowledge.index(systems=[name], model=MODEL)
        before = knowledge.tree(tree=name, depth=5)
        knowledge.ingest_documents(ADDED[name])
        publishing = "corpus/commit  "  # all was asked for, and all but the switch is written
        with knowledge.graph.killed_at(of=name, last=publishing):
            knowledge.index()
        killed = answering.parts.copy()
        assert knowledge.tree(tree=name, depth=5).size == before.size
        knowledge.index()
        assert answering.parts == killed
        assert CHECKED[name](knowledge)
        assert knowledge.tree(tree=name, depth=5).size > before.size
