"""Edited exports: whatever is in a line, it is read as it stands, or refused with file and line."""

from __future__ import annotations

import base64
import copy
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import numpy as np
import pytest

from overstory.errors import BrokenSource
from overstory.text.names.edits import NameEdit
from overstory.transfer.export import EXPORT_FORMAT
from overstory.transfer.records import RestoredDocument, read_documents, read_header

HEADER = {"overstory_export": EXPORT_FORMAT, "corpus": "c", "embedder": "e", "dimension": 2, "analyzer": "english"}
TEXT = "Ulm. Bern."


def _packed(*numbers: float) -> str:
    return base64.b64encode(np.array(numbers, dtype="<f4").tobytes()).decode()


CHUNK = {
    "heading": "",
    "text": TEXT,
    "start": 0,
    "end": len(TEXT),
    "token_count": 4,
    "extracted": "x",
    "sentences": [0, 5],
    "vector": _packed(1.0, 0.0),
    "mentions": [{"by": "ner", "key": "ulm", "surfaces": ["Ulm"], "types": ["GPE"], "sentences": [0]}],
    "facts": [
        {"by": "ner", "subject": "Ulm", "subject_key": "ulm", "predicate": "is", "object": "x", "object_key": ""}
        | {"position": 0, "sentence": None, "quote": ""}
    ],
}
RECORD = {"source": "s", "source_key": "", "title": "T", "sha256": "a" * 64, "metadata": {"n": 1}, "chunks": [CHUNK]}

Damage = Callable[[dict[str, Any]], object]


def read(*lines: str) -> tuple[list[RestoredDocument], list[BrokenSource]]:
    failures: list[BrokenSource] = []
    header = read_header(json.dumps(HEADER), "e.jsonl")
    return list(read_documents(enumerate(lines, start=2), header, "e.jsonl", failures)), failures


def test_the_times_of_facts_are_dates() -> None:
    dated = {**CHUNK["facts"][0], "holds_from": "2019-03", "ended": True, "time_words": "from March 2019"}
    [restored], failures = read(json.dumps(RECORD | {"chunks": [CHUNK | {"facts": [dated]}]}))
    assert not failures
    [(_, fact)] = restored.chunks[0].facts
    assert (fact.holds_from, fact.holds_to, fact.ended) == ("2019-03", "", True)
    _, [failure] = read(json.dumps(RECORD | {"chunks": [CHUNK | {"facts": [dated | {"holds_from": "March"}]}]}))
    assert "'March' is no date" in str(failure)


def test_a_line_is_read_as_it_stands() -> None:
    [restored], failures = read(json.dumps(RECORD))
    assert not failures
    assert restored.document.metadata == {"n": 1}
    [chunk] = restored.chunks
    assert (chunk.piece.text, chunk.sentences, chunk.vector) == (TEXT, [0, 5], [1.0, 0.0])


def test_dates_are_read_as_dates_and_texts_that_are_like_them_are_not() -> None:
    metadata = {
        "at": "2024-02-29T12:00:00+01:00",
        "text": "2024-02-29",
        "all": ["2024-02-29T00:00:00+00:00"],
        "size": 3,
    }
    [restored], _ = read(json.dumps(RECORD | {"metadata": metadata, "dates": ["at", "all"], "file_metadata": ["size"]}))
    at = datetime(2024, 2, 29, 12, tzinfo=timezone(timedelta(hours=1)))
    assert restored.document.metadata == {"at": at, "text": "2024-02-29", "all": [datetime(2024, 2, 29, tzinfo=UTC)]}
    assert restored.document.file_metadata == {"size": 3}


def test_edits_of_names_are_read_from_the_header_and_may_be_missing() -> None:
    edits = [{"kind": "hide", "name": "Ulm", "to": ""}, {"kind": "merge", "name": "Bärn", "to": "Bern"}]
    header = read_header(json.dumps(HEADER | {"name_edits": edits}), "e.jsonl")
    assert header.name_edits == (NameEdit("hide", "Ulm"), NameEdit("merge", "Bärn", "Bern"))
    assert read_header(json.dumps(HEADER), "e.jsonl").name_edits == ()


def _chunk(**values: object) -> Damage:
    return lambda record: record["chunks"][0].update(values)


def _metadata(value: object) -> Damage:
    return lambda record: record.update(metadata={"k": value})


