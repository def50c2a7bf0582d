"""AutoPrunedRetriever's index on the real Neo4j: what it holds, however the corpus grew, and what a change costs."""

from __future__ import annotations

from typing import LiteralString

import pytest
from tests.fakes import HashingEmbedder
from tests.passages import CURIE, DANUBE, EINSTEIN, PASSAGES, SOURCE, ULM, OpenCorpus, passage

from overstory.knowledge import Knowledge
from overstory.model import Annotation, Document
from overstory_systems.apr import AprIndexSettings

BOHR = passage("bohr", "Niels Bohr", "Niels Bohr lived in Copenhagen. He argued with Albert Einstein.")

Run = tuple[str, tuple[str, ...]]
"""The key of its document, and its facts in words, in order."""

RUNS: LiteralString = """
MATCH (d:Document)<-[:PART_OF]-(c:Chunk)<-[:PART_OF]-(r:AprRun {corpus: $label})
RETURN d.source_key, COLLECT {
  MATCH (r)-[at:HAS_EDGE]->(e:AprEdge)
  MATCH (h:AprEntity)<-[:HEAD]-(e)-[:RELATION]->(p:AprRelation) MATCH (e)-[:TAIL]->(t:AprEntity)
  RETURN e.head + '|' + e.relation + '|' + e.tail + '|' + h.key + '|' + p.key + '|' + t.key ORDER BY at.position
}, r.size ORDER BY d.source_key, c.seq, r.seq
"""
SYMBOLS: LiteralString = """
MATCH (s:AprSymbol {corpus: $label})
RETURN s.kind, s.key, s.text, COUNT { (s)<-[:HEAD|RELATION|TAIL]-() }, size(coalesce(s.embedding, [])) > 0
ORDER BY s.kind, s.key
"""


def rows(knowledge: Knowledge, query: LiteralString) -> list[tuple[object, ...]]:
    label = knowledge.status().corpus.label
    found, _, _ = knowledge.graph.native_driver().execute_query(query, label=label, database_=knowledge.graph.database)
    return [tuple(row.values()) for row in found]


def content(knowledge: Knowledge) -> list[tuple[object, ...]]:
    return [*rows(knowledge, RUNS), *rows(knowledge, SYMBOLS)]


def facts(knowledge: Knowledge, key: str) -> list[str]:
    """Return the facts of a document, in order."""
    said: list[str] = []
    for document, edges, size in rows(knowledge, RUNS):
        assert isinstance(edges, list)
        assert len(edges) == size
        if document == key:
            said += ["|".join(edge.split("|")[:3]) for edge in edges]
    return said


def counts(knowledge: Knowledge) -> dict[str, int]:
    """Return the counts of the last build."""
    (stage,) = (stage for stage in knowledge.status().stages if stage.name == "apr")
    return stage.counts


def delete(knowledge: Knowledge, document: Document) -> None:
    knowledge.delete_documents(knowledge.document_id(document.source, document.source_key))


@pytest.fixture(scope="module")
def at_once(open_module_corpus: OpenCorpus) -> Knowledge:
    """A corpus that was loaded as a whole."""
    knowledge = open_module_corpus()
    knowledge.ingest_documents([*PASSAGES, BOHR])
    knowledge.index(systems=["apr"])
    return knowledge


def test_a_passage_becomes_runs_of_its_facts_in_text_order_with_its_subject_for_pronouns(at_once: Knowledge) -> None:
    said = facts(at_once, "einstein")
    assert said[0] == "Albert Einstein|be born in|Ulm"
    assert said[-1] == "Albert Einstein|marry in|1903"
    assert any(fact.startswith("Albert Einstein|work at|") for fact in said)
    assert not any(fact.startswith("He|") for fact in said)
    (report,) = at_once.system_reports()
    assert report.pending == 0
    assert report.figures["texts_embedded"] > 0
    assert {"embed_seconds", "vectors_seconds"} <= report.figures.keys()  # the embedder alone, and looking for vectors
    assert report.figures["facts"] == sum(
        len(facts(at_once, key)) for key in ("einstein", "curie", "ulm", "danube", "bohr")
    )
    assert report.figures["runs"] >= 5
    assert report.figures["edges"] < report.figures["facts"]  # two passages say where Einstein was born


@pytest.mark.slow
def test_a_corpus_that_grew_and_shrank_is_as_one_that_was_loaded_at_once(
    open_corpus: OpenCorpus, at_once: Knowledge
) -> None:
    knowledge = open_corpus()
    extra = passage("extra", "Mount Fuji", "Mount Fuji is a volcano in Japan. Albert Einstein admired Mount Fuji.")
    knowledge.ingest_documents([EINSTEIN, extra, DANUBE])
    knowledge.index(systems=["apr"])
    knowledge.ingest_documents([CURIE, ULM, BOHR])
    knowledge.index()
    assert counts(knowledge)["chunks"] == 3
    assert content(knowledge) != content(at_once)
    delete(knowledge, extra)
    assert content(knowledge) == content(at_once)
    changed = passage("bohr", "Niels Bohr", "Niels Bohr founded an institute in Denmark.")
    knowledge.ingest_documents([changed])
    knowledge.index()
    assert counts(knowledge)["chunks"] == 1
    assert "Niels Bohr|live in|Copenhagen" not in facts(knowledge, "bohr")
    knowledge.ingest_documents([BOHR])
    knowledge.index()
    assert content(knowledge) == content(at_once)


