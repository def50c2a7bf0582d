"""Answers the questions of a benchmark, and compares the answers with the gold ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from overstory.answer import Answer, without_citations
from overstory.bench.answer_metrics import AnswerScores, answer_scores, mean_answer_scores
from overstory.bench.dataset import BenchQuestion
from overstory.display import counted
from overstory.errors import BenchError, LlmError, OverstoryError
from overstory.protocols import Progress

Ask = Callable[[str], Answer]


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """Quality of the answers with a retriever.

    Attributes:
        scores: means over the questions with gold answers.
        kind: "llm", "extractive", or both joined by "+".
    """

    scores: AnswerScores
    kind: str


def check_answers(questions: Sequence[BenchQuestion], path: Path) -> tuple[str, ...]:
    """Notes on the gold answers for readers of the figures."""
    lacking = sum(not question.answers for question in questions)
    if lacking == len(questions):
        raise BenchError(
            f"{path}: no question has an answer to compare with",
            remedy='Give each its answers, as "metadata": {"answers": ["Dublin"]}, or leave --answers out.',
        )
    return (f"{counted(lacking, 'question')} without gold answers count for passages alone.",) if lacking else ()


def ask_all(ask: Ask, questions: Sequence[BenchQuestion], *, name: str, progress: Progress) -> AnswerRow:
    """Answer all questions with gold answers (at least one) and return the scores."""
    asked = [question for question in questions if question.answers]
    each: list[AnswerScores] = []
    kinds: set[str] = set()
    progress.start(f"answer {name}", len(asked), "questions")
    for question in asked:
        answer = _answer(ask, question, name)
        text = without_citations(answer.text)
        uncited = answer.state == "uncited"
        scores = answer_scores(answer.short, text, question.answers, answered=answer.answered, uncited=uncited)
        each.append(scores)
        kinds.add(answer.kind)
        progress.advance(1)
    row = AnswerRow(mean_answer_scores(each), "+".join(sorted(kinds)))
    progress.finish(f"F1 {row.scores.f1:.3f}, {row.kind}")
    return row


def _answer(ask: Ask, question: BenchQuestion, name: str) -> Answer:
    try:
        return ask(question.text)
    except LlmError:
        raise
    except OverstoryError as error:
        raise BenchError(f"{name}, question {question.id}: {error}", remedy=error.remedy) from error
