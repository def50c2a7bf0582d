"""The sentences stage: off unless asked for; then its vectors follow from the texts alone, however the corpus grew."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import pytest
from tests.fakes import HashingEmbedder
from tests.passages import CURIE, EINSTEIN, PASSAGES, ULM, OpenCorpus, passage

from overstory.index import sentence_embedding
from overstory.knowledge import Knowledge
from overstory.model import ChunkText, Extraction
from overstory.protocols import Extractor

NIECE = passage("niece", "Eve Curie", "Eve Curie lived. She never met Albert Einstein. Marie Curie went to Ulm.")
NOBODY = passage("nobody", "", "Nothing is said of anybody.")

Vector = tuple[float, ...]


def vectors(knowledge: Knowledge) -> dict[tuple[str, int], Vector]:
    """Those of all sentences, by passage and place."""
    rows, _, _ = knowledge.graph.native_driver().execute_query(
        "MATCH (s:Sentence {corpus: $label})-[:PART_OF]->(c:Chunk)-[:PART_OF]->(d:Document) "
        "RETURN d.source_key AS key, s.seq AS seq, s.embedding AS vector",
        label=knowledge.status().corpus.label,
        database_="neo4j",
    )
    return {(row["key"], row["seq"]): tuple(row["vector"]) for row in rows}


def stages(knowledge: Knowledge) -> set[str]:
    status = knowledge.status()
    return {stage.name for stage in status.stages} | status.pending.keys()


def test_a_corpus_has_sentence_vectors_from_the_day_that_they_are_asked_for_to_that_on_which_they_are_removed(
    open_corpus: OpenCorpus,
) -> None:
    grown, fresh = open_corpus("grown"), open_corpus("fresh")
    grown.ingest_documents([*PASSAGES, NOBODY])
    grown.index()
    before = grown.digest()
    assert not vectors(grown)
    assert "sentences" not in stages(grown)
    assert grown.index(sentences=True).done == ("sentences",)
    assert set(vectors(grown)) == {("einstein", 0), ("einstein", 2), ("ulm", 0), ("ulm", 1), ("danube", 0)} | {
        ("curie", 0),
        ("curie", 2),
    }
    assert grown.digest() == before
    assert not grown.index().done

    grown.ingest_documents([NIECE])
    assert grown.status().pending["sentences"] == 1
    assert "sentences" in grown.index().done
    assert grown.status().pending["sentences"] == 0
    grown.delete_documents(grown.document_id(CURIE.source, CURIE.source_key))
    grown.index()
    fresh.ingest_documents([NIECE, ULM, *(each for each in PASSAGES if each not in (CURIE, ULM)), NOBODY])
    fresh.index(sentences=True)
    assert ("niece", 1) in vectors(grown)
    assert ("niece", 2) in vectors(grown)
    assert vectors(grown) == vectors(fresh)

    assert grown.index(sentences=False).done == ("sentences",)
    assert not vectors(grown)
    assert "sentences" not in stages(grown)
    assert not grown.index().done
    assert not grown.index(sentences=False).done


def test_an_interrupted_run_resumes_and_another_embedder_replaces_all(
    open_corpus: OpenCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sentence_embedding, "CHUNKS_A_BATCH", 1)
    knowledge = open_corpus(embedder=HashingEmbedder(8))
    knowledge.ingest_documents(PASSAGES)
    knowledge.index()
    knowledge.use(embedder=HashingEmbedder(8, fail_after=4))
    with pytest.raises(KeyboardInterrupt):
        knowledge.index(sentences=True)
    some = vectors(knowledge)
    assert 0 < len(some) <= 4
    second = HashingEmbedder(8)
    knowledge.use(embedder=second)
    knowledge.index()  # that they are wanted is remembered
    resumed = vectors(knowledge)
    assert len(second.embedded) == len(resumed) - len(some)
    knowledge.index(sentences=False)
    knowledge.index(sentences=True)
    assert vectors(knowledge) == resumed

    knowledge.use(embedder=HashingEmbedder(16))
    assert knowledge.index(re_embed=True).done == ("embed", "sentences")
    replaced = vectors(knowledge)
    assert replaced.keys() == resumed.keys()
    assert {len(vector) for vector in replaced.values()} == {16}


class WholeTexts:
    """An extractor for which every text is one sentence without names."""

    fingerprint = "whole texts"
    by = "ner"

    def extract(self, chunks: Iterable[ChunkText]) -> Iterator[Extraction]:
        return (Extraction(chunk.id, (0,), (), ()) for chunk in chunks)


def test_a_sentence_keeps_its_vector_where_only_its_place_changes(
    open_corpus: OpenCorpus, models: tuple[object, Extractor]
) -> None:
    embedder = HashingEmbedder(8)
    knowledge = open_corpus(embedder=embedder)
    knowledge.ingest_documents([EINSTEIN, replace(ULM, text="Albert Einstein was born in Ulm.")])
    knowledge.index(sentences=True)
    assert set(vectors(knowledge)) == {("einstein", 0), ("einstein", 2), ("ulm", 0)}
    embedder.embedded.clear()
    knowledge.use(extractor=WholeTexts())
    knowledge.index()
    assert set(vectors(knowledge)) == {("einstein", 0), ("ulm", 0)}
    assert embedder.embedded == [EINSTEIN.text]
