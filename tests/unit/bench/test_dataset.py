from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from overstory.bench.dataset import BenchQuestion, Passage, load_dataset
from overstory.errors import BenchError

if TYPE_CHECKING:
    from tests.unit.bench.conftest import Folder


def test_a_beir_folder_gives_passages_questions_and_judgements(folder: Folder) -> None:
    dataset = load_dataset(folder.write())
    assert list(dataset.read_passages())[:2] == [
        Passage("p1", "Teutberga", "Teutberga was a queen of Lotharingia."),
        Passage("p2", "Lothair II", "Lothair II was king of Lotharingia."),
    ]
    assert dataset.questions == (
        BenchQuestion("q1", "Who was queen?", ("Teutberga",), "bridge"),
        BenchQuestion("q2", "Who was the mother of Lothair II?"),
    )
    assert dataset.qrels == {"q1": {"p1": 1}, "q2": {"p2": 1, "p3": 2}}
    assert dataset.passage_ids == ("p1", "p2", "p3")
    assert dataset.notes() == ()


def test_the_digest_depends_on_the_passages_and_on_nothing_else(folder: Folder, tmp_path: Path) -> None:
    first = load_dataset(folder.write())
    (folder.path / "corpus.jsonl").rename(tmp_path / "old.jsonl")
    records = [json.loads(line) for line in (tmp_path / "old.jsonl").read_text(encoding="utf-8").splitlines()]
    turned = "\n\n".join(json.dumps(dict(reversed(record.items())), indent=None) for record in records)
    (folder.path / "corpus.jsonl").write_text(turned, encoding="utf-8")
    assert load_dataset(folder.path).digest == first.digest
    (folder.path / "corpus.jsonl").write_text(turned.replace("queen", "king"), encoding="utf-8")
    assert load_dataset(folder.path).digest != first.digest


def test_questions_without_gold_are_left_out_and_counted(folder: Folder) -> None:
    dataset = load_dataset(folder.write(qrels={"dev.tsv": "query-id\tcorpus-id\tscore\nq1\tp1\t1\nq2\tp2\t0\n"}))
    assert [question.id for question in dataset.questions] == ["q1"]
    assert dataset.skipped == 1
    assert dataset.qrels == {"q1": {"p1": 1}}


def test_judgements_of_questions_that_are_not_asked_are_left_out_and_counted(folder: Folder, tmp_path: Path) -> None:
    few = tmp_path / "few.jsonl"
    few.write_text('{"_id": "q2", "text": "Who?"}\n', encoding="utf-8")
    dataset = load_dataset(folder.write(), queries=few)
    assert dataset.questions == (BenchQuestion("q2", "Who?"),)
    assert dataset.strays == 1
    assert "1 judgements" in dataset.notes()[0]


@pytest.mark.parametrize(
    ("files", "chosen"),
    [
        (["train.tsv"], "train.tsv"),
        (["dev.tsv", "test.tsv", "train.tsv"], "test.tsv"),
        (["dev.tsv", "train.tsv"], "dev.tsv"),
    ],
)
def test_the_only_relevance_file_or_the_test_or_the_dev_split_is_taken(
    folder: Folder, files: list[str], chosen: str
) -> None:
    gold = {"train.tsv": "q1\tp1\t1\n", "dev.tsv": "q1\tp2\t1\n", "test.tsv": "q1\tp3\t1\n"}
    dataset = load_dataset(folder.write(qrels={name: gold[name] for name in files}))
    assert dataset.qrels == {"q1": {gold[chosen].split("\t")[1]: 1}}


def test_among_other_relevance_files_one_must_be_named(folder: Folder) -> None:
    path = folder.write(qrels={"a.tsv": "q1\tp1\t1\n", "b.tsv": "q1\tp2\t1\n"})
    with pytest.raises(BenchError, match=r"found: a\.tsv, b\.tsv") as caught:
        load_dataset(path)
    assert "--qrels" in caught.value.remedy
    assert load_dataset(path, qrels=path / "qrels" / "b.tsv").qrels == {"q1": {"p2": 1}}


