"""Small changes are placed in the index as it is: layer 0 as a build makes it, communities near it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from tests.integration.systems.hirag.oracle import checked, figures_of, layer_0, read, state_of, told_of
from tests.integration.systems.hirag.test_build import FESTIVAL, QUESTION, SMALL, id_of
from tests.passages import OpenCorpus, hotpotqa

from overstory.knowledge import Knowledge
from overstory.model import Document
from overstory.systems.entity_graph import by_rules
from overstory_systems.hirag import small_change

DOCUMENTS = hotpotqa(0, 40)
MORE = hotpotqa(40, 43)


def from_scratch(knowledge: Knowledge) -> dict[str, Any]:
    knowledge.remove_system("hirag")
    knowledge.index(systems=["hirag"])
    return checked(knowledge)


def placed_now(knowledge: Knowledge) -> int:
    return state_of(knowledge).placed


@pytest.mark.slow
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


def changed(document: Document, word: str) -> Document:
    return replace(document, text=document.text.replace(".", f", said {word} of Ulm.", 1))


@pytest.mark.slow
def test_deletions_and_changes_are_placed(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([*DOCUMENTS, *MORE, SMALL])
    knowledge.index(systems=["hirag"])
    generation, placed, after = state_of(knowledge).generation, 0, dict[str, Any]()
    for step in range(5):  # a sixth would be beyond a fifth of the entities
        if step % 2:
            knowledge.ingest_documents([changed(DOCUMENTS[7 * step], f"Zorgwald {step}")])
        else:
            knowledge.delete_documents(id_of(knowledge, [*MORE, *DOCUMENTS][step // 2]))
        knowledge.index()
        assert (figures_of(knowledge)["rebuilt"], state_of(knowledge).generation) == (0, generation)
        assert placed_now(knowledge) > placed
        placed = placed_now(knowledge)
        after = checked(knowledge)
        figures = figures_of(knowledge)
        layers = Counter(ref.partition(":")[0] for ref in after["entities"])
        assert figures["entities"] == layers["0"]
        assert figures["layer_1_entities"] == layers["1"]
        assert figures["relations"] == sum(kind == "HIRAG_RELATED" for kind, _, _ in after["relations"])
        assert figures["communities"] == len(after["communities"]) - 1
    assert any("Zorgwald" in str(each) for each in after["entities"].values())
    assert knowledge.search(QUESTION, 5, retriever="hirag").hits
    fresh = from_scratch(knowledge)
    assert layer_0(fresh) == layer_0(after)


@pytest.mark.slow
def test_a_summary_of_what_is_left_takes_the_place_of_a_deleted_one(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([*DOCUMENTS, *MORE])
    knowledge.index(systems=["hirag"])
    before = checked(knowledge)
    cluster = {ref: each[3] for ref, each in before["entities"].items()}
    knowledge.delete_documents(id_of(knowledge, MORE[0]))
    lost = {ref for ref in before["entities"] if ref[0] != "0"} - refs_now(knowledge)
    assert lost
    knowledge.index()
    after = checked(knowledge)
    assert figures_of(knowledge)["clusters_summarised"] > 0
    members = {source for kind, source, target in before["relations"] if kind == "SUMMARIZED_BY" and target in lost}
    summarised = {source for kind, source, _ in after["relations"] if kind == "SUMMARIZED_BY"}
    left = Counter(cluster[ref] for ref in members & after["entities"].keys())
    assert all(ref in summarised for ref in members & after["entities"].keys() if left[cluster[ref]] > 1)
    assert {ref: each[3] for ref, each in after["entities"].items() if ref in members} == {
        ref: cluster[ref] for ref in members if ref in after["entities"]
    }


def test_a_deletion_and_its_undoing_between_two_runs(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([*DOCUMENTS, FESTIVAL])
    knowledge.index(systems=["hirag"])
    before = checked(knowledge)
    knowledge.delete_documents(id_of(knowledge, FESTIVAL))
    knowledge.ingest_documents([FESTIVAL])
    knowledge.index()
    assert placed_now(knowledge) > 0
    assert layer_0(checked(knowledge)) == layer_0(before)


@pytest.mark.slow
def test_what_many_deletions_leave_is_built_again(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([*DOCUMENTS, *MORE])
    knowledge.index(systems=["hirag"])
    knowledge.delete_documents([id_of(knowledge, each) for each in DOCUMENTS[:20]])
    knowledge.index()
    assert placed_now(knowledge) == 0
    assert checked(knowledge) == from_scratch(knowledge)


@pytest.mark.slow
def test_names_that_are_mentioned_everywhere_are_described_again(
    open_corpus: OpenCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of these only some passages are read: what is said of them is near, but nothing of a deleted passage is left."""
    monkeypatch.setattr(by_rules, "MOST_PASSAGES_READ_OF_AN_ENTITY", 2)
    monkeypatch.setattr(small_change, "MOST_CHANGED_TREE_SHARE", 10.0)
    knowledge = open_corpus()
    twice = [replace(document, source_key=f"{document.source_key} again") for document in DOCUMENTS[:12]]
    knowledge.ingest_documents([*DOCUMENTS, *MORE, *(changed(document, "Quixotrope") for document in twice)])
    knowledge.index(systems=["hirag"])
    assert told_of(knowledge, "quixotrope")
    for document in twice:
        knowledge.delete_documents(id_of(knowledge, document))
        knowledge.index()
        assert (figures_of(knowledge)["rebuilt"], placed_now(knowledge) > 0) == (0, True)
        checked(knowledge)
    assert not told_of(knowledge, "quixotrope")


def refs_now(knowledge: Knowledge) -> set[str]:
    return {row["ref"] for row in read(knowledge, "MATCH (e:HiragEntity {corpus: $label}) RETURN e.ref AS ref")}
