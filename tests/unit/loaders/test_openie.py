from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.sources import load, write

from overstory.model import Annotation
from overstory_loaders import OpenIELoader

ANNOTATION = {"_id": "p1", "entities": ["Oslo", " Norway\n"], "triples": [["Oslo", "is in", "Norway"]]}
CACHED = {
    "idx": "chunk-1",
    "passage": "Oslo\nOslo is in Norway.",
    "extracted_entities": ["Oslo", "Norway"],
    "extracted_triples": [["Oslo", "is in", "Norway"]],
}
TRIPLES = (("Oslo", "is in", "Norway"),)


def test_records_without_a_text_annotate_what_another_source_brought(tmp_path: Path) -> None:
    path = write(tmp_path / "openie.jsonl", json.dumps(ANNOTATION))
    assert OpenIELoader().recognises(str(path))
    outcome = load(OpenIELoader(), path)
    assert outcome.annotations == [Annotation("", "p1", ("Oslo", "Norway"), TRIPLES)]
    assert outcome.documents == []


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("results.json", json.dumps({"docs": [CACHED], "avg_ent_chars": 5.0})),
        ("results.json", json.dumps({"avg_ent_chars": 5.0, "docs": [CACHED]})),
        ("results.json", json.dumps({"docs": [CACHED]}, indent=2)),
        ("results.json", json.dumps([CACHED])),
        ("results.jsonl", json.dumps(CACHED)),
    ],
)
def test_hipporags_own_file_brings_its_documents(tmp_path: Path, name: str, content: str) -> None:
    path = write(tmp_path / name, content)
    assert OpenIELoader().recognises(str(path))
    outcome = load(OpenIELoader(), path)
    document = outcome.document
    assert (document.source, document.source_key) == (path.as_posix(), "chunk-1")
    assert document.text == "Oslo\nOslo is in Norway."
    assert document.metadata == {}
    assert outcome.annotations == [Annotation(document.source, "chunk-1", ("Oslo", "Norway"), TRIPLES)]


def test_what_is_no_triple_is_reported_once_a_record_and_the_rest_kept(tmp_path: Path) -> None:
    wrong = [["Oslo", "capital"], ["a", "b", "c", "d"], ["a", "", "c"], ["a", 1, "c"], "a b c", None]
    record = {**ANNOTATION, "triples": [*wrong, ["Oslo", "is in", "Norway"]], "entities": ["Oslo", 7]}
    outcome = load(OpenIELoader(), write(tmp_path / "openie.jsonl", json.dumps(record)))
    assert outcome.annotations == [Annotation("", "p1", ("Oslo",), TRIPLES)]
    assert outcome.messages == [
        "line 1: 1 of 2 entities left out, because they are not texts, like 7",
        'line 1: 6 of 7 triples left out, because they are not three texts, like ["Oslo", "capital"]',
    ]


def test_records_that_annotate_nothing_are_broken(tmp_path: Path) -> None:
    records = [ANNOTATION, {"_id": "p2", "entities": []}, {"entities": [], "triples": []}, ANNOTATION]
    outcome = load(OpenIELoader(), write(tmp_path / "openie.jsonl", "\n".join(map(json.dumps, records))))
    assert len(outcome.annotations) == 1
    assert outcome.messages == [
        "line 2: has no list 'triples'",
        "line 3: has no _id",
        "line 4: has the same id 'p1' as line 1, which was loaded",
    ]


def test_a_first_line_that_is_broken_hides_no_triples(tmp_path: Path) -> None:
    path = write(tmp_path / "openie.jsonl", "{broken\n" + json.dumps(ANNOTATION))
    assert OpenIELoader().recognises(str(path))


def test_other_json_is_not_recognised(tmp_path: Path) -> None:
    assert not OpenIELoader().recognises(str(write(tmp_path / "a.jsonl", '{"text": "x", "triples": 3}')))
    assert not OpenIELoader().recognises(str(write(tmp_path / "a.txt", json.dumps(ANNOTATION))))
