"""The graph of entities on the real Neo4j."""

from __future__ import annotations

import json
from pathlib import Path

from tests.passages import CURIE, DANUBE, EINSTEIN, PASSAGES, ULM, OpenCorpus, passage

from overstory.graph import read_corpus
from overstory.graph.ids import entity_id
from overstory.knowledge import Knowledge
from overstory.systems.entity_graph import DescribedEntity, EntityGraph, read_entity_graph


def graph_of(knowledge: Knowledge) -> EntityGraph:
    label = read_corpus(knowledge.graph, knowledge.corpus_name).label
    return read_entity_graph(knowledge.graph, label)


def by_key(graph: EntityGraph) -> dict[str, DescribedEntity]:
    return {entity.key: entity for entity in graph.entities}


def test_the_graph_is_the_same_however_the_corpus_grew(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    for some in ([CURIE, DANUBE], [ULM], [EINSTEIN]):
        knowledge.ingest_documents(some)
        knowledge.index()
    grown = graph_of(knowledge)
    entities = by_key(grown)
    ulm, einstein = entities["ulm"], entities["albert einstein"]
    assert ulm.description.startswith("Ulm is a city in the German state of Baden-Württemberg.")
    assert (ulm.name, ulm.type) == ("Ulm", "GPE")
    assert ulm.id == entity_id(read_corpus(knowledge.graph, knowledge.corpus_name).label, "ulm")
    assert einstein.chunks
    (tie,) = (each for each in grown.relations if {each.source, each.target} == {ulm.key, einstein.key})
    assert tie.weight > 1.0
    assert "born in Ulm" in tie.description
    assert len(tie.chunks) == 2
    assert [entity.key for entity in grown.entities] == sorted(entity.key for entity in grown.entities)
    ends = [(each.source, each.target) for each in grown.relations]
    assert ends == sorted(ends)
    assert all(source < target for source, target in ends)

    bohr = passage("bohr", "Niels Bohr", "Niels Bohr lived in Copenhagen. Niels Bohr argued with Marie Curie.")
    knowledge.ingest_documents([bohr])
    knowledge.index()
    more = by_key(graph_of(knowledge))
    assert more["niels bohr"].description.startswith("Niels Bohr lived in Copenhagen.")
    assert more["ulm"].description == ulm.description

    knowledge.delete_documents(source=EINSTEIN.source)
    knowledge.ingest_documents(PASSAGES)
    knowledge.index()
    assert graph_of(knowledge) == grown


def test_openie_triples_are_used_where_they_are(open_corpus: OpenCorpus, tmp_path: Path) -> None:
    knowledge = open_corpus()
    texts, triples = tmp_path / "texts.jsonl", tmp_path / "triples.jsonl"
    texts.write_text(
        json.dumps({"_id": "1", "title": "Ulm", "text": "Albert Einstein lived in Bern near Thun."}) + "\n"
    )
    found = {"_id": "1", "entities": ["Albert Einstein", "Bern"], "triples": [["Albert Einstein", "lived in", "Bern"]]}
    triples.write_text(json.dumps(found) + "\n")
    knowledge.ingest(texts)
    knowledge.ingest(triples)
    knowledge.index()
    read = graph_of(knowledge)
    assert {entity.key for entity in read.entities} == {"albert einstein", "bern"}
    (tie,) = read.relations
    assert tie.description == "Albert Einstein lived in Bern"
    assert tie.weight >= 1.0
    assert read.counts["left_out"] >= 1
