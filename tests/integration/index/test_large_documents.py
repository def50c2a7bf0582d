"""Documents of more chunks than one transaction deletes go in several, and what is interrupted is taken up again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.fakes import HashingEmbedder, ScriptedExtractor
from tests.kills import KillableKnowledge, open_killable
from tests.passages import OpenCorpus
from tests.sources import write

from overstory.knowledge import Knowledge

NAMES: dict[str, str] = {"Anna": "PERSON", "Rome": "PLACE", "Ulm": "PLACE"}
EMBEDDER = HashingEmbedder(8)


def pages(name: str, *, count: int = 9) -> str:
    """Return Markdown with `count` sections, each a chunk."""
    return "\n".join(
        f"# Section {n}\n\n{name} went to Rome for the {n}th time, and then to {name}ville.\n" for n in range(count)
    )


@pytest.fixture(autouse=True)
def _small(removed_at_a_time: Callable[[int], None]) -> None:
    """A transaction deletes two chunks."""
    removed_at_a_time(2)


@pytest.fixture
def loaded(open_corpus: OpenCorpus, tmp_path: Path) -> KillableKnowledge:
    """A large and a small document."""
    write(tmp_path / "large.md", pages("Anna"))
    write(tmp_path / "small.txt", "Ulm is a town.")
    knowledge = open_killable(open_corpus, embedder=EMBEDDER, extractor=ScriptedExtractor(NAMES))
    knowledge.ingest(tmp_path)
    knowledge.index()
    assert {document.chunks for document in knowledge.documents()} == {9, 1}
    return knowledge


def large_one(knowledge: Knowledge) -> str:
    return next(document.id for document in knowledge.documents() if document.source.endswith("large.md"))


def fresh_digest(open_corpus: OpenCorpus, folder: Path) -> str:
    """Return the digest of a corpus into which the folder was loaded at once."""
    fresh = open_corpus("fresh", embedder=EMBEDDER, extractor=ScriptedExtractor(NAMES))
    fresh.ingest(folder)
    fresh.index()
    return fresh.digest()


def test_a_large_document_goes_without_a_trace(open_corpus: OpenCorpus, loaded: Knowledge, tmp_path: Path) -> None:
    assert loaded.delete_documents(large_one(loaded)) == 1
    loaded.index()
    (tmp_path / "large.md").unlink()
    assert loaded.digest() == fresh_digest(open_corpus, tmp_path)
    assert loaded.status().corpus.deletions["chunk"] == 9


@pytest.mark.slow
def test_an_interrupted_deletion_leaves_a_document_that_is_loaded_again_whole(
    open_corpus: OpenCorpus, loaded: KillableKnowledge, tmp_path: Path
) -> None:
    with loaded.graph.killed_at(3, of="delete"):
        loaded.delete_documents(large_one(loaded))
    assert {document.chunks for document in loaded.documents()} == {5, 1}
    assert loaded.status().counts["chunks"] == 6
    report = loaded.ingest(tmp_path)
    assert (report.changed, report.unchanged) == (1, 1)
    loaded.index()
    assert loaded.digest() == fresh_digest(open_corpus, tmp_path)


def test_an_interrupted_deletion_goes_on(open_corpus: OpenCorpus, loaded: KillableKnowledge, tmp_path: Path) -> None:
    with loaded.graph.killed_at(4, of="delete"):
        loaded.delete_documents(large_one(loaded))
    assert loaded.delete_documents(large_one(loaded)) == 1
    loaded.index()
    (tmp_path / "large.md").unlink()
    assert loaded.digest() == fresh_digest(open_corpus, tmp_path)


@pytest.mark.parametrize("killed_at", [None, 2])
def test_a_large_document_is_replaced(
    open_corpus: OpenCorpus, loaded: KillableKnowledge, tmp_path: Path, killed_at: int | None
) -> None:
    write(tmp_path / "large.md", pages("Anna", count=2) + pages("Bert", count=6))
    if killed_at is not None:
        with loaded.graph.killed_at(killed_at, of="delete"):
            loaded.ingest(tmp_path)
    assert loaded.ingest(tmp_path).changed == 1
    loaded.index()
    assert loaded.digest() == fresh_digest(open_corpus, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("killed_at", [None, 3])
def test_a_large_document_that_moved_is_not_embedded_again(
    open_corpus: OpenCorpus, loaded: KillableKnowledge, tmp_path: Path, killed_at: int | None
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "large.md").rename(tmp_path / "elsewhere" / "large.md")
    if killed_at is not None:
        with loaded.graph.killed_at(killed_at, of="delete"):
            loaded.ingest(tmp_path, sync=True)
    loaded.ingest(tmp_path, sync=True)
    embedder = HashingEmbedder(8)
    loaded.use(embedder=embedder)
    loaded.index()
    assert embedder.embedded == []
    assert loaded.digest() == fresh_digest(open_corpus, tmp_path)
