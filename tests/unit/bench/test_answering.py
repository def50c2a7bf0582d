"""Answers of a benchmark: who is asked what, and what counts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.unit.bench.test_runner import FakeKnowledge

from overstory.answer import Answer, AnswerState
from overstory.answer.result import AnswerKind
from overstory.bench.dataset import BenchQuestion, load_dataset
from overstory.bench.layout import Layout
from overstory.bench.runner import ask_all, check_answers, compare
from overstory.errors import BenchError, DatabaseUnreachable, LlmUnreachable, OverstoryError
from overstory.model import Evidence
from overstory.protocols import Silence
from overstory_cli.bench import as_answer_table, as_objects

if TYPE_CHECKING:
    from tests.unit.bench.conftest import FakeRetriever, Folder

QUESTIONS = [
    BenchQuestion("q1", "Where?", ("Ulm",)),
    BenchQuestion("q2", "Who?"),
    BenchQuestion("q3", "When?", ("1879", "in 1879")),
]


def said(question: str, text: str, *, kind: AnswerKind = "extractive", answered: bool = True) -> Answer:
    state: AnswerState = "answered" if answered else "not_in_documents"
    return Answer(question, f"{text} [1]", text, kind, state, (), Evidence(question, "test", ()))


def test_questions_with_gold_answers_are_asked_and_scored_without_numbers_of_passages() -> None:
    asked: list[str] = []

    def ask(question: str) -> Answer:
        asked.append(question)
        return said(question, "Ulm") if question == "Where?" else said(question, "In 1880", kind="llm")

    row = ask_all(ask, QUESTIONS, name="dense", progress=Silence())
    assert asked == ["Where?", "When?"]
    assert (row.scores.exact, row.scores.f1, row.scores.substring, row.scores.answered) == (0.5, 0.75, 0.5, 1.0)
    assert row.kind == "extractive+llm"


def test_an_answer_without_citations_counts_as_unanswered_and_is_counted() -> None:
    uncited = Answer("Where?", "Ulm", "Ulm", "llm", "uncited", (), Evidence("Where?", "test", ()))
    row = ask_all(lambda _: uncited, QUESTIONS[:1], name="dense", progress=Silence())
    assert (row.scores.exact, row.scores.answered, row.scores.uncited) == (0.0, 0.0, 1.0)


def test_gold_answers_that_are_missing_are_said_before_the_run(tmp_path: Path) -> None:
    assert check_answers(QUESTIONS, tmp_path) == ("1 question without gold answers: only passages are scored.",)
    assert check_answers(QUESTIONS[:1], tmp_path) == ()
    with pytest.raises(BenchError, match="no question has an answer") as caught:
        check_answers(QUESTIONS[1:2], tmp_path / "queries.jsonl")
    assert "--answers" in caught.value.remedy


def failing(error: OverstoryError) -> Answer:
    raise error


def test_a_question_that_fails_is_named() -> None:
    with pytest.raises(BenchError, match="dense, question q1: nothing answers") as caught:
        ask_all(
            lambda _: failing(DatabaseUnreachable("nothing answers", remedy="Start it.")),
            QUESTIONS,
            name="dense",
            progress=Silence(),
        )
    assert caught.value.remedy == "Start it."


def test_a_language_model_that_fails_ends_the_run_as_what_it_is() -> None:
    with pytest.raises(LlmUnreachable):
        ask_all(lambda _: failing(LlmUnreachable("gone")), QUESTIONS, name="dense", progress=Silence())


def test_each_retriever_s_answers_are_reported_after_its_passages(
    folder: Folder, fake_retriever: type[FakeRetriever]
) -> None:
    results = compare(
        FakeKnowledge(fake_retriever, "dense", "lexical"),
        load_dataset(folder.write()),
        Layout(),
        ["dense", "lexical"],
        asking=lambda name: (
            lambda question: said(question, "Teutberga" if name == "dense" else "x", answered=name == "dense")
        ),
    )
    first, second = as_objects(results)
    assert list(first)[-8:] == ["queries", "EM", "F1", "ROUGE-L", "substring", "answered", "uncited", "kind"]
    assert [first[key] for key in list(first)[-7:]] == [1.0, 1.0, 1.0, 1.0, 1.0, 0.0, "extractive"]
    assert [second[key] for key in list(second)[-7:]] == [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, "extractive"]
    assert as_answer_table(results).row_count == 2


def test_without_answers_nothing_is_reported_of_them(folder: Folder, fake_retriever: type[FakeRetriever]) -> None:
    results = compare(FakeKnowledge(fake_retriever, "dense"), load_dataset(folder.write()), Layout(), ["dense"])
    assert list(as_objects(results)[0])[-1] == "queries"
    assert as_answer_table(results).row_count == 0
