"""New documents are placed in the index as it is: layer 0 as a build makes it, communities near it."""

from __future__ import annotations

from typing import Any

import pytest
from tests.integration.systems.hirag.oracle import checked, figures_of, state_of
from tests.integration.systems.hirag.test_build import QUESTION, SMALL, hotpotqa, id_of, killed_runs
from tests.passages import OpenCorpus

from overstory.knowledge import Knowledge
from overstory.systems.hirag import build, placing

DOCUMENTS = hotpotqa(0, 40)
MORE = hotpotqa(40, 43)


@pytest.fixture(autouse=True)
def _large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every graph counts as a large one."""
    monkeypatch.setattr(placing, "PLACED_FROM", 1)


def layer_0(index: dict[str, Any]) -> tuple[dict[str, Any], dict[Any, Any]]:
    """Entities without their clusters, and relations."""
    entities = {
        ref: (name, type_, by, vector, said)
        for ref, (name, type_, by, _, vector, said) in index["entities"].items()
        if ref.startswith("0:")
    }
    return entities, {key: each for key, each in index["relations"].items() if key[0] == "HIRAG_RELATED"}


def from_scratch(knowledge: Knowledge) -> dict[str, Any]:
    knowledge.remove_system("hirag")
    knowledge.index(systems=["hirag"])
    return checked(knowledge)


def placed_now(knowledge: Knowledge) -> int:
    return state_of(knowledge).placed


def test_documents_are_placed_one_by_one_and_clustered_again_on_request(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(DOCUMENTS)
    knowledge.index(systems=["hirag"])
    before, generation, placed = checked(knowledge), state_of(knowledge).generation, 0
    after = before
    for document in [SMALL, *MORE]:
        knowledge.ingest_documents([document])
        told = knowledge.index()
        after = checked(knowledge)
        assert (figures_of(knowledge)["rebuilt"], state_of(knowledge).generation) == (0, generation)
        assert placed_now(knowledge) > placed
        placed = placed_now(knowledge)
        (note,) = (note for note in told.notes if "index --improve" in note)
        assert note in knowledge.system_reports()[0].notes
    assert figures_of(knowledge)["entities"] == sum(ref.startswith("0:") for ref in after["entities"])
    assert figures_of(knowledge)["communities"] == len(after["communities"]) - 1
    summaries = {ref for ref in before["entities"] if not ref.startswith("0:")}
    assert {ref for ref in after["entities"] if not ref.startswith("0:")} == summaries
    assert knowledge.search(QUESTION, 5, retriever="hirag").hits
    knowledge.index(improve=True)
    improved = checked(knowledge)
    assert placed_now(knowledge) == 0
    assert layer_0(improved) == layer_0(after)
    assert improved == from_scratch(knowledge)


def test_what_was_placed_is_all_there_or_nothing(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(DOCUMENTS)
    knowledge.index(systems=["hirag"])
    knowledge.ingest_documents([SMALL])
    asked = knowledge.search(QUESTION, 5, retriever="hirag").parts
    moments = [(build, part, False) for part in ("write_graph_in", "write_tree_in", "store_reports_in")]
    for _ in killed_runs(knowledge, moments):
        assert placed_now(knowledge) == 0
        assert knowledge.search(QUESTION, 5, retriever="hirag").parts == asked
    knowledge.index()
    disturbed = checked(knowledge)
    assert placed_now(knowledge) > 0
    knowledge.delete_documents(id_of(knowledge, SMALL))
    knowledge.index()
    checked(knowledge)
    assert placed_now(knowledge) == 0
    assert layer_0(from_scratch(knowledge))[0].keys() < layer_0(disturbed)[0].keys()
