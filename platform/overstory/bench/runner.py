"""Runs the questions of a benchmark through a retriever, one at a time, and measures quality and time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from overstory.bench.answering import AnswerRow, Ask, ask_all
from overstory.bench.dataset import Question
from overstory.bench.metrics import Scores, mean_scores, scores_by_question
from overstory.bench.qrels import Qrels
from overstory.bench.ranking import Answer, RankedDocument, retrieve_documents
from overstory.errors import BenchError, OverstoryError
from overstory.protocols import Progress, Retriever, Silence

METRIC_DEPTH = 10
"""The deepest rank of any metric, and the minimum number of documents to retrieve."""

_WARM_UP = 3


@dataclass(frozen=True, slots=True)
class BenchRow:
    """One line of the report.

    Attributes:
        scores: means over the questions.
        p50_ms, p95_ms: milliseconds per question, median and 95th percentile, of the retriever's final call.
        index_s: seconds that building the retriever's index took, when it was built.
        queries: number of questions.
    """

    retriever: str
    scores: Scores
    p50_ms: float
    p95_ms: float
    index_s: float
    queries: int


@dataclass(frozen=True, slots=True)
class BenchResult:
    """The result of one retriever.

    Attributes:
        rankings: the documents found for each question, best first.
        scores: the metrics of each question with gold, in the same order for every retriever.
        answers: the metrics of its answers, if requested.
    """

    row: BenchRow
    rankings: Mapping[str, tuple[RankedDocument, ...]]
    scores: Mapping[str, Scores]
    answers: AnswerRow | None = None


def run_bench(
    retriever: Retriever,
    questions: Sequence[Question],
    qrels: Qrels,
    *,
    name: str | None = None,
    k: int = METRIC_DEPTH,
    index_seconds: float = 0.0,
    ask: Ask | None = None,
    progress: Progress | None = None,
) -> BenchResult:
    """Run every question once, after a few warm-up questions, and rank documents by their best chunk.

    Args:
        questions: at least one.
        name: the retriever's name in the report; by default its own.
        qrels: judgements at the level of documents (see `packing.document_qrels`).
        k: documents per question; at least `METRIC_DEPTH` are retrieved, and the first `k` kept in the rankings.
        ask: answers a question with this retriever; run after the retrieval, and not timed.

    Raises:
        BenchError: a question failed; the message names it.
    """
    progress = progress or Silence()
    depth = max(k, METRIC_DEPTH)
    for question in questions[:_WARM_UP]:
        _ask(retriever, question, depth)
    rankings: dict[str, tuple[RankedDocument, ...]] = {}
    seconds: list[float] = []
    progress.start(f"ask {name or retriever.name}", len(questions), "questions")
    for question in questions:
        answer = _ask(retriever, question, depth)
        rankings[question.id] = answer.documents
        seconds.append(answer.seconds)
        progress.advance(1)
    found = {question: [document.key for document in ranking] for question, ranking in rankings.items()}
    scores = scores_by_question(found, qrels)
    p50, p95 = (float(each) * 1000.0 for each in np.percentile(seconds, [50, 95]))
    row = BenchRow(name or retriever.name, mean_scores(scores.values()), p50, p95, index_seconds, len(questions))
    progress.finish(f"R@5 {row.scores.recall_5:.3f}, {p50:.0f} ms a question")
    answers = ask_all(ask, questions, name=row.retriever, progress=progress) if ask else None
    return BenchResult(
        row=row,
        rankings={question: ranking[:k] for question, ranking in rankings.items()},
        scores=scores,
        answers=answers,
    )


def _ask(retriever: Retriever, question: Question, depth: int) -> Answer:
    try:
        return retrieve_documents(retriever, question.text, depth)
    except OverstoryError as error:
        raise BenchError(f"{retriever.name}, question {question.id}: {error}", remedy=error.remedy) from error
    except Exception as error:
        error.add_note(f"while {retriever.name} was asked question {question.id}: {question.text}")
        raise
