"""SlimRAG on the real Neo4j: what its index holds, however the corpus grew, and what questions get from it."""

from __future__ import annotations

import shlex
from dataclasses import replace

import pytest
from tests.fakes import HashingEmbedder
from tests.kills import open_killable
from tests.passages import CURIE, DANUBE, EINSTEIN, PASSAGES, ULM, OpenCorpus, passage
from tests.stored_vectors import VectorCounts, count_vectors

from overstory.answer import read_within
from overstory.errors import SettingsError
from overstory.knowledge import Knowledge
from overstory.systems import SystemReport
from overstory_systems.slimrag import SlimRagRetrieverSettings
from overstory_systems.slimrag.retriever import NO_NAME_KNOWN, NOTHING_MATCHED

QUESTION = "Where was Albert Einstein born?"
BOHR = passage("bohr", "Niels Bohr", "Niels Bohr lived in Copenhagen. He argued with Albert Einstein.")

Reference = tuple[str, int, str, str]


def references(knowledge: Knowledge) -> set[Reference]:
    """Return the references: document, sentence, entity and kind."""
    rows, _, _ = knowledge.graph.native_driver().execute_query(
        "MATCH (d:Document)<-[:PART_OF]-(c:Chunk)<-[:PART_OF]-(s:SlimSentence {corpus: $label})-[r:REFERS_TO]->(e) "
        "RETURN d.source_key AS key, c.seq * 1000 + s.seq AS seq, e.name AS name, r.by AS by",
        label=knowledge.status().corpus.label,
        database_="neo4j",
    )
    return {(row["key"], row["seq"], row["name"], row["by"]) for row in rows}


def entities(knowledge: Knowledge) -> set[str]:
    rows, _, _ = knowledge.graph.native_driver().execute_query(
        "MATCH (e:SlimEntity {corpus: $label}) RETURN e.name AS name",
        label=knowledge.status().corpus.label,
        database_="neo4j",
    )
    return {row["name"] for row in rows}


def sentences(knowledge: Knowledge) -> list[str]:
    rows, _, _ = knowledge.graph.native_driver().execute_query(
        "MATCH (s:SlimSentence {corpus: $label}) RETURN s.text AS text",
        label=knowledge.status().corpus.label,
        database_="neo4j",
    )
    return [row["text"] for row in rows]


def vectors(knowledge: Knowledge) -> VectorCounts:
    return count_vectors(knowledge.graph, knowledge.status().corpus)


def assert_one_vector_a_text(knowledge: Knowledge) -> None:
    texts = sentences(knowledge)
    assert vectors(knowledge) == VectorCounts(
        vectors=len(set(texts)), uses=len(texts), unused=0, awaited=0, other_embedders=0
    )


def counts(report: SystemReport) -> dict[str, float]:
    """Return the contents of the index, without the costs of its last run."""
    assert {"read_seconds", "embed_seconds", "write_seconds", "texts_embedded"} <= report.figures.keys()
    return {name: value for name, value in report.figures.items() if not name.endswith(("_seconds", "_embedded"))}


@pytest.fixture(scope="module")
def grown(open_module_corpus: OpenCorpus) -> Knowledge:
    """A corpus that was indexed for SlimRAG when it had two documents, and grew."""
    knowledge = open_module_corpus()
    knowledge.ingest_documents([EINSTEIN, BOHR])
    knowledge.index(systems=["slimrag"])
    knowledge.ingest_documents([CURIE, ULM, DANUBE])
    knowledge.index()
    return knowledge


def test_a_corpus_that_grew_and_shrank_is_as_one_that_was_loaded_at_once(
    shared_corpus: Knowledge, grown: Knowledge
) -> None:
    assert grown.status().pending["slimrag"] == 0
    assert "Niels Bohr" in entities(grown)
    grown.delete_documents(grown.document_id(BOHR.source, BOHR.source_key))
    assert references(grown) == references(shared_corpus)
    assert entities(grown) == entities(shared_corpus) == {name for _, _, name, _ in references(grown)}
    (here,) = grown.system_reports()
    (there,) = (report for report in shared_corpus.system_reports() if report.name == "slimrag")
    assert replace(here, figures=counts(here)) == replace(there, figures=counts(there))
    assert here.figures["LLM-RITU"] == 0
    assert here.figures["RITU"] > 1


