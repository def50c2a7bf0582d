"""The Python API on a real Neo4j, as its users write it."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from neo4j.exceptions import DriverError
from tests.passages import CURIE, DANUBE, EINSTEIN, PASSAGES, ULM, OpenCorpus, passage
from tests.sources import pdf_of, write

from overstory import server
from overstory.errors import (
    BrokenSource,
    CorpusNotFound,
    DatabaseUnreachable,
    IndexMissing,
    OverstoryError,
    QuestionError,
    SettingsError,
    SourceError,
)
from overstory.knowledge import Knowledge
from overstory.model import Document
from overstory.progress import Step
from overstory.protocols import Embedder, Extractor
from overstory.settings import Settings

QUESTIONS = {
    "Where was Albert Einstein born?": {"Albert Einstein", "Ulm"},
    "Who discovered polonium?": {"Marie Curie"},
    "Which cities does the Danube flow through?": {"Danube"},
}


def test_texts_documents_and_files_go_in_and_evidence_comes_out(open_corpus: OpenCorpus, tmp_path: Path) -> None:
    (tmp_path / "danube.txt").write_text(DANUBE.text)
    knowledge = open_corpus()
    added = knowledge.ingest_documents([EINSTEIN, "Marie Curie discovered polonium."])
    assert knowledge.ingest(tmp_path / "danube.txt").added == 1
    assert repr(added) == "<LoadReport: 2 added, 0 changed, 0 unchanged; 2 new chunks>"
    assert repr(knowledge.index()) == "<IndexReport: embed, extract, entities, mentions>"
    assert repr(knowledge.index()) == "<IndexReport: nothing to do>"
    evidence = knowledge.search("Who discovered polonium?", k=1)
    assert evidence.hits[0].text == "Marie Curie discovered polonium."
    assert evidence.hits[0].origin in repr(evidence)
    assert "3 documents, 3 chunks" in repr(knowledge.status())
    assert "up to date" in repr(knowledge.status())


def test_a_text_twice_is_one_document(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(EINSTEIN.text)
    assert knowledge.ingest_documents([EINSTEIN.text, EINSTEIN.text]).added == 0
    assert len(list(knowledge.documents())) == 1


def test_a_broken_document_is_named_and_the_rest_goes_in(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    report = knowledge.ingest_documents(["", EINSTEIN])
    assert report.added == 1
    assert "1 broken" in repr(report)
    assert "has no text" in repr(report)
    with pytest.raises(BrokenSource):
        knowledge.ingest_documents("", strict=True)


def test_what_cannot_be_loaded_makes_no_corpus(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    with pytest.raises(SourceError):
        knowledge.ingest_documents([{"text": "Ulm"}])  # type: ignore[list-item] # pyright: ignore
    with pytest.raises(CorpusNotFound):
        knowledge.status()


def test_deleting_takes_ids_or_a_source(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(
        [EINSTEIN, CURIE, passage("a", "", "One.", source="s"), passage("b", "", "2", source="s")]
    )
    assert knowledge.delete_documents(knowledge.document_id(EINSTEIN.source, EINSTEIN.source_key)) == 1
    assert knowledge.delete_documents(source="s") == 2
    assert knowledge.delete_documents(["no such id"]) == 0
    assert [document.source_key for document in knowledge.documents()] == ["curie"]


def test_hits_lead_to_their_documents_and_these_to_pandas(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(
        [
            Document(source="wiki", source_key="7", title="Ulm", text=ULM.text, metadata={"page": 3, "tags": ["city"]}),
            CURIE,
        ]
    )
    knowledge.index()
    evidence = knowledge.search("What is Ulm?", k=2)
    document = knowledge.documents_of(evidence)[evidence.hits[0].document_id]
    assert document.metadata == {"page": 3, "tags": ["city"]}
    frame = knowledge.documents_to_pandas().set_index("source_key")
    assert frame.loc["7", "metadata_page"] == 3
    assert frame.loc["curie", "title"] == "Marie Curie"
    assert evidence.hits[0].metadata == document.metadata
    assert evidence.hits[0].page is None  # what somebody's own "page" counts from is not known
    assert list(evidence.to_pandas()["document_id"]) == [hit.document_id for hit in evidence.hits]


def test_a_hit_in_a_pdf_file_has_its_page_and_its_place_in_the_text(open_corpus: OpenCorpus, tmp_path: Path) -> None:
    knowledge = open_corpus()
    pages = ["Of salt.", "", "The mine of Ulm was closed in 1820. " * 40, "Pepper grew in Malabar."]
    knowledge.ingest(write(tmp_path / "salt.pdf", pdf_of(pages)))
    knowledge.index()
    hits = {hit.text.strip(): hit for hit in knowledge.search("Where did pepper grow?", 50).hits}
    whole = "".join(hit.text for hit in sorted(hits.values(), key=lambda hit: hit.start or 0))
    assert all(whole[hit.start : hit.end] == hit.text for hit in hits.values())
    (pepper,) = (hit for hit in hits.values() if "Malabar" in hit.text)
    mined = [hit for hit in hits.values() if hit.text.lstrip().startswith("The mine")]
    assert {hit.page for hit in mined} == {3}
    assert pepper.page in (3, 4)  # that of its first word
    assert pepper.origin == f"{pepper.source}, page {pepper.page}"
    assert pepper.metadata["pages"] == 4
    assert "page_starts" not in pepper.metadata


@pytest.mark.slow
def test_ten_threads_ask_one_knowledge_at_once(
    settings: Settings, models: tuple[Embedder, Extractor], shared_corpus: Knowledge
) -> None:
    with Knowledge(shared_corpus.corpus_name, settings=settings) as knowledge, ThreadPoolExecutor(10) as threads:
        together = threading.Barrier(10)

        def ask(number: int) -> list[bool]:
            together.wait()  # all of them need a connection, a model and a retriever at the same moment
            titles = [
                ({hit.title for hit in knowledge.search(question, 2).hits}, expected)
                for question, expected in QUESTIONS.items()
            ]
            return [bool(found & expected) for found, expected in titles]

        assert all(all(answers) for answers in threads.map(ask, range(10)))


@pytest.mark.slow
def test_searches_go_on_while_another_thread_loads_and_indexes(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(PASSAGES)
    knowledge.index()
    done = threading.Event()
    under_way: int | None = None  # the run that loads and indexes

    def ask() -> int:
        """Count the searches that began and ended within one run."""
        meanwhile = 0
        while not done.is_set():
            began_in = under_way
            assert knowledge.search("Who discovered polonium?", 1).hits[0].title == "Marie Curie"
            meanwhile += began_in is not None and began_in == under_way
        return meanwhile

    with ThreadPoolExecutor(3) as threads:
        asking = [threads.submit(ask) for _ in range(3)]
        try:
            for number in range(3):
                under_way = number
                knowledge.ingest_documents(passage(str(number), "", f"The river number {number} flows through Bern."))
                knowledge.index()
                under_way = None
        finally:
            done.set()
        assert all(each.result() for each in asking)
    assert knowledge.search("river", 3, retriever="lexical").hits


def test_asynchronous_code_asks_in_a_thread(shared_corpus: Knowledge) -> None:
    async def ask_all() -> list[str]:
        found = await asyncio.gather(*(asyncio.to_thread(shared_corpus.search, each, 1) for each in QUESTIONS))
        return [evidence.hits[0].title for evidence in found]

    assert all(title in expected for title, expected in zip(asyncio.run(ask_all()), QUESTIONS.values(), strict=True))


def test_a_function_hears_of_progress_and_what_it_raises_ends_the_work_that_then_resumes(
    open_corpus: OpenCorpus, settings: Settings, models: tuple[Embedder, Extractor]
) -> None:
    heard: list[Step] = []

    def stop_at_extraction(step: Step) -> None:
        heard.append(step)
        if step.task == "extract":
            raise InterruptedError

    name = open_corpus().corpus_name
    with Knowledge(name, settings=settings, progress=stop_at_extraction) as impatient:
        impatient.use(embedder=models[0], extractor=models[1])
        impatient.ingest_documents(PASSAGES)
        with pytest.raises(InterruptedError):
            impatient.index()
    assert [step.task for step in heard if step.detail is not None] == ["load", "embed"]
    with Knowledge(name, settings=settings) as patient:
        patient.use(embedder=models[0], extractor=models[1])
        assert patient.index().done == ("extract", "entities", "mentions")


def test_a_server_is_named_in_code(shared_corpus: Knowledge, connection: server.Connection) -> None:
    with Knowledge("shared", uri=connection.uri, user=connection.user, password=connection.password) as knowledge:
        assert "shared" in {size.corpus.name for size in knowledge.corpora()}
        assert connection.uri in repr(knowledge)
        assert connection.password not in repr(knowledge)


def test_a_closed_knowledge_opens_again_when_it_is_used(settings: Settings, shared_corpus: Knowledge) -> None:
    knowledge = Knowledge("shared", settings=settings)
    knowledge.close()
    assert knowledge.corpora()
    knowledge.close()
    assert knowledge.search("Who discovered polonium?", 1, retriever="lexical").hits
    knowledge.close()


def test_a_forgotten_knowledge_leaves_the_connection_to_whoever_has_it(
    settings: Settings, shared_corpus: Knowledge
) -> None:
    knowledge = Knowledge("shared", settings=settings)
    graph = knowledge.graph
    del knowledge
    gc.collect()
    assert graph.run("corpus/names", read=True)
    graph.close()


def test_a_forgotten_connection_is_closed_before_the_next_is_opened(
    settings: Settings, shared_corpus: Knowledge
) -> None:
    knowledge = Knowledge("shared", settings=settings)
    driver = knowledge.graph.native_driver()
    del knowledge
    gc.collect()
    driver.verify_connectivity()  # the collector itself closes nothing
    with Knowledge("shared", settings=settings) as another:
        assert another.corpora()
    with pytest.raises(DriverError, match="closed"):
        driver.verify_connectivity()


MISTAKES: dict[str, tuple[Callable[[Knowledge], object], type[OverstoryError], str]] = {
    "empty question": (lambda shared: shared.search(""), QuestionError, "Who wrote Dracula?"),
    "no hits": (lambda shared: shared.search("Ulm", 0), QuestionError, "1 to 1,000"),
    "too many hits": (lambda shared: shared.search("Ulm", 10**9), QuestionError, "1 to 1,000"),
    "retriever": (lambda shared: shared.search("Ulm", retriever="magic"), SettingsError, "hybrid"),
    "corpus": (
        lambda shared: Knowledge("nobody's", settings=shared.settings).search("Ulm"),
        CorpusNotFound,
        "Knowledge.ingest",
    ),
    "address": (lambda _: Knowledge(uri="bolt://127.0.0.1:9", password="x").corpora(), DatabaseUnreachable, "uri="),
    "file": (lambda shared: shared.ingest("no/such/file.txt", strict=True), BrokenSource, "path"),
}


@pytest.mark.parametrize(("mistake", "error", "remedy"), MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_is_answered_with_a_remedy(
    shared_corpus: Knowledge, mistake: Callable[[Knowledge], object], error: type[OverstoryError], remedy: str
) -> None:
    with pytest.raises(error) as caught:
        mistake(shared_corpus)
    assert remedy in caught.value.remedy


def test_asking_before_indexing_says_what_to_call(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(EINSTEIN)
    with pytest.raises(IndexMissing) as caught:
        knowledge.search("Where was Einstein born?", retriever="dense")
    assert "Knowledge.index()" in caught.value.remedy
