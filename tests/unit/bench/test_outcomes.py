"""The outcome of each question, and the shares computed from them."""

from __future__ import annotations

import json

import pytest
from rich.console import Console

from overstory.answer import Answer, AnswerState, Citation, CitedPassage
from overstory.bench.metrics import agrees
from overstory.bench.outcomes import (
    Asked,
    Outcome,
    as_failure_table,
    as_measure_table,
    as_objects,
    ask_each,
    judged,
    measures,
)
from overstory.errors import BenchError, LlmUnreachable, QuestionError
from overstory.model import Evidence, Hit, Repeat
from overstory.protocols import Silence


def hit(document: str, *repeated: str) -> Hit:
    repeats = tuple(Repeat(f"c-{each}", each, each, "", "", "") for each in repeated)
    return Hit(f"c-{document}", document, document, "", "", "", "text", 1.0, repeats=repeats)


def said(
    short: str, *documents: str, state: AnswerState = "answered", guess: str = "", hits: tuple[Hit, ...] = ()
) -> Answer:
    citations = tuple(
        Citation(number, f"c-{each}", each, each, "", "", "", passages=(CitedPassage(f"c-{each}", each, each, "", ""),))
        for number, each in enumerate(documents, start=1)
    )
    text = f"{short} [1]"
    return Answer("Who?", text, short, "extractive", state, citations, Evidence("Who?", "test", hits), guess=guess)


ULM = Asked("line 2", "Where?", ("Ulm",), sources=(frozenset({"d1"}), frozenset({"d2", "d3"})), named=("a", "b"))
NOWHERE = Asked("line 3", "Why?", answerable=False)
REFUSED = said("", state="not_in_documents")


@pytest.mark.parametrize(
    ("asked", "answer", "failures"),
    [
        (ULM, said("In Ulm.", "d1"), ()),
        (ULM, said("In Bern.", "d1"), ("another answer",)),
        (ULM, said("Bern, not Ulm", "d1", guess="Bern"), ("another guess",)),
        (ULM, said("In Bern.", "d9"), ("another answer", "another source")),
        (ULM, said("Ulm", "d9"), ("another source",)),
        (ULM, REFUSED, ("not answered",)),
        (ULM, said("Ulm", state="uncited"), ("no passage cited",)),
        (NOWHERE, REFUSED, ()),
        (NOWHERE, said("Because.", "d1"), ("not refused",)),
        (NOWHERE, said("Because.", state="uncited"), ("not refused",)),
        (Asked("q", "Who?"), said("He.", "d1"), ()),
    ],
)
def test_what_is_not_as_expected_is_said(asked: Asked, answer: Answer, failures: tuple[str, ...]) -> None:
    assert judged(asked, answer).failures == failures


def test_citations_are_compared_with_the_expected_sources() -> None:
    outcome = judged(ULM, said("Ulm", "d3", "d9"))
    assert (outcome.precision, outcome.recall) == (0.5, 0.5)
    assert outcome.cited == ("d3", "d9")
    assert (judged(ULM, REFUSED).precision, judged(ULM, REFUSED).recall) == (None, None)
    assert judged(NOWHERE, said("x", "d1")).precision is None


def test_a_document_with_the_same_passage_counts_as_the_expected_one() -> None:
    outcome = judged(ULM, said("Ulm", "d8", hits=(hit("d8", "d1"),)))
    assert (outcome.precision, outcome.recall) == (1.0, 0.5)


def test_a_guess_is_right_if_it_agrees_with_an_expected_answer() -> None:
    assert judged(ULM, said("x", guess="in Ulm")).guess == 1.0
    assert judged(ULM, said("x", guess="Bern")).guess == 0.0
    assert judged(ULM, said("x")).guess is None
    assert judged(NOWHERE, said("x", guess="Bern")).guess == 0.0
    assert judged(Asked("q", "Who?"), said("x", guess="Bern")).guess is None


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        ("Stoker", "Bram Stoker", True),
        ("the Stoker!", "stoker", True),
        ("in 1847", "1847", True),
        ("Bram Stoker", "Stoker Bram", False),
        ("Ulm on the Danube in Germany", "Ulm", False),
        ("Bern", "Ulm", False),
        ("", "Ulm", False),
        ("the", "a", False),
    ],
)
def test_short_answers_agree_where_one_is_most_of_the_other(one: str, other: str, *, agree: bool) -> None:
    assert agrees(one, other) is agrees(other, one) is agree


def outcomes() -> list[Outcome]:
    return [
        judged(ULM, said("Ulm", "d1", "d2", guess="Ulm"), seconds=0.1),
        judged(ULM, said("Bern", "d9", guess="Bern"), seconds=0.3),
        judged(ULM, REFUSED, seconds=0.1),
        judged(NOWHERE, REFUSED, seconds=0.1),
    ]


def test_each_measure_is_about_its_own_questions() -> None:
    means = {each.name: (each.of, each.interval and each.interval.mean) for each in measures(outcomes())}
    assert means == {
        "EM": (3, pytest.approx(1 / 3)),
        "F1": (3, pytest.approx(1 / 3)),
        "substring": (3, pytest.approx(1 / 3)),
        "answered": (3, pytest.approx(2 / 3)),
        "refused": (1, 1.0),
        "refusals right": (2, 0.5),
        "citations right": (2, 0.5),
        "sources cited": (2, 0.5),
        "guessed": (4, 0.5),
        "guesses right": (2, 0.5),
        "uncited": (4, 0.0),
        "as expected": (4, 0.5),
    }


def test_objects_have_all_and_are_json() -> None:
    [row] = as_objects({"dense": outcomes()})
    assert json.loads(json.dumps(row)) == json.loads(json.dumps(row, allow_nan=False))
    assert (row["retriever"], row["questions"], row["answerable"], row["kind"]) == ("dense", 4, 3, "extractive")
    assert row["p50_ms"] == 100.0
    assert isinstance(row["measures"], dict)
    assert row["measures"]["refused"] == {"mean": 1.0, "low": 1.0, "high": 1.0, "of": 1}
    [unanswerable] = as_objects({"dense": outcomes()[3:]})
    assert isinstance(unanswerable["measures"], dict)
    assert unanswerable["measures"]["EM"] == {"mean": None, "low": None, "high": None, "of": 0}


def test_tables_show_what_there_is_and_what_went_wrong() -> None:
    console = Console(width=140, record=True, file=None, quiet=False)
    with console.capture() as capture:
        console.print(as_measure_table({"dense": outcomes(), "lexical": outcomes()}))
        console.print(as_failure_table(outcomes()))
    shown = capture.get()
    assert "0.333 [0.00–1.00] of 3" in shown
    assert "Ulm [a, b]" in shown
    assert "another answer, another source" in shown
    assert "(not in documents)" in shown
    assert as_failure_table(outcomes()).row_count == 2


def test_a_question_that_fails_is_named_and_a_model_that_fails_ends_the_run() -> None:
    def failing(_: str) -> Answer:
        raise QuestionError("it is empty", remedy="Ask.")

    def unreachable(_: str) -> Answer:
        raise LlmUnreachable("gone")

    with pytest.raises(BenchError, match="dense, line 2: it is empty"):
        ask_each(failing, [ULM], name="dense", progress=Silence())
    with pytest.raises(LlmUnreachable):
        ask_each(unreachable, [ULM], name="dense", progress=Silence())