@pytest.mark.parametrize(
    "text",
    [
        "query-id\tcorpus-id\tscore\nq1\tp1\t1\n",
        "q1\tp1\t1\n",
        "q1 0 p1 1\n",
        "q1\t0\tp1\t1\r\n",
        "\ufeffquery-id\tcorpus-id\tscore\r\n\r\nq1\tp1\t1\r\nq1\tp1\t1\r\n",
    ],
)
def test_relevance_is_read_with_and_without_header_and_in_the_format_of_trec(folder: Folder, text: str) -> None:
    assert load_dataset(folder.write(qrels={"dev.tsv": text})).qrels == {"q1": {"p1": 1}}


@pytest.mark.parametrize(
    ("qrels", "complaint"),
    [
        ("query-id\tcorpus-id\tscore\nq1\tp1\thigh\n", "line 2: the score 'high' is not a whole number"),
        ("q1\tp1\t1.0\n", "line 1: the score '1.0' is not a whole number"),
        ("q1\tp1\t1\nq1 p2\n", "line 2: expected three columns"),
        ("q1\tp1\t1\nq1\t\t1\n", "line 2: expected three columns"),
        ("q1\tp1\t1\nq1\tp1\t2\n", "line 2: passage 'p1' has two different scores"),
        (
            "q1\tp1\t1\nq1\tp9\t1\nq2\tp8\t1\n",
            r"line 2: the gold passage 'p9' of question 'q1' is not in .*, and 1 more",
        ),
        ("", "has no gold passage for any question"),
        ("other\tp1\t1\n", "has no gold passage for any question"),
    ],
)
def test_a_broken_relevance_file_is_named_with_its_line(folder: Folder, qrels: str, complaint: str) -> None:
    path = folder.write(qrels={"dev.tsv": qrels})
    with pytest.raises(BenchError, match=rf"dev\.tsv.*{complaint}"):
        load_dataset(path)


@pytest.mark.parametrize(
    ("passages", "complaint"),
    [
        (
            [{"_id": "p1", "text": "a"}, {"_id": "p1", "text": "b"}],
            "line 2: duplicate passage id 'p1', first in line 1",
        ),
        ([{"_id": "p1", "text": "a"}, {"text": "b"}], 'line 2: "_id" is missing'),
        ([{"_id": "p1"}], 'line 1: "text" is missing'),
        ([["p1"]], "line 1: expected a JSON object"),
        ([], "contains no passages"),
    ],
)
def test_a_broken_corpus_is_named_with_its_line(folder: Folder, passages: list[object], complaint: str) -> None:
    path = folder.write(passages=passages)
    with pytest.raises(BenchError, match=rf"corpus\.jsonl.*{complaint}"):
        load_dataset(path)


@pytest.mark.parametrize(
    ("questions", "complaint"),
    [
        ([{"_id": "q1", "text": "a"}, {"_id": "q1", "text": "b"}], "line 2: duplicate question id 'q1'"),
        ([{"_id": "q1", "text": "  "}], "line 1: the question is empty"),
        ([{"_id": "", "text": "a"}], 'line 1: "_id" is missing or empty'),
        ([], "contains no questions"),
    ],
)
def test_broken_questions_are_named_with_their_line(folder: Folder, questions: list[object], complaint: str) -> None:
    path = folder.write(questions=questions)
    with pytest.raises(BenchError, match=rf"queries\.jsonl.*{complaint}"):
        load_dataset(path)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b'{"_id": "p1", "text": "a"}\nnot json\n', "line 2: this is not JSON"),
        (b'{"_id": "p1", "text": "a"}\n{"_id": "p2", "text": "\xff"}\n', "line 2: this is not UTF-8"),
        (b'{"_id": "p1", "text": "\\ud800"}\n', "line 1: .* lone surrogate"),
        (b"[" * 100_000 + b"\n", "line 1: this is not JSON"),
    ],
)
def test_lines_that_are_no_text_or_no_json_are_named(folder: Folder, content: bytes, complaint: str) -> None:
    path = folder.write()
    (path / "corpus.jsonl").write_bytes(content)
    with pytest.raises(BenchError, match=rf"corpus\.jsonl, {complaint}"):
        load_dataset(path)


@pytest.mark.parametrize("name", ["corpus.jsonl", "queries.jsonl", "qrels/dev.tsv"])
def test_a_missing_file_is_named(folder: Folder, name: str) -> None:
    path = folder.write()
    (path / name).unlink()
    with pytest.raises(BenchError, match=name.partition("/")[0]) as caught:
        load_dataset(path)
    assert caught.value.remedy


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="no such folder"):
        load_dataset(tmp_path / "nowhere")
