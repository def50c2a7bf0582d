"""Export and restore."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from tests.fakes import HashingEmbedder
from tests.passages import EINSTEIN, PASSAGES, OpenCorpus
from tests.sources import write

from overstory.errors import BrokenSource, EmbedderMismatch
from overstory.knowledge import Knowledge
from overstory.model import Annotation, Metadata
from overstory.transfer.export import sealed, unsealed

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
    assert restored.digest() == digest
    assert not restored.index().done
    assert [stage.name for stage in restored.status().stages] == [
        "load",
        "entities",
        "mentions",
    ]  # nothing was computed again
    assert restored.search("Where was Einstein born?").hits[0].title == "Albert Einstein"


def test_restoring_twice_changes_nothing(open_corpus: OpenCorpus, tmp_path: Path) -> None:
    digest = export(open_corpus, tmp_path / "export.jsonl")
    original = open_corpus("exported")
    report = original.ingest([tmp_path / "export.jsonl"])
    assert (report.added, report.changed, report.unchanged) == (0, 0, len(PASSAGES))
    assert original.digest() == digest


def test_dates_and_what_is_known_of_files_are_read_back(open_corpus: OpenCorpus, tmp_path: Path) -> None:
    original, restored = open_corpus("exported"), open_corpus("restored")
    at = datetime(2024, 2, 29, 12, tzinfo=timezone(timedelta(hours=2)))
    file = write(tmp_path / "docs" / "a.txt", "A text.")
    original.ingest(tmp_path / "docs")
    original.ingest_documents([replace(EINSTEIN, metadata={"at": at, "all": [at, at], "text": at.isoformat()})])
    with (tmp_path / "export.jsonl").open("w") as out:
        original.export(out.write)
    restored.ingest(tmp_path / "export.jsonl")
    assert [each.metadata for each in restored.documents()] == [each.metadata for each in original.documents()]
    assert restored.digest() == original.digest()
    assert restored.ingest(tmp_path / "docs").metadata_only == 0
    os.utime(file, (0, 0))
    assert restored.ingest(tmp_path / "docs").metadata_only == 1
    report = restored.ingest(tmp_path / "export.jsonl")
    assert (report.changed, report.unchanged, report.metadata_only) == (0, 2, 1)
    assert [each.metadata for each in restored.documents()] == [each.metadata for each in original.documents()]


def test_numbers_that_json_does_not_have_are_read_back(open_corpus: OpenCorpus, tmp_path: Path) -> None:
    original, restored = open_corpus("exported"), open_corpus("restored")
    endless: Metadata = {"most": math.inf, "least": [-math.inf, 0.5], "none": math.nan, "text": "inf"}
    original.ingest_documents([replace(EINSTEIN, metadata=endless)])
    with (tmp_path / "export.jsonl").open("w") as out:
        original.export(out.write)

    def refused(constant: str) -> float:
        raise AssertionError(constant)

    for line in (tmp_path / "export.jsonl").read_text().splitlines():
        json.loads(line, parse_constant=refused)
    restored.ingest(tmp_path / "export.jsonl")
    (document,) = restored.documents()
    assert str(document.metadata) == str(next(iter(original.documents())).metadata)
    assert document.metadata["most"] == math.inf
    assert restored.digest() == original.digest()


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
    for damaged, line, loaded in (
        ([*lines[:2], lines[2][: len(lines[2]) // 2]], 3, 1),
        ([*lines[:2], *lines[3:]], 3, 1),
        (lines[:-1], len(lines) - 1, len(lines) - 2),
        ([*lines, *lines], len(lines) + 1, len(lines) - 2),
    ):
        file.write_text("".join(damaged))
        report = open_corpus("restored").ingest([file])
        assert report.added + report.unchanged == loaded
        assert f"export.jsonl, line {line}: " in str(report.broken[0])
        assert f"were loaded: {loaded} document" in str(report.broken[0])
    with pytest.raises(BrokenSource, match=rf"export\.jsonl, line {line}"):
        open_corpus("strict").ingest([file], strict=True)


DAMAGE: dict[str, Callable[[dict[str, Any]], object]] = {
    "no chunks": lambda record: record.pop("chunks"),
    "chunks that are none": lambda record: record.update(chunks="text"),
    "a number for a text": lambda record: record["chunks"][0].update(text=7),
    "a mention without its words": lambda record: record["chunks"][0]["mentions"][0].pop("surfaces"),
    "metadata in metadata": lambda record: record.update(metadata={"a": {"b": 1}}),
    "a vector that is too short": lambda record: record["chunks"][0].update(vector="AAAAAAAAAAA="),
    "a vector that is none": lambda record: record["chunks"][0].update(vector="***"),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_a_damaged_line_is_named_and_nothing_of_it_is_stored(
    open_corpus: OpenCorpus, tmp_path: Path, exported: str, damage: Callable[[dict[str, Any]], object]
) -> None:
    lines = [line for _, line in unsealed(exported.encode().splitlines(), "export")]
    record = json.loads(lines[1])
    damage(record)
    file = tmp_path / "damaged.jsonl"
    file.write_text("\n".join(sealed([lines[0], json.dumps(record), *lines[2:]])))
    with pytest.raises(BrokenSource, match=r"damaged\.jsonl, line 2"):
        open_corpus("restored").ingest([file], strict=True)


@pytest.fixture
def exported(shared_corpus: Knowledge) -> str:
    lines: list[str] = []
    shared_corpus.export(lines.append)
    return "".join(lines)


@pytest.mark.parametrize("header", ['{"overstory_export":5}', '{"overstory_export":4,"embedder":"","dimension":0}'])
def test_a_header_that_is_none_makes_no_corpus(open_corpus: OpenCorpus, tmp_path: Path, header: str) -> None:
    (tmp_path / "bad.jsonl").write_text("\n".join(sealed([header])))
    knowledge = open_corpus()
    assert "line 1" in str(knowledge.ingest([tmp_path / "bad.jsonl"]).broken[0])
    assert knowledge.corpus_name not in {size.corpus.name for size in knowledge.corpora()}


def test_a_line_twice_counts_once(open_corpus: OpenCorpus, tmp_path: Path, exported: str) -> None:
    lines = [line for _, line in unsealed(exported.encode().splitlines(), "export")]
    (tmp_path / "twice.jsonl").write_text("\n".join(sealed([*lines, *lines[1:]])))
    restored, once = open_corpus("restored"), open_corpus("once")
    (tmp_path / "once.jsonl").write_text(exported)
    once.ingest([tmp_path / "once.jsonl"])
    report = restored.ingest([tmp_path / "twice.jsonl"])
    assert (report.added, report.unchanged) == (len(PASSAGES), len(PASSAGES))
    assert restored.digest() == once.digest()


def test_two_exports_of_different_embedders_do_not_mix(open_corpus: OpenCorpus, tmp_path: Path, exported: str) -> None:
    (tmp_path / "one.jsonl").write_text(exported)
    other = open_corpus("other", embedder=HashingEmbedder(16))
    other.ingest_documents(PASSAGES)
    other.index()
    with (tmp_path / "two.jsonl").open("w") as out:
        other.export(out.write)
    with pytest.raises(EmbedderMismatch):
        open_corpus("mixed").ingest([tmp_path / "one.jsonl", tmp_path / "two.jsonl"])


def test_vectors_of_another_embedder_are_refused(open_corpus: OpenCorpus, tmp_path: Path) -> None:
    export(open_corpus, tmp_path / "export.jsonl")
    other = open_corpus("other", embedder=HashingEmbedder(16))
    other.ingest_documents(PASSAGES[:1])
    other.index()
    with pytest.raises(EmbedderMismatch):
        other.ingest([tmp_path / "export.jsonl"])
