"""Documents larger than a transaction: readers never see half of a new one, and a killed run loses nothing."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.fakes import HashingEmbedder, ScriptedExtractor
from tests.kills import KillableKnowledge, open_killable
from tests.passages import OpenCorpus
from tests.sources import write

from overstory.index.ledger import corpus_counts
from overstory.knowledge import Knowledge

NAMES: dict[str, str] = {"Anna": "PERSON", "Bert": "PERSON", "Rome": "PLACE", "Ulm": "PLACE"}
QUESTION = "Who went to Rome, and what is Ulm?"
RETRIEVERS = ("lexical", "dense", "hybrid", "canopy")
AT_A_TIME = 3


@pytest.fixture(autouse=True)
def _small(removed_at_a_time: Callable[[int], None], written_at_a_time: Callable[[int], None]) -> None:
    removed_at_a_time(2)
    written_at_a_time(AT_A_TIME)


def pages(*names: str) -> str:
    """Markdown of a section for each name."""
    return "\n".join(
        f"# Section {n}\n\n{name} went to Rome. {name} loves Rome. Ulm {n}.\n" for n, name in enumerate(names)
    )


LARGE = pages(*["Anna", "Bert"] * 4, "Anna")
OTHER = pages("Bert", *["Anna", "Bert"] * 3, "Carl", "Carl", "Anna")


def opened(open_corpus: OpenCorpus, name: str = "corpus") -> KillableKnowledge:
    return open_killable(open_corpus, name, embedder=HashingEmbedder(8), extractor=ScriptedExtractor(NAMES))


def with_small_one(knowledge: Knowledge, folder: Path) -> str:
    """Loads and indexes a small document; the digest of it."""
    write(folder / "small.txt", "Ulm is a town. Anna loves Ulm.")
    knowledge.ingest(folder)
    knowledge.index()
    return knowledge.digest()


def assert_only_the_small_one_is_there(knowledge: Knowledge) -> None:
    assert [document.source.rpartition("/")[2] for document in knowledge.documents()] == ["small.txt"]
    assert knowledge.count_documents() == 1
    status = knowledge.status()
    assert (status.counts["documents"], status.counts["chunks"]) == (1, 1)
    for retriever in RETRIEVERS:
        found = knowledge.search(QUESTION, 5, retriever=retriever)
        assert [hit.text for hit in found.hits] == ["Ulm is a town. Anna loves Ulm."], retriever
        assert not any("disabled" in note for note in found.notes)


def fresh_digest(open_corpus: OpenCorpus, folder: Path) -> str:
    """Return the digest of a corpus into which the folder was loaded, each document in one transaction."""
    fresh = opened(open_corpus, "fresh")
    fresh.ingest(folder)
    fresh.index()
    return fresh.digest()


def test_a_document_in_several_transactions_is_that_of_one(
    open_corpus: OpenCorpus, tmp_path: Path, written_at_a_time: Callable[[int], None]
) -> None:
    write(tmp_path / "large.md", LARGE)
    write(tmp_path / "small.txt", "Ulm is a town.")
    knowledge = opened(open_corpus)
    with knowledge.graph.counted("load") as written:
        report = knowledge.ingest(tmp_path)
    assert (report.added, report.chunks) == (2, 10)
    assert written.count("load") == 1 + 9 // AT_A_TIME + 1  # the small one, the parts, the end
    knowledge.index()
    written_at_a_time(100)
    assert knowledge.digest() == fresh_digest(open_corpus, tmp_path)
    assert knowledge.ingest(tmp_path).unchanged == 2


@pytest.mark.slow
def test_a_load_that_is_killed_at_any_write_shows_nothing_of_a_large_document_and_begins_it_again(
    open_corpus: OpenCorpus, tmp_path: Path
) -> None:
    draw = random.Random(5)  # noqa: S311 # the same every time
    knowledge = opened(open_corpus)
    digest = with_small_one(knowledge, tmp_path)
    write(tmp_path / "large.md", LARGE)
    for fatal in range(1, 1 + 9 // AT_A_TIME + 1):  # the third part, and the end, among them
        with knowledge.graph.killed_at(1 + fatal, of="load"):  # the first is the ledger's
            knowledge.ingest(tmp_path)
        assert_only_the_small_one_is_there(knowledge)
        if draw.random() < 0.5:
            assert knowledge.index().done == ()
            assert knowledge.digest() == digest
    report = knowledge.ingest(tmp_path)
    assert (report.added, report.unchanged) == (1, 1)
    knowledge.index()
    assert knowledge.digest() == fresh_digest(open_corpus, tmp_path)


def test_what_is_left_of_a_killed_load_goes_with_the_next_run_whatever_it_does(
    open_corpus: OpenCorpus, tmp_path: Path
) -> None:
    knowledge = opened(open_corpus)
    digest = with_small_one(knowledge, tmp_path / "docs")
    write(tmp_path / "large.md", LARGE)
    for run in (
        knowledge.index,
        lambda: knowledge.delete_documents("0" * 64),
        lambda: knowledge.ingest(tmp_path / "docs"),
    ):
        with knowledge.graph.killed_at(4, of="load"):
            knowledge.ingest(tmp_path / "large.md")
        assert chunks_of(knowledge) == 1 + 2 * AT_A_TIME
        run()
        assert chunks_of(knowledge) == 1
        assert knowledge.digest() == digest


def chunks_of(knowledge: KillableKnowledge) -> int:
    """All of them, those of unfinished documents among them."""
    return corpus_counts(knowledge.graph, knowledge.status().corpus.label).chunks


@pytest.mark.slow
def test_a_restore_that_is_killed_at_any_write_shows_nothing_of_a_large_document_and_begins_it_again(
    open_corpus: OpenCorpus, tmp_path: Path
) -> None:
    write(tmp_path / "other" / "large.md", LARGE)
    draw = random.Random(7)  # noqa: S311 # the same every time
    original = opened(open_corpus, "original")
    original.ingest(tmp_path / "other")
    original.index()
    with (tmp_path / "export.jsonl").open("w") as out:
        original.export(out.write)
    knowledge = opened(open_corpus)
    digest = with_small_one(knowledge, tmp_path / "docs")
    for fatal in range(1, 1 + 9 // AT_A_TIME + 1):
        with knowledge.graph.killed_at(1 + fatal, of="load"):
            knowledge.ingest(tmp_path / "export.jsonl")
        assert_only_the_small_one_is_there(knowledge)
        if draw.random() < 0.5:
            knowledge.index()
            assert knowledge.digest() == digest
    report = knowledge.ingest(tmp_path / "export.jsonl")
    assert (report.added, report.changed) == (1, 0)
    assert knowledge.delete_documents(source=str(tmp_path / "docs" / "small.txt")) == 1
    assert knowledge.digest() == original.digest()
    assert not knowledge.index().done


@pytest.mark.slow
@pytest.mark.parametrize("grows", [False, True])
def test_a_replacement_that_is_killed_at_any_write_goes_on(
    open_corpus: OpenCorpus, tmp_path: Path, *, grows: bool
) -> None:
    before = pages("Anna", "Bert") if grows else LARGE
    knowledge = opened(open_corpus)
    write(tmp_path / "large.md", OTHER)
    digest = fresh_digest(open_corpus, tmp_path)
    for fatal in range(1, 1 + 9 // AT_A_TIME + 1):
        write(tmp_path / "large.md", before)
        knowledge.ingest(tmp_path)
        knowledge.index()
        write(tmp_path / "large.md", OTHER)
        with knowledge.graph.killed_at(1 + fatal, of="load"):
            knowledge.ingest(tmp_path)
        (document,) = knowledge.documents()
        assert document.chunks == knowledge.status().counts["chunks"] == chunks_of(knowledge)
        knowledge.index()
        assert knowledge.ingest(tmp_path).changed == 1
        knowledge.index()
        assert knowledge.digest() == digest
    assert knowledge.delete_documents(source=str(tmp_path / "large.md")) == 1
    assert chunks_of(knowledge) == 0
