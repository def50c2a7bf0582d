"""Documents become chunks; the same content twice changes nothing, changed content replaces the old."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.fakes import HashingEmbedder
from tests.passages import EINSTEIN, PASSAGES, SOURCE, OpenCorpus, passage

from overstory.errors import BrokenSource, EmbedderMismatch
from overstory.knowledge import Knowledge
from overstory.model import Annotation, Heading


def chunk_ids(knowledge: Knowledge) -> set[str]:
    label = knowledge.status().corpus.label
    rows = knowledge.graph.run("ingest/chunks_to_extract", label, fingerprint="none", after="", limit=1000)
    return {row["id"] for row in rows}


def test_loading_twice_changes_nothing(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    first = knowledge.ingest_documents(PASSAGES)
    knowledge.index()
    before = knowledge.digest()
    second = knowledge.ingest_documents(PASSAGES)
    assert (first.added, second.added, second.changed, second.unchanged) == (4, 0, 0, 4)
    assert not knowledge.index().done
    assert knowledge.digest() == before


def test_a_changed_document_replaces_the_old_one_with_all_that_only_it_said(open_corpus: OpenCorpus) -> None:
    knowledge, fresh = open_corpus(), open_corpus("fresh")
    changed = passage("einstein", "Albert Einstein", "Albert Einstein moved to Princeton.")
    knowledge.ingest_documents(PASSAGES)
    knowledge.index()
    report = knowledge.ingest_documents([changed])
    knowledge.index()
    assert report.changed == 1
    fresh.ingest_documents([changed, *PASSAGES[1:]])
    fresh.index()
    assert knowledge.digest() == fresh.digest()
    assert "Bern" not in " ".join(hit.text for hit in knowledge.search("Bern patent", retriever="lexical").hits)


def test_a_new_title_gives_a_new_vector(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([EINSTEIN])
    knowledge.index()
    knowledge.ingest_documents([replace(EINSTEIN, title="A physicist")])
    assert knowledge.status().pending["embed"] == 1


def test_a_chunk_that_did_not_change_is_not_embedded_again(open_corpus: OpenCorpus) -> None:
    sections = [f"# Part {i}\n\n" + f"This is what part {i} says about it. " * 3 for i in range(4)]
    text = "\n\n".join(part.strip() for part in sections)
    starts = [text.index(f"# Part {i}") for i in range(4)]
    headings = tuple(Heading(start, 1, f"Part {i}") for i, start in enumerate(starts))
    document = replace(passage("parts", "Parts", text), headings=headings)
    changed = replace(document, text=text.replace("part 3 says", "part 3 told"))
    knowledge = open_corpus()
    knowledge.ingest_documents([document])
    knowledge.index()
    before = chunk_ids(knowledge)
    knowledge.ingest_documents([changed])
    assert len(before) == len(chunk_ids(knowledge)) == 4
    assert len(before & chunk_ids(knowledge)) == 3
    assert knowledge.status().pending["embed"] == 1


def test_a_document_that_cannot_be_stored_is_reported_and_the_rest_goes_in(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    bad = (
        replace(EINSTEIN, source_key="surrogate", text="a \ud800 b"),
        replace(EINSTEIN, source_key="large", metadata={"n": 2**64}),
        replace(EINSTEIN, source_key="empty", text=" "),
        replace(EINSTEIN, source_key="mixed", metadata={"n": [1, "a"]}),  # type: ignore[dict-item] # what is refused
    )
    long = replace(EINSTEIN, source="ü" * 3_900, source_key="k" * 200)
    report = knowledge.ingest_documents([*bad, long, EINSTEIN, replace(long, source_key="longest" + "k" * 193)])
    assert report.added == 3
    report = knowledge.ingest_documents([*bad, replace(long, source_key="k" * 201)])
    assert "8,000 bytes" in str(report.broken[-1])
    assert [
        key for key in ("surrogate", "large", "empty", "mixed") if not any(key in str(e) for e in report.broken)
    ] == []


def test_metadata_is_kept_and_taken_away_again(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([replace(EINSTEIN, metadata={"year": 1905, "tags": ["a", "b"], "id": "own"})])
    (stored,) = knowledge.documents()
    assert stored.metadata == {"year": 1905, "tags": ["a", "b"], "id": "own"}
    knowledge.ingest_documents([replace(EINSTEIN, metadata={"year": 1915})])
    (stored,) = knowledge.documents()
    assert stored.metadata == {"year": 1915}


def test_a_preview_writes_nothing(open_corpus: OpenCorpus, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("First text.")
    (tmp_path / "b.txt").write_text("Second text.")
    knowledge = open_corpus()
    report = knowledge.preview([tmp_path])
    assert (report.added, report.chunks) == (2, 2)
    assert report.index_time is not None
    assert knowledge.corpus_name not in {size.corpus.name for size in knowledge.corpora()}
    knowledge.ingest([tmp_path])
    (tmp_path / "a.txt").write_text("Another text.")
    report = knowledge.preview([tmp_path])
    assert (report.added, report.changed, report.unchanged, report.chunks) == (0, 1, 1, 1)
    assert knowledge.ingest([tmp_path]).changed == 1


def test_a_broken_file_is_reported_and_the_rest_goes_in(open_corpus: OpenCorpus, tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_text("A good text.")
    (tmp_path / "broken.txt").write_bytes(b"caf\xe9 \xff\xfe broken")
    knowledge = open_corpus()
    report = knowledge.ingest([tmp_path])
    assert report.added == 1
    assert [error.source for error in report.broken] == [str(tmp_path / "broken.txt")]
    with pytest.raises(BrokenSource, match=r"broken\.txt"):
        knowledge.ingest([tmp_path], strict=True)


def test_the_embedder_is_checked_before_anything_is_written(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(PASSAGES[:1])
    knowledge.index()
    other = open_corpus(embedder=HashingEmbedder(16))
    with pytest.raises(EmbedderMismatch, match=r"dimension 384 .* dimension 16"):
        other.ingest_documents(PASSAGES[1:])
    with pytest.raises(EmbedderMismatch, match="384"):
        other.index()
    with pytest.raises(EmbedderMismatch, match="384"):
        other.search("Where was Einstein born?")
    assert knowledge.status().counts["documents"] == 1


def test_annotations_become_entities_and_facts_of_their_document(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    note = Annotation("", "einstein", ("Albert Einstein", "Ulm"), (("Albert Einstein", "was born in", "Ulm"),))
    orphan = Annotation("", "nobody", ("X",), ())
    report = knowledge.ingest_documents([EINSTEIN, note, orphan])
    assert report.annotated == 1
    assert "nobody" in str(report.broken[0])
    before = knowledge.status().counts
    assert (before["entities"], before["facts"], before["mentions"]) == (2, 1, 2)
    knowledge.ingest_documents([note])
    assert knowledge.status().counts == before


def test_a_key_that_two_sources_share_is_ambiguous_unless_the_source_is_named(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([EINSTEIN, replace(EINSTEIN, source="elsewhere")])
    report = knowledge.ingest_documents(
        [Annotation("", "einstein", ("Ulm",), ()), Annotation(SOURCE, "einstein", ("Ulm",), ())]
    )
    assert report.annotated == 1
    assert "2 documents have the key" in str(report.broken[0])