def test_pronouns_lead_to_the_sentence(shared_corpus: Knowledge) -> None:
    assert ("einstein", 1, "Albert Einstein", "coreference") in references(shared_corpus)
    evidence = shared_corpus.search("Which patent office did Albert Einstein work at?", 2, retriever="slimrag")
    assert evidence.hits[0].source_key == "einstein"
    assert "He worked at the Swiss Patent Office in Bern." in {excerpt.text for excerpt in evidence.excerpts}
    assert "has a sentence that refers to Albert Einstein" in evidence.hits[0].why


def test_the_context_is_short_and_in_the_order_of_its_documents(shared_corpus: Knowledge) -> None:
    evidence = shared_corpus.search("Where were Albert Einstein and Marie Curie born?", 4, retriever="slimrag")
    assert len(evidence.excerpts) <= 10
    assert sum(shared_corpus.embedder.count_tokens([excerpt.text for excerpt in evidence.excerpts])) <= 500
    hits = {hit.chunk_id: hit for hit in evidence.hits}  # each passage is a document of one chunk
    best_first = list(hits)
    places = [
        (best_first.index(excerpt.chunk_id), hits[excerpt.chunk_id].text.index(excerpt.text))
        for excerpt in evidence.excerpts
    ]
    assert places == sorted(places)
    assert {hit.title for hit in evidence.hits} > {"Albert Einstein", "Marie Curie"}
    assert len(places) > len({rank for rank, _ in places}) > 1


def test_a_context_takes_the_best_sentences_that_fit(shared_corpus: Knowledge) -> None:
    settings = SlimRagRetrieverSettings(sentences=3, context_tokens=1)
    (excerpt,) = shared_corpus.search(QUESTION, 3, retriever=settings).excerpts
    assert excerpt.text == "Albert Einstein was born in Ulm."


def test_a_sentence_is_an_excerpt_of_its_passage_also_where_that_is_no_hit(shared_corpus: Knowledge) -> None:
    evidence = shared_corpus.search("Where were Albert Einstein and Marie Curie born?", 1, retriever="slimrag")
    assert {part.kind for part in evidence.parts} == {"excerpt"}
    for excerpt in evidence.excerpts:
        (passage,) = evidence.passages_of(excerpt)
        assert excerpt.text in passage.text
        assert excerpt.documents == (passage.document_id,)
        assert excerpt.score <= evidence.hits[0].score
    beyond = {hit.title for hit in evidence.sources}
    assert beyond
    assert evidence.hits[0].title not in beyond
    read = read_within(2_000, evidence)
    assert [each.title for each in read.items] == [evidence.hits[0].title]  # k says how many passages are read


def test_options_are_named_after_the_retriever(shared_corpus: Knowledge) -> None:
    composite = "Which city is bigger, Ulm or Vienna?"
    apart = shared_corpus.search(composite, 1, retriever="slimrag").hits[0]
    whole = shared_corpus.search(composite, 1, retriever="slimrag:whole").hits[0]
    assert apart.title == whole.title == "Danube"
    assert apart.reasons[0].detail.endswith("× 4, for Ulm, Vienna, Budapest, Belgrade")
    # the Danube is like "Ulm or Vienna"
    assert whole.reasons[0].detail.endswith("× 5, for Ulm, Vienna, Budapest, Belgrade, Danube")
    with pytest.raises(SettingsError, match="'wide'"):
        shared_corpus.search(QUESTION, 3, retriever="slimrag:wide")


def test_a_question_that_names_nothing_is_answered_by_meaning_and_says_so(shared_corpus: Knowledge) -> None:
    evidence = shared_corpus.search("who was it?", 2, retriever="slimrag")
    assert len(evidence.hits) == 2
    assert NOTHING_MATCHED in evidence.notes
    assert evidence.excerpts


def test_a_question_on_an_unknown_name_says_that_others_were_taken(shared_corpus: Knowledge) -> None:
    notes = shared_corpus.search("What does the Zorblax Foundation do?", 2, retriever="slimrag").notes
    assert NO_NAME_KNOWN.format("Zorblax Foundation") in notes
    assert shared_corpus.search("What is Ulm?", 2, retriever="slimrag").notes == ()