DAMAGE: dict[str, Damage] = {
    "metadata of 100 bits": _metadata(10**30),
    "metadata of several types": _metadata([1, "a"]),
    "metadata of numbers and truths": _metadata([1, True]),
    "metadata with half a character": _metadata("\ud800"),
    "a list with half a character": _metadata(["\udfff"]),
    "a key with half a character": lambda record: record.update(metadata={"\ud800": 1}),
    "a date that is none": lambda record: record.update(metadata={"k": "soon"}, dates=["k"]),
    "dates that are numbers": lambda record: record.update(metadata={"k": [1]}, dates=["k"]),
    "a date that is not there": lambda record: record.update(dates=["k"]),
    "metadata of a file that are not there": lambda record: record.update(file_metadata=["size"]),
    "a start of 100 bits": _chunk(start=10**30),
    "an infinite start": _chunk(start=float("inf")),
    "a negative start": _chunk(start=-1, end=len(TEXT) - 1),
    "a start in words": _chunk(start="0"),
    "a start that is a truth": _chunk(start=False),
    "an end elsewhere": _chunk(end=3),
    "no text": _chunk(text="", end=0),
    "a text with half a character": _chunk(text="\ud800" + TEXT[1:]),
    "sentences that do not ascend": _chunk(sentences=[5, 3]),
    "sentences beyond the text": _chunk(sentences=[0, 10**6]),
    "a negative sentence": _chunk(sentences=[-1]),
    "sentences in words": _chunk(sentences="012"),
    "a position of 100 bits": lambda record: record["chunks"][0]["facts"][0].update(position=10**30),
    "a sentence of 100 bits": lambda record: record["chunks"][0]["mentions"][0].update(sentences=[10**30]),
    "surfaces in a word": lambda record: record["chunks"][0]["mentions"][0].update(surfaces="U"),
    "no source": lambda record: record.update(source=""),
    "disabled in words": lambda record: record.update(disabled="yes"),
    "no digest": lambda record: record.update(sha256=""),
    "chunks that overlap": lambda record: record["chunks"].append(copy.deepcopy(CHUNK)),
    "a vector of other length": _chunk(vector="AAAAAA=="),
    "a vector of zeros": _chunk(vector=_packed(0.0, 0.0)),
    "a vector that is not of unit length": _chunk(vector=_packed(1.0, 0.1)),
    "a vector with NaN": _chunk(vector=_packed(1.0, float("nan"))),
    "a vector of infinite length": _chunk(vector=_packed(3e38, float("inf"))),
    "a vector with a number that is huge": _chunk(vector=_packed(3e38, 0.0)),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_a_damaged_line_is_refused_with_file_and_line(damage: Damage) -> None:
    record = copy.deepcopy(RECORD)
    damage(record)
    restored, [failure] = read(json.dumps(RECORD), json.dumps(record), json.dumps(RECORD))
    assert len(restored) == 1
    assert "e.jsonl, line 3" in str(failure)
    assert str(failure).isprintable() or "\n" in str(failure)


@pytest.mark.parametrize("line", ["[" * 100_000, '{"a":' * 100_000, "1" * 10_000, "nothing", "[]", '"\\ud800"'])
def test_a_line_that_is_no_document_is_refused(line: str) -> None:
    restored, [failure] = read(line)
    assert restored == []
    assert "e.jsonl, line 2" in str(failure)


def test_a_document_may_come_twice_but_not_with_another_content() -> None:
    other = RECORD | {"sha256": "b" * 64}
    assert read(json.dumps(RECORD), json.dumps(RECORD))[1] == []
    restored, [failure] = read(json.dumps(RECORD), json.dumps(other))
    assert len(restored) == 1
    assert "line 3" in str(failure)
    assert "different content" in str(failure)


@pytest.mark.parametrize(
    "line",
    [
        "[" * 100_000,
        json.dumps(HEADER | {"dimension": float("inf")}),
        json.dumps(HEADER | {"dimension": "384"}),
        json.dumps(HEADER | {"dimension": -1}),
        json.dumps(HEADER | {"dimension": 10**30}),
        json.dumps(HEADER | {"dimension": 0}),
        json.dumps(HEADER | {"embedder": "e\x1b[31m"}),
        json.dumps(HEADER | {"embedder": "\ud800"}),
        json.dumps(HEADER | {"overstory_export": "1"}),
        json.dumps(HEADER | {"overstory_export": EXPORT_FORMAT - 1}),
        json.dumps(HEADER | {"overstory_export": EXPORT_FORMAT + 1}),
        json.dumps(HEADER | {"name_edits": {}}),
        json.dumps(HEADER | {"dismissed_merges": [["Ulm"]]}),
        json.dumps(HEADER | {"dismissed_merges": [["Ulm", "ulm"]]}),
        json.dumps(HEADER | {"dismissed_merges": [["Ulm", 3]]}),
        json.dumps(HEADER | {"vocabulary": [{"source": "/t", "name": "Ulm", "type": "CITY", "aliases": []}]}),
        json.dumps(HEADER | {"vocabulary": [{"source": "", "name": "Ulm", "type": "GPE", "aliases": []}]}),
        json.dumps(HEADER | {"vocabulary": [{"source": "/t", "name": "Ulm", "type": "", "aliases": "Ulma"}]}),
        json.dumps(HEADER | {"name_edits": [{"kind": "hide", "name": "Ulm"}]}),
        json.dumps(HEADER | {"name_edits": [{"kind": "drop", "name": "Ulm", "to": ""}]}),
        json.dumps(HEADER | {"name_edits": [{"kind": "hide", "name": "…", "to": ""}]}),
        json.dumps(HEADER | {"name_edits": [{"kind": "hide", "name": "Ulm", "to": "Bern"}]}),
        json.dumps(HEADER | {"name_edits": [{"kind": "merge", "name": "Ulm", "to": ""}]}),
        json.dumps(HEADER | {"name_edits": [{"kind": "rename", "name": "Ulm", "to": "x" * 1_001}]}),
    ],
)
def test_a_header_that_is_none_is_refused_with_its_file(line: str) -> None:
    with pytest.raises(BrokenSource, match=r"e\.jsonl, line 1"):
        read_header(line, "e.jsonl")
