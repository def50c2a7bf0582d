"""The questions of benchmarks/own_folder: the documents say what the file of questions says that they do."""

from __future__ import annotations

import csv
import dataclasses
import json
import re
from collections import Counter, defaultdict

import pytest
from benchmarks.own_folder.run import DOCUMENTS, HERE, QUESTIONS, UNANSWERABLE, read_questions, shares
from benchmarks.own_questions.run import Question, judged, says

from overstory import Answer, Document, Evidence, sources

ASKED = read_questions(QUESTIONS)
COUNTED = "table-count"
"""Kind of the questions whose answer is counted, and stands in no file."""


def texts_by_file() -> dict[str, str]:
    texts: dict[str, str] = defaultdict(str)

    def fail(broken: object) -> None:
        pytest.fail(str(broken))

    for loaded in sources.read_sources([str(DOCUMENTS)], loader=None, on_broken=fail, on_skipped=fail):
        if isinstance(loaded, Document):
            texts[loaded.source] += f"\n{loaded.source}\n{loaded.title}\n{loaded.text}\n{loaded.metadata}"
    return texts


def test_sixty_questions_of_which_twenty_have_no_answer() -> None:
    assert len({question.text for question in ASKED}) == len(ASKED) == 60
    without = [question for question in ASKED if question.kind == UNANSWERABLE]
    assert len(without) == 20
    assert not any(question.accepted or question.items or question.sources for question in without)


def test_the_files_named_have_what_the_answers_say() -> None:
    texts = texts_by_file()
    for question in ASKED:
        said = " ".join(text for file, text in texts.items() if file.endswith(question.sources or ("nothing",)))
        for accepted in () if question.kind == COUNTED else question.accepted:
            assert says(said, (accepted,)), (question.text, accepted)
            assert not says(question.text, (accepted,)), "the question itself has the answer"
        for item in question.items:
            assert says(said, item), (question.text, item)


def test_the_files_have_the_entities() -> None:
    whole = " ".join(texts_by_file().values())
    with (HERE / "entities.csv").open(encoding="utf-8", newline="") as lines:
        names = [row["name"] for row in csv.DictReader(lines)]
    assert len(set(names)) == len(names)
    assert [name for name in names if not says(whole, (name,))] == []


def test_three_hundred_sentences_have_time_spans_of_which_a_third_are_empty() -> None:
    lines = (HERE / "time_spans.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert Counter(row["language"] for row in rows) == dict.fromkeys(("en", "de", "fr", "es", "it", "nl"), 50)
    spans = [[row[end] for end in ("holds_from", "holds_to") if row[end] is not None] for row in rows]
    assert spans.count([]) == 96
    for row, span in zip(rows, spans, strict=True):
        assert all(re.fullmatch(r"\d{4}(-\d\d){0,2}", end) for end in span), row
        assert span == sorted(span), row


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("Ada and Bo and Cy", "right at once"),
        ("Ada\nBo", "right sentence among others"),
        ("Ada", "wrong"),
        ("Ada, Bo, Cy, Di", "wrong"),
    ],
)
def test_a_list_is_right_if_it_is_complete_and_has_nobody_else(text: str, outcome: str) -> None:
    question = Question("Who?", "list", (), ("a.md",), (("Ada",), ("Bo", "Beau"), ("Cy",)), ("Di",))
    answer = Answer("Who?", text, "", "extractive", "answered", (), Evidence("", "", ()))
    row = judged(question, answer)
    assert row.outcome == outcome
    refused = judged(
        dataclasses.replace(question, kind=UNANSWERABLE, items=(), accepted=()),
        dataclasses.replace(answer, state="not_in_documents"),
    )
    assert shares([row, refused]).endswith("refused rightly 1.000 of 1")
