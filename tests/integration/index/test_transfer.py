"""Export and restore."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.fakes import HashingEmbedder
from tests.passages import EINSTEIN, PASSAGES, OpenCorpus

from overstory.errors import BrokenSource, EmbedderMismatch
from overstory.model import Annotation

NOTE = Annotation("", "einstein", ("Albert Einstein", "Ulm"), (("Albert Einstein", "was born in", "Ulm"),))


def export(open_corpus: OpenCorpus, file: Path) -> str:
    knowledge = open_corpus("exported")
    knowledge.ingest_documents([*PASSAGES, NOTE])
    knowledge.index()
    with file.open("w") as out:
        report = knowledge.export(out.write)
    assert report.documents == len(PASSAGES)
    assert report.digest == knowledge.digest()
    return report.digest


def test_an_export_is_read_back_to_the_same_digest_under_another_name(open_corpus: OpenCorpus, tmp_path: Path) -> None:
    digest = export(open_corpus, tmp_path / "export.jsonl")
    restored = open_corpus("restored")
    report = restored.ingest([tmp_path / "export.jsonl"])
    assert report.added == len(PASSAGES)
    restored.index()
    assert restored.digest() == digest
    assert [stage.name for stage in restored.status().stages] == ["load", "link"]  # nothing was computed again
    assert restored.search("Where was Einstein born?").hits[0].title == "Albert Einstein"


def test_restoring_twice_changes_nothing(open_corpus: OpenCorpus, tmp_path: Path) -> None:
    digest = export(open_corpus, tmp_path / "export.jsonl")
    original = open_corpus("exported")
    report = original.ingest([tmp_path / "export.jsonl"])
    assert (report.added, report.changed, report.unchanged) == (0, 0, len(PASSAGES))
    assert original.digest() == digest


def test_restoring_replaces_what_changed_since(open_corpus: OpenCorpus, tmp_path: Path) -> None:
    digest = export(open_corpus, tmp_path / "export.jsonl")
    original = open_corpus("exported")
    original.ingest_documents([type(EINSTEIN)(EINSTEIN.source, "einstein", "Something else.", title="Albert Einstein")])
    original.index()
    assert original.digest() != digest
    assert original.ingest([tmp_path / "export.jsonl"]).changed == 1
    original.index()
    assert original.digest() == digest


def test_a_broken_line_names_the_file_and_the_line(open_corpus: OpenCorpus, tmp_path: Path) -> None:
    file = tmp_path / "export.jsonl"
    export(open_corpus, file)
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join([*lines[:2], lines[2][: len(lines[2]) // 2]]))
    with pytest.raises(BrokenSource, match=r"export\.jsonl, line 3"):
        open_corpus("restored").ingest([file])


def test_a_line_without_its_fields_is_a_broken_line(open_corpus: OpenCorpus, tmp_path: Path) -> None:
    file = tmp_path / "export.jsonl"
    export(open_corpus, file)
    lines = file.read_text().splitlines()
    record = json.loads(lines[1])
    del record["chunks"]
    file.write_text("\n".join([lines[0], json.dumps(record)]))
    with pytest.raises(BrokenSource, match="line 2"):
        open_corpus("restored").ingest([file])


def test_vectors_of_another_embedder_are_refused(open_corpus: OpenCorpus, tmp_path: Path) -> None:
    export(open_corpus, tmp_path / "export.jsonl")
    other = open_corpus("other", embedder=HashingEmbedder(16))
    other.ingest_documents(PASSAGES[:1])
    other.index()
    with pytest.raises(EmbedderMismatch):
        other.ingest([tmp_path / "export.jsonl"])
