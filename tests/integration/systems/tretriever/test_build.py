"""The build of T-Retriever's index on the real Neo4j: over documents and names, updated, and by the options."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.fakes import HashingEmbedder
from tests.integration.systems.tretriever.films import films_near
from tests.integration.systems.tretriever.oracle import checked, figures_of, read, state_of
from tests.passages import PASSAGES, OpenCorpus, hotpotqa

from overstory.errors import SettingsError
from overstory.knowledge import Knowledge
from overstory.model import Document, Link
from overstory.systems.vector_indexes import SCANNED
from overstory_systems.tretriever.names import NODE

QUESTION = "Which instrument is played by a musician of the band?"
SOURCE = "tests/graph"
GROUPS = {
    "music": ("guitar", "violin", "piano", "trumpet", "drum"),
    "fruit": ("apple", "banana", "cherry", "pear", "plum"),
    "ships": ("frigate", "schooner", "yacht", "ferry", "barge"),
    "stars": ("quasar", "pulsar", "nebula", "comet", "planet"),
}


def vertex(key: str, kind: str) -> Document:
    return Document(SOURCE, key, f"The {key} is one of the {kind}. Every {key} belongs to {kind}.", title=key.title())


def link(source: str, target: str, kind: str = "NEXT_TO") -> Link:
    return Link(SOURCE, source, target, type=kind)


GRAPH = [vertex(key, kind) for kind, keys in GROUPS.items() for key in keys]
LINKS = [
    *(link(one, other) for keys in GROUPS.values() for one, other in itertools.combinations(keys, 2)),
    link("drum", "apple"),
    link("plum", "frigate"),
    link("barge", "quasar"),
]
"""Four groups in which everything is linked to everything, one link from each to the next."""


def keys_of(knowledge: Knowledge, index: dict[str, Any]) -> set[frozenset[str]]:
    """The sets of an index over documents, by the keys of these."""
    key = {document.id: document.source_key for document in knowledge.documents()}
    return {frozenset(key[id_] for id_ in ids) for ids in index["sets"]}


def id_of(knowledge: Knowledge, key: str) -> str:
    return knowledge.document_id(SOURCE, key)


@pytest.mark.slow
def test_documents_with_links_are_grouped_as_the_links_and_the_texts_say(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([*GRAPH, *LINKS])
    knowledge.index(systems=["tretriever"])
    index = checked(knowledge)
    assert {frozenset(keys) for keys in GROUPS.values()} <= keys_of(knowledge, index)
    assert index["members"] == {document.id for document in knowledge.documents()}
    assert index["edges"] == set()  # links are in the graph already
    findings = "MATCH (r:TretrieverSummary {corpus: $label}) UNWIND r.findings AS finding RETURN finding"
    told = [
        row["finding"].partition(": NEXT_TO")[0] for row in read(knowledge, findings) if ": NEXT_TO" in row["finding"]
    ]
    led = {(each.source_key.title(), each.target_key.title()) for each in LINKS}
    assert told
    assert all(tuple(ends.split(" – ")) in led for ends in told)
    assert state_of(knowledge).details["over"] == "documents"
    figures = figures_of(knowledge)
    assert (figures["vertices"], figures["edges"], figures["vertices_without_edge"]) == (20, 43, 0)


@pytest.mark.slow
def test_without_links_the_tree_is_over_names(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(hotpotqa(0, 9))
    knowledge.index(systems=["tretriever"])
    index = checked(knowledge)
    assert state_of(knowledge).details["over"] == "entities"
    assert index["edges"]
    chunks = {row["id"] for row in read(knowledge, "MATCH (c:Chunk {corpus: $label}) RETURN c.id AS id")}
    assert all(edge[3] and set(edge[3]) <= chunks for edge in index["edges"])
    assert knowledge.tree(tree="tretriever").unit == "entity"


def test_links_that_come_later_make_it_a_tree_of_documents(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(GRAPH)
    knowledge.index(systems=["tretriever"])
    assert state_of(knowledge).details["over"] == "entities"
    knowledge.ingest_documents([*GRAPH, *LINKS])
    assert knowledge.status().pending["tretriever"] > 0
    knowledge.index()
    assert {frozenset(keys) for keys in GROUPS.values()} <= keys_of(knowledge, checked(knowledge))
    assert knowledge.tree(tree="tretriever").unit == "document"
    knowledge.index(systems=["tretriever:over=entities"])
    checked(knowledge)
    assert knowledge.tree(tree="tretriever").unit == "entity"


@pytest.mark.slow
def test_loaded_in_another_order_the_index_is_the_same(open_corpus: OpenCorpus, tmp_path: Path) -> None:
    knowledge, films = open_corpus(), films_near(tmp_path)
    knowledge.ingest(films)
    knowledge.index(systems=["tretriever"])
    first = checked(knowledge)
    knowledge.remove_system("tretriever")
    documents = [document.id for document in knowledge.documents()]
    knowledge.delete_documents(documents[::2])
    knowledge.ingest(films)
    knowledge.index(systems=["tretriever"])
    assert checked(knowledge) == first


@pytest.mark.slow
def test_changes_make_the_index_that_a_fresh_build_makes(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([*GRAPH, *LINKS])
    knowledge.index(systems=["tretriever"])
    before, embedded = checked(knowledge), state_of(knowledge).figures["texts_embedded"]
    knowledge.ingest_documents([vertex("flute", "music"), *(link("flute", key) for key in ("guitar", "violin"))])
    knowledge.index()
    assert 0 < state_of(knowledge).figures["texts_embedded"] < embedded
    after = checked(knowledge)
    assert any(set(GROUPS["music"]) | {"flute"} <= keys for keys in keys_of(knowledge, after))
    knowledge.remove_system("tretriever")
    knowledge.index(systems=["tretriever"])
    assert checked(knowledge) == after

    knowledge.delete_documents(id_of(knowledge, "flute"))
    knowledge.index()
    assert checked(knowledge) == before
    assert knowledge.index().done == ()


@pytest.mark.slow
def test_a_changed_link_is_a_change(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([*GRAPH, *LINKS])
    knowledge.index(systems=["tretriever"])
    knowledge.ingest_documents([vertex("comet", "stars"), link("comet", "drum"), link("comet", "piano")])
    assert knowledge.status().pending["tretriever"] == 1
    knowledge.index()
    assert figures_of(knowledge)["edges"] == 44  # one that led on from it is replaced by two
    checked(knowledge)


@pytest.mark.slow
def test_what_was_made_from_a_deleted_document_goes_with_it(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    odd = Document(
        SOURCE, "zither", "The zither of Zorgwald is one of the music. A zither is quixotropic.", title="Zither"
    )
    knowledge.ingest_documents([*GRAPH, *LINKS, odd, *(link("zither", key) for key in GROUPS["music"])])
    knowledge.index(systems=["tretriever"])
    texts = "MATCH (r:TretrieverSummary {corpus: $label}) RETURN r.title + r.summary AS text"
    assert any("zither" in row["text"].casefold() for row in read(knowledge, texts))
    knowledge.delete_documents(id_of(knowledge, "zither"))
    assert not any("zither" in row["text"].casefold() for row in read(knowledge, texts))
    assert next(iter(knowledge.system_reports())).figures["sets_without_summary"] > 0
    evidence = knowledge.search(QUESTION, 5, retriever="tretriever")
    assert not any("zither" in part.text.casefold() for part in evidence.parts)
    knowledge.index()
    checked(knowledge)
    assert next(iter(knowledge.system_reports())).figures["sets_without_summary"] == 0


@pytest.mark.slow
@pytest.mark.changes_schema
def test_enough_nodes_have_a_vector_index(
    open_corpus: OpenCorpus, monkeypatch: pytest.MonkeyPatch, vector_index_from: Callable[[int], None]
) -> None:
    knowledge = open_corpus()
    vector_index_from(20)
    knowledge.ingest_documents([*GRAPH, *LINKS])
    knowledge.index(systems=["tretriever"])
    assert state_of(knowledge).details[SCANNED] == []
    found = knowledge.search("Which fruit is there?", 5, retriever="tretriever")
    knowledge.ingest_documents([vertex("flute", "music"), link("flute", "guitar")])
    knowledge.index()
    assert state_of(knowledge).details[SCANNED] == []
    monkeypatch.undo()
    knowledge.delete_documents(id_of(knowledge, "flute"))
    knowledge.index(systems=["tretriever:height=3"])
    assert state_of(knowledge).details[SCANNED] == [NODE]
    assert {hit.title for hit in found.hits} <= {key.title() for key in GROUPS["fruit"]}


@pytest.mark.slow
def test_options_and_another_embedder_reach_the_index(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([*GRAPH, *LINKS, *PASSAGES])
    knowledge.index(systems=["tretriever:semantic=0"])
    edges_alone = checked(knowledge)
    alone = {id_ for ids in edges_alone["sets"] for id_ in ids if len(ids) > 1}
    assert alone == {id_of(knowledge, key) for keys in GROUPS.values() for key in keys}  # passages have no links
    knowledge.index(systems=["tretriever:defaults,structure=no,height=2"])
    texts_alone = checked(knowledge)
    assert keys_of(knowledge, texts_alone) != keys_of(knowledge, edges_alone)
    with pytest.raises(SettingsError, match="nothing to group by"):
        knowledge.index(systems=["tretriever:semantic=0,structure=no"])
    assert checked(knowledge) == texts_alone
    knowledge.index(systems=["tretriever:defaults,no-edge-weights"])
    checked(knowledge)
    knowledge.use(embedder=HashingEmbedder(32))
    assert knowledge.index(re_embed=True).done[-1] == "tretriever"
    assert {len(stored[2]) for stored in checked(knowledge)["sets"].values()} == {32}


@pytest.mark.parametrize(
    "documents",
    [[], [vertex("one", "alone")], [vertex("one", "two"), vertex("other", "two"), link("one", "other")]],
    ids=["none", "one", "two"],
)
def test_a_corpus_too_small_for_a_tree_has_one_all_the_same(open_corpus: OpenCorpus, documents: list[Any]) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([*documents, vertex("gone", "soon")])
    knowledge.index(systems=["tretriever:over=documents"])
    knowledge.delete_documents(id_of(knowledge, "gone"))
    knowledge.index()
    assert knowledge.status().pending["tretriever"] == 0
    hits = knowledge.search("What is there?", 5, retriever="tretriever").hits
    assert len(hits) == sum(isinstance(each, Document) for each in documents)
