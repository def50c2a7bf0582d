"""One index run parses a text once, for the extract stage and for SlimRAG; what is lost is parsed again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.counting_pipeline import Counts, counting_pipeline
from tests.fakes import HashingEmbedder
from tests.passages import PASSAGES, OpenCorpus

from overstory.knowledge import Knowledge
from overstory.model import ChunkText, Extraction
from overstory.protocols import Extractor
from overstory.settings import ExtractionSettings, Settings
from overstory.text import make_extractor
from overstory_systems.slimrag.entity_readers import RuleReader

TEXTS = sorted(passage.text for passage in PASSAGES)
QUESTION = "Where was Albert Einstein born?"

OpenCounting = Callable[[], tuple[Knowledge, Counts]]


class PlainExtractor:
    """An extractor of a third party: it has what the protocol asks for, and no more."""

    by = "ner"

    def __init__(self, settings: ExtractionSettings) -> None:
        self._extractor = make_extractor(settings)
        self.fingerprint = "plain:1"

    def extract(self, chunks: Iterable[ChunkText]) -> Iterator[Extraction]:
        return self._extractor.extract(chunks)


@pytest.fixture
def open_counting(open_corpus: OpenCorpus, settings: Settings, tmp_path: Path) -> Iterator[OpenCounting]:
    """Opens a corpus of the passages, whose texts go through a pipeline that counts."""
    name = open_corpus().corpus_name
    opened: list[Knowledge] = []

    def open_one() -> tuple[Knowledge, Counts]:
        path, counts = counting_pipeline(tmp_path, "en_core_web_sm")
        extraction = ExtractionSettings(pipeline=path, processes=1)
        knowledge = Knowledge(name, settings=replace(settings, extraction=extraction))
        opened.append(knowledge)
        knowledge.use(embedder=HashingEmbedder(16))
        knowledge.ingest_documents(PASSAGES)
        return knowledge, counts

    yield open_one
    for knowledge in opened:
        knowledge.close()


def references(knowledge: Knowledge) -> set[tuple[str, int, str, str, str]]:
    """Return the references: document, sentence, entity, kind and words."""
    rows, _, _ = knowledge.graph.native_driver().execute_query(
        "MATCH (d:Document)<-[:PART_OF]-(c:Chunk)<-[:PART_OF]-(s:SlimSentence {corpus: $label})-[r:REFERS_TO]->(e) "
        "RETURN d.source_key AS key, s.seq AS seq, e.name AS name, r.by AS by, r.surface AS surface",
        label=knowledge.status().corpus.label,
        database_="neo4j",
    )
    return {(row["key"], row["seq"], row["name"], row["by"], row["surface"]) for row in rows}


@pytest.mark.slow
def test_an_index_run_parses_each_text_once_and_finds_what_two_runs_find(open_counting: OpenCounting) -> None:
    knowledge, counts = open_counting()
    assert {"extract", "slimrag"} <= set(knowledge.index(systems=["slimrag"]).done)
    assert sorted(counts.texts) == TEXTS
    together, digest = references(knowledge), knowledge.digest()
    assert ("einstein", 1, "Albert Einstein", "coreference", "He") in together

    counts.texts.clear()
    knowledge.search(QUESTION, retriever="slimrag")
    assert counts.texts == [QUESTION]
    assert counts.loads == 1

    counts.texts.clear()
    knowledge.remove_system("slimrag")
    assert knowledge.index(systems=["slimrag"]).done == ("slimrag",)
    assert sorted(counts.texts) == TEXTS  # there was no parse to share
    assert (references(knowledge), knowledge.digest()) == (together, digest)


@pytest.mark.slow
def test_a_run_that_goes_on_after_an_interruption_parses_what_is_left_again(
    open_counting: OpenCounting, shared_corpus: Knowledge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RuleReader, "at_once", 1)
    knowledge, counts = open_counting()
    knowledge.use(embedder=HashingEmbedder(16, fail_after=len(TEXTS) + 12))
    with pytest.raises(KeyboardInterrupt):
        knowledge.index(systems=["slimrag"])
    assert sorted(counts.texts) == TEXTS
    left = knowledge.status().pending["slimrag"]
    assert 0 < left < len(TEXTS)

    counts.texts.clear()
    knowledge.use(embedder=HashingEmbedder(16))
    knowledge.index()
    assert len(counts.texts) == left
    assert references(knowledge) == references(shared_corpus)


def test_with_an_extractor_that_shares_nothing_a_system_parses_for_itself(
    open_corpus: OpenCorpus, shared_corpus: Knowledge
) -> None:
    extractor: Extractor = PlainExtractor(ExtractionSettings(processes=1))
    knowledge = open_corpus(embedder=HashingEmbedder(16))
    knowledge.use(extractor=extractor)
    knowledge.ingest_documents(PASSAGES)
    assert {"extract", "slimrag"} <= set(knowledge.index(systems=["slimrag"]).done)
    assert references(knowledge) == references(shared_corpus)
