"""The summary layers as a tree: entities below what summarises them most strongly, without nodes of its own."""

from __future__ import annotations

from typing import Any, LiteralString

import pytest
from tests.fakes import HashingEmbedder, ScriptedExtractor
from tests.passages import OpenCorpus, passage

from overstory.errors import IndexMissing, QuestionError
from overstory.graph import read_corpus, writing
from overstory.knowledge import Knowledge
from overstory.systems.state import IndexState
from overstory_systems.hirag import HiragIndexSettings

LAYERS: LiteralString = """
MATCH (c:Chunk {corpus: $label}) WITH collect(c) AS chunks
UNWIND $entities AS row
CREATE (e:Overstory:HiragEntity:$($labels) {id: row.id, corpus: $label, derived: 'hirag', generation: 1, ref: row.ref,
  layer: row.layer, name: row.name, type: row.type})
CREATE (e)-[:HAS_DESCRIPTION]->(d:Overstory:HiragDescription:$($described) {id: 'd' + row.id, corpus: $label,
  derived: 'hirag', generation: 1, text: 'About ' + row.name})
WITH d, row, chunks UNWIND chunks[..row.passages] AS c
CREATE (d)-[:STANDS_ON {position: 0}]->(c)
"""
LINKS: LiteralString = """
UNWIND $links AS row
MATCH (m:HiragEntity {corpus: $label, name: row[0]}), (s:HiragEntity {corpus: $label, name: row[1]})
CREATE (m)-[:SUMMARIZED_BY {weight: row[2]}]->(s)
"""
ENTITIES = (
    *(("0:ulm", "Ulm", "GPE"), ("0:bern", "Bern", "GPE"), ("0:rome", "Rome", "GPE"), ("0:paris", "Paris", "GPE")),
    *(("0:dracula", "Dracula", "WORK"), ("1:cities", "Cities", "location"), ("1:capitals", "Capitals", "other")),
    *(("2:places", "Places", "location"), ("1:towns", "Towns", "location")),
)
SUMMARIES = (
    *(("Ulm", "Cities", 0.9), ("Bern", "Cities", 0.6), ("Rome", "Cities", 0.4)),
    *(("Bern", "Capitals", 0.5), ("Rome", "Capitals", 0.8), ("Paris", "Capitals", 0.7), ("Paris", "Towns", 0.7)),
    *(("Cities", "Places", 0.9), ("Capitals", "Places", 0.8), ("Towns", "Places", 0.1)),
)


def ids() -> dict[str, str]:
    """An id for each name."""
    return {name: f"{number:x}{number:x}".ljust(32, "0") for number, (_, name, _) in enumerate(ENTITIES, start=1)}


def write(knowledge: Knowledge, statement: LiteralString, **parameters: object) -> None:
    label = read_corpus(knowledge.graph, knowledge.corpus_name).label
    knowledge.graph.native_driver().execute_query(statement, {"label": label, **parameters}, database_="neo4j")


@pytest.fixture
def layered(open_corpus: OpenCorpus) -> Knowledge:
    """A corpus with three layers, as a language model may summarise them: some members in two clusters' summaries."""
    knowledge = open_corpus(embedder=HashingEmbedder(8), extractor=ScriptedExtractor({}))
    knowledge.ingest_documents([passage("one", "One", "Ulm and Bern."), passage("two", "Two", "Rome and Paris.")])
    knowledge.index()
    corpus = read_corpus(knowledge.graph, knowledge.corpus_name)
    rows: list[dict[str, Any]] = [
        {
            "id": ids()[name],
            "ref": ref,
            "layer": int(ref[0]),
            "name": name,
            "type": kind,
            "passages": 1 + (name == "Ulm"),
        }
        for ref, name, kind in ENTITIES
    ]
    labels = [corpus.label, f"{corpus.label}_HiragEntity"]
    described = [corpus.label, f"{corpus.label}_HiragDescription"]
    write(knowledge, LAYERS, entities=rows, labels=labels, described=described)
    write(knowledge, LINKS, links=SUMMARIES)
    remember(knowledge, HiragIndexSettings())
    return knowledge


def remember(knowledge: Knowledge, settings: HiragIndexSettings) -> None:
    """The state of a finished index."""
    with writing(knowledge.graph, read_corpus(knowledge.graph, knowledge.corpus_name), "test") as writer:
        corpus = writer.corpus
        state = IndexState(settings, embedder=corpus.embedder, built=True, generation=1, read_to=corpus.version)
        writer.set(system_hirag=state.as_json())


def test_an_entity_hangs_below_the_summary_that_it_is_tied_to_most_strongly(layered: Knowledge) -> None:
    tree = layered.tree(tree="hirag-layers", depth=3)
    assert tree.headline == f"Corpus {layered.corpus_name!r}, tree hirag-layers: 4 entities in 1 + 3 communities"
    assert (tree.entropy, tree.community.inside) == (None, None)
    assert "1 entity is in no community" in tree.notes
    [places] = tree.community.communities
    assert (places.id, places.level, places.size, places.below) == (ids()["Places"], 1, 4, 3)
    assert (places.title, places.summary, places.figures) == ("Places (location)", "About Places", "4 entities")
    assert [each.name for each in places.names] == ["Cities", "Capitals", "Towns"]
    below = {each.title: [(member.name, member.type) for member in each.entities] for each in places.communities}
    assert below == {
        "Cities (location)": [("Ulm", "GPE"), ("Bern", "GPE")],
        "Capitals": [("Rome", "GPE"), ("Paris", "GPE")],  # Paris: of equal ones the first by name
        "Towns (location)": [],
    }
    cities = next(each for each in places.communities if each.title.startswith("Cities"))
    assert [member.passages for member in cities.entities] == [2, 1]
    assert (cities.level, cities.size, cities.below) == (2, 2, 2)


def test_one_goes_down_by_the_beginning_of_an_id_and_sees_what_is_above(layered: Knowledge) -> None:
    capitals = layered.tree(ids()["Capitals"][:8], tree="hirag-layers")
    assert capitals.above == (ids()["Places"],)
    assert [member.name for member in capitals.community.entities] == ["Rome", "Paris"]
    with pytest.raises(QuestionError, match="No community has an id"):
        layered.tree(ids()["Ulm"], tree="hirag-layers")  # summarises nothing
    hidden = layered.tree(ids()["Places"], tree="hirag-layers", limit=1).community
    assert (len(hidden.communities), hidden.hidden) == (1, "2 more communities")


def test_a_flat_index_has_no_layers(layered: Knowledge) -> None:
    remember(layered, HiragIndexSettings(flat=True))
    with pytest.raises(IndexMissing, match="has no HiRAG summary layers") as missing:
        layered.tree(tree="hirag-layers")
    assert "--system hirag:no-flat " in missing.value.remedy  # plain "hirag" would keep it flat