@pytest.mark.slow
def test_changed_documents_options_and_another_embedder_reach_the_index(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(PASSAGES)
    knowledge.index(systems=["slimrag"])
    changed = replace(CURIE, text="Marie Curie was born in Warsaw. She died in Passy.")
    knowledge.ingest_documents([changed])
    assert knowledge.status().pending["slimrag"] == 1
    (note,) = knowledge.search(QUESTION, 1, retriever="slimrag").notes
    assert note.startswith("1 of 4 documents")
    assert note.endswith(f"overstory index --corpus {shlex.quote(knowledge.corpus_name)}")
    assert "slimrag" in knowledge.index().done
    assert "polonium" not in entities(knowledge)
    assert ("curie", 1, "Marie Curie", "coreference") in references(knowledge)
    assert_one_vector_a_text(knowledge)

    assert knowledge.index(systems=["slimrag:no-coreference"]).done == ("slimrag",)
    assert {by for _, _, _, by in references(knowledge)} == {"text"}
    assert not knowledge.index(systems=["slimrag"]).done  # keeps to what it has

    knowledge.use(embedder=HashingEmbedder(32))
    assert "slimrag" in knowledge.index(re_embed=True).done
    assert knowledge.search(QUESTION, retriever="slimrag").hits[0].source_key in {"einstein", "ulm"}
    assert_one_vector_a_text(knowledge)
    knowledge.remove_system("slimrag")
    assert vectors(knowledge).vectors == 0


@pytest.mark.slow
def test_equal_sentences_share_a_vector_which_goes_with_the_last_of_them(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus(embedder=HashingEmbedder(16))
    shared = "Albert Einstein lived in Ulm."
    first = passage("first", "First", f"{shared} He left early.")
    second = passage("second", "Second", f"{shared} He came back late.")
    knowledge.ingest_documents([first, second])
    knowledge.index(systems=["slimrag"])
    assert sentences(knowledge).count(shared) == 2
    assert_one_vector_a_text(knowledge)
    before = vectors(knowledge)
    assert before.vectors == before.uses - 1
    knowledge.delete_documents(knowledge.document_id(first.source, first.source_key))
    assert sentences(knowledge).count(shared) == 1
    assert_one_vector_a_text(knowledge)
    knowledge.delete_documents(knowledge.document_id(second.source, second.source_key))
    assert vectors(knowledge).vectors == 0


def test_sentences_that_are_read_again_are_not_embedded_again(open_corpus: OpenCorpus) -> None:
    embedder = HashingEmbedder(16)
    knowledge = open_corpus(embedder=embedder)
    knowledge.ingest_documents(PASSAGES)
    knowledge.index(systems=["slimrag"])
    assert set(sentences(knowledge)) <= set(embedder.embedded)
    embedder.embedded.clear()
    assert knowledge.index(systems=["slimrag:no-coreference"]).done == ("slimrag",)
    assert {by for _, _, _, by in references(knowledge)} == {"text"}
    assert not set(sentences(knowledge)) & set(embedder.embedded)
    assert_one_vector_a_text(knowledge)


def test_another_embedder_after_an_interrupted_run_leaves_no_vector_of_the_first(open_corpus: OpenCorpus) -> None:
    knowledge = open_killable(open_corpus, embedder=HashingEmbedder(16))
    knowledge.ingest_documents(PASSAGES)
    with knowledge.graph.killed_at(last="vectors/settle_awaited"):
        knowledge.index(systems=["slimrag"])
    assert entities(knowledge)
    knowledge.use(embedder=HashingEmbedder(32))
    assert "slimrag" in knowledge.index(re_embed=True).done
    rows, _, _ = knowledge.graph.native_driver().execute_query(
        "MATCH (e:SlimEntity {corpus: $label}) RETURN DISTINCT size(e.embedding) AS dimension",
        label=knowledge.status().corpus.label,
        database_="neo4j",
    )
    assert [row["dimension"] for row in rows] == [32]
    assert_one_vector_a_text(knowledge)


def test_a_model_without_a_system_that_reads_with_it_is_refused(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus(embedder=HashingEmbedder(16))
    knowledge.ingest_documents([ULM])
    with pytest.raises(SettingsError, match="No system"):
        knowledge.index(model="local")
