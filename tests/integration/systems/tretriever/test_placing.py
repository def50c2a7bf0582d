"""Small changes in large graphs are placed near what is there, and the whole is encoded again on request or in time."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.integration.systems.tretriever.oracle import checked, figures_of, state_of, sums
from tests.integration.systems.tretriever.test_build import (
    GRAPH,
    GROUPS,
    LINKS,
    id_of,
    keys_of,
    link,
    vertex,
)
from tests.kills import open_killable
from tests.passages import OpenCorpus, hotpotqa
from tests.stored_vectors import count_vectors

from overstory.graph import read_corpus, writing
from overstory.knowledge import Knowledge
from overstory.model import Document, Link

FLUTE: list[Document | Link] = [vertex("flute", "music"), link("flute", "guitar"), link("flute", "violin")]


def from_scratch(knowledge: Knowledge) -> dict[str, object]:
    knowledge.remove_system("tretriever")
    knowledge.index(systems=["tretriever"])
    return checked(knowledge)


@pytest.mark.slow
def test_a_document_is_placed_beside_its_neighbours_and_goes_again(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([*GRAPH, *LINKS])
    knowledge.index(systems=["tretriever"])
    before, generation = checked(knowledge), state_of(knowledge).generation
    knowledge.ingest_documents(FLUTE)
    told = knowledge.index()
    after = checked(knowledge)
    assert (figures_of(knowledge)["rebuilt"], state_of(knowledge).generation) == (0, generation)
    assert figures_of(knowledge)["vertices_changed"] == state_of(knowledge).placed == 3
    assert figures_of(knowledge)["vertices"] == 21
    assert figures_of(knowledge)["sets"] == len([ids for ids in after["sets"] if len(ids) > 1])
    assert any(set(GROUPS["music"]) | {"flute"} <= keys for keys in keys_of(knowledge, after))
    others = {id_of(knowledge, key) for kind, keys in GROUPS.items() if kind != "music" for key in keys}
    assert all(after["sets"][ids] == stored for ids, stored in before["sets"].items() if set(ids) <= others)
    assert sums(knowledge) == {"size": 0, "volume": pytest.approx(0.0, abs=1e-9)}
    (note,) = (note for note in told.notes if "index --improve" in note)
    assert note.startswith("3 changes were added")
    assert note in knowledge.system_reports()[0].notes

    knowledge.delete_documents(id_of(knowledge, "flute"))
    knowledge.index()
    again = checked(knowledge)
    assert again["members"] == before["members"]
    assert keys_of(knowledge, again) == keys_of(knowledge, before)
    assert sums(knowledge)["size"] == 0
    assert knowledge.index().done == ()


def leftovers(knowledge: Knowledge) -> tuple[int, int, int]:
    """Vectors that nothing uses or a stage awaits, and marks of what deletions took along."""
    graph, corpus = knowledge.graph, read_corpus(knowledge.graph, knowledge.corpus_name)
    counts = count_vectors(graph, corpus)
    labels = [f"{corpus.label}_Parted", f"{corpus.label}_Unreported"]
    query = """
        MATCH (t:TretrieverNode {corpus: $label}) WHERE any(mark IN $marks WHERE mark IN labels(t))
        RETURN count(t) AS marked
    """
    (row,) = graph.native_driver().execute_query(query, label=corpus.label, marks=labels).records
    return counts.unused, counts.awaited, row["marked"]


@pytest.mark.slow
@pytest.mark.changes_schema
def test_no_vector_and_no_mark_is_left_when_a_change_was_placed(open_corpus: OpenCorpus) -> None:
    knowledge = open_killable(open_corpus)
    passages = hotpotqa(0, 60)  # among 36 the changes are more than a fifth, and the index is built again
    knowledge.ingest_documents(passages[:-2])
    knowledge.index(systems=["tretriever"])
    knowledge.ingest_documents(passages[-2:-1])  # the first placed change looks for what a killed build left
    knowledge.index()
    other = Document(passages[3].source, passages[3].source_key, passages[4].text, title=passages[3].title)
    marks: list[int] = []
    for change in (
        lambda: knowledge.ingest_documents(passages[-1:]),
        lambda: knowledge.ingest_documents([other]),
        lambda: knowledge.delete_documents(_id(knowledge)),
    ):
        change()
        marks.append(leftovers(knowledge)[2])
        with knowledge.graph.counted() as written:
            knowledge.index()
        assert "vectors/remove_unused" not in written  # which looks at every vector
        assert figures_of(knowledge)["rebuilt"] == 0
        assert leftovers(knowledge) == (0, 0, 0)
        assert knowledge.system_reports()[0].figures["sets_without_summary"] == 0
    assert marks[0] == 0 < marks[2]


def test_a_deletion_is_not_placed_in_an_index_that_marks_no_deletions(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([*GRAPH, *LINKS, *FLUTE])
    knowledge.index(systems=["tretriever"])
    state = state_of(knowledge)
    earlier = {name: value for name, value in state.details.items() if name != "marked"}
    corpus = read_corpus(knowledge.graph, knowledge.corpus_name)
    with writing(knowledge.graph, corpus, "test") as writer:
        writer.set(system_tretriever=replace(state, details=earlier).as_json())
    knowledge.delete_documents(id_of(knowledge, "flute"))
    knowledge.index()
    assert state_of(knowledge).details["marked"]
    assert figures_of(knowledge)["vertices"] == len(GRAPH)
    checked(knowledge)


@pytest.mark.slow
def test_improved_it_is_what_a_build_from_scratch_makes(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([*GRAPH, *LINKS])
    knowledge.index(systems=["tretriever"])
    generation = state_of(knowledge).generation
    all_embedded = state_of(knowledge).figures["texts_embedded"]
    knowledge.ingest_documents(FLUTE)
    knowledge.index()
    assert 0 < state_of(knowledge).figures["texts_embedded"] < all_embedded
    assert state_of(knowledge).placed > 0
    assert state_of(knowledge).generation == generation
    placed = checked(knowledge)
    assert sums(knowledge)["size"] == 0
    knowledge.index(improve=True)
    assert state_of(knowledge).placed == 0
    assert knowledge.system_reports()[0].notes == ()
    improved = checked(knowledge)
    assert improved["members"] == placed["members"]
    assert improved["edges"] == placed["edges"]
    assert {ids: stored[3] for ids, stored in improved["sets"].items() if len(ids) == 1} == {
        ids: stored[3] for ids, stored in placed["sets"].items() if len(ids) == 1
    }
    again = knowledge.index(improve=True)
    assert again.done == ()
    assert again.notes[-1].startswith("nothing to cluster again")
    assert from_scratch(knowledge) == improved


@pytest.mark.slow
def test_an_index_over_names_stays_whole_when_passages_change_and_go(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    passages = hotpotqa(0, 24)
    knowledge.ingest_documents(passages)
    knowledge.index(systems=["tretriever"])
    other = Document(passages[3].source, passages[3].source_key, passages[4].text, title=passages[3].title)
    for change in (lambda: knowledge.ingest_documents([other]), lambda: knowledge.delete_documents(_id(knowledge))):
        change()
        knowledge.index()
        placed = checked(knowledge)
        assert figures_of(knowledge)["rebuilt"] == 0
        assert sums(knowledge)["size"] == 0
    knowledge.index(improve=True)
    improved = checked(knowledge)
    assert (placed["members"], placed["edges"]) == (improved["members"], improved["edges"])


def _id(knowledge: Knowledge) -> str:
    return next(document.id for document in knowledge.documents())


@pytest.mark.slow
def test_beyond_a_fifth_the_whole_is_encoded_again(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([*GRAPH, *LINKS])
    knowledge.index(systems=["tretriever"])
    generation = state_of(knowledge).generation
    placed: list[int] = []
    for key in ("oak", "elm", "fir", "ash", "yew"):
        knowledge.ingest_documents([vertex(key, "trees"), link(key, "quasar")])
        knowledge.index()
        placed.append(state_of(knowledge).placed)
        checked(knowledge)
    assert placed[0] == 2
    assert 0 in placed
    assert state_of(knowledge).generation > generation