@pytest.mark.slow
def test_triples_are_those_that_were_loaded_or_those_of_rules(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    loaded = (("Danube", "rises in", "Black Forest"), ("It", "ends in", "Black Sea"))
    knowledge.ingest_documents([DANUBE, ULM, Annotation(SOURCE, "danube", ("Danube",), loaded)])
    knowledge.index(systems=["apr"])
    by_rules = facts(knowledge, "ulm")
    assert facts(knowledge, "danube") == ["Danube|rises in|Black Forest", "Danube|ends in|Black Sea"]
    assert "Albert Einstein|be born in|Ulm" in by_rules
    knowledge.index(systems=["apr:triples=loaded"])
    assert (len(facts(knowledge, "danube")), facts(knowledge, "ulm")) == (2, [])
    assert counts(knowledge)["chunks_without_facts"] == 1
    knowledge.index(systems=["apr:triples=rules"])
    assert any(fact.startswith("Danube|flow through|") for fact in facts(knowledge, "danube"))
    assert facts(knowledge, "ulm") == by_rules
    assert not any("Black" in str(key) for _, key, *_ in rows(knowledge, SYMBOLS))


@pytest.mark.slow
def test_other_settings_cost_what_they_change(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(PASSAGES)
    knowledge.index(systems=["apr"])
    symbols, before = rows(knowledge, SYMBOLS), rows(knowledge, RUNS)
    knowledge.index(systems=[AprIndexSettings(cohesion=0.0)])
    assert len(rows(knowledge, RUNS)) == len(PASSAGES)  # everything fits
    assert rows(knowledge, SYMBOLS) == symbols
    assert counts(knowledge)["new_symbols"] == 0  # nothing was embedded again
    knowledge.index(systems=["apr:cohesion=0.7"])
    assert rows(knowledge, RUNS) == before
    knowledge.index(systems=["apr:no-merge"])
    assert counts(knowledge)["chunks"] == 0  # what was read stays
    assert rows(knowledge, RUNS) == before
    assert knowledge.status().pending["apr"] == 0


@pytest.mark.slow
def test_with_another_embedder_all_vectors_are_new_and_what_is_remembered_stays(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus(embedder=HashingEmbedder(16))
    knowledge.ingest_documents(PASSAGES)
    knowledge.index(systems=["apr:cohesion=0"])  # runs that no vector decides
    before = rows(knowledge, RUNS)
    rows(
        knowledge,
        "MATCH (c:Corpus {corpus: $label}) CREATE (:Overstory:AprMemory:$($label):$($label + '_AprMemory') "
        "{id: 'm', corpus: $label, version: 7})",
    )
    knowledge.use(embedder=HashingEmbedder(32))
    assert "apr" in knowledge.index(re_embed=True).done
    assert rows(knowledge, RUNS) == before
    assert rows(knowledge, "MATCH (s:AprEntity {corpus: $label}) RETURN DISTINCT size(s.embedding)") == [(32,)]
    assert rows(knowledge, "MATCH (e:AprEdge {corpus: $label}) RETURN DISTINCT size(e.vector)") == [(64,)]
    assert rows(knowledge, "MATCH (m:AprMemory {corpus: $label}) RETURN m.version") == [(7,)]
    knowledge.remove_system("apr")
    assert (
        rows(knowledge, "MATCH (n {corpus: $label}) WHERE any(l IN labels(n) WHERE l STARTS WITH 'Apr') RETURN n") == []
    )


@pytest.mark.slow
def test_in_a_script_no_pronoun_is_the_episode(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    boat, ebb = "Salt Lane, episode 4: The Borrowed Boat", "Salt Lane, episode 5: Ebb"
    scenes = (
        passage(
            "slipway",
            boat,
            "Scene one. The slipway at dawn. Marta Quill waits beside the winch. She has carried two cans of diesel "
            "from the yard. Joel Penrose arrives with a rope. He has hidden the page. The Kittiwake lies on the "
            "sandbank. Its engine is running. They push the dinghy into the water.",
        ),
        passage(
            "office",
            boat,
            "Scene two. Captain Orme reads the log of the Kittiwake. He finds a missing page. Ines Orme brings him a "
            "cup of tea. The telephone rings. It startles the cat. She lies to her father.",
        ),
        passage(
            "kitchen",
            ebb,
            "Scene one. The kitchen of Marta Quill. Joel Penrose hides the page under the bin. It bears the name of a "
            "buyer in Rotterdam. Inspector Vale knocks at the door. He searches the pantry.",
        ),
    )
    knowledge.ingest_documents([*scenes, CURIE])
    knowledge.index(systems=["apr"])
    said = [fact for key in ("slipway", "office", "kitchen") for fact in facts(knowledge, key)]
    assert said
    assert not [fact for fact in said if "Salt Lane" in fact]
    assert "Captain Orme|find|missing page" in said
    assert "Marie Curie|discover|polonium" in facts(knowledge, "curie")
