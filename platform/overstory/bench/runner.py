"""Runs the questions of a benchmark through a retriever, one at a time, and measures quality and time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from overstory.bench.answering import AnswerRow, Ask, ask_all
from overstory.bench.dataset import BenchQuestion
from overstory.bench.metrics import Scores, mean_scores, scores_by_question
from overstory.bench.qrels import Qrels
from overstory.bench.ranking import RankedDocument, RankedDocuments, retrieve_documents
from overstory.errors import BenchError, OverstoryError
from overstory.protocols import Progress, Retriever, Silence

METRIC_DEPTH = 10
"""The deepest rank of any metric, and the minimum number of documents to retrieve."""

_WARM_UP_QUESTIONS = 3


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
    questions: Sequence[BenchQuestion],
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
    """
    progress = progress or Silence()
    name = name or retriever.name
    progress.start(f"ask {name}", len(questions), "questions")
    (result,) = _run({name: retriever}, questions, qrels, k=k, index_seconds={name: index_seconds}, progress=progress)
    progress.finish(f"R@5 {result.row.scores.recall_5:.3f}, {result.row.p50_ms:.0f} ms a question")
    answers = ask_all(ask, questions, name=name, progress=progress) if ask else None
    return replace(result, answers=answers)


def run_interleaved(
    retrievers: Mapping[str, Retriever],
    questions: Sequence[BenchQuestion],
    qrels: Qrels,
    *,
    k: int = METRIC_DEPTH,
    index_seconds: Mapping[str, float] | None = None,
    progress: Progress | None = None,
) -> list[BenchResult]:
    """Ask every retriever a question before the next question, so that other work on the machine slows all alike.

    The order of the retrievers rotates from question to question: none always finds the store warmed up by another.

    Args:
        retrievers: by their names in the report; the results have their order.
        questions, qrels, k: as for `run_bench`.
        index_seconds: by name; 0 if left out.
    """
    progress = progress or Silence()
    progress.start(f"ask {', '.join(retrievers)}", len(questions), "questions")
    results = _run(retrievers, questions, qrels, k=k, index_seconds=index_seconds or {}, progress=progress)
    progress.finish(", ".join(f"{each.row.retriever} {each.row.p50_ms:.0f} ms" for each in results))
    return results


def _run(
    retrievers: Mapping[str, Retriever],
    questions: Sequence[BenchQuestion],
    qrels: Qrels,
    *,
    k: int,
    index_seconds: Mapping[str, float],
    progress: Progress,
) -> list[BenchResult]:
    depth, names = max(k, METRIC_DEPTH), list(retrievers)
    for question in questions[:_WARM_UP_QUESTIONS]:
        for retriever in retrievers.values():
            _ask(retriever, question, depth)
    answers: dict[str, dict[str, RankedDocuments]] = {name: {} for name in names}
    for number, question in enumerate(questions):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            answers[name][question.id] = _ask(retrievers[name], question, depth)
        progress.advance(1)
    return [_scored(name, answers[name], qrels, k=k, index_seconds=index_seconds.get(name, 0.0)) for name in names]


def _scored(
    name: str, answers: Mapping[str, RankedDocuments], qrels: Qrels, *, k: int, index_seconds: float
) -> BenchResult:
    found = {question: [document.key for document in answer.documents] for question, answer in answers.items()}
    scores = scores_by_question(found, qrels)
    seconds = [answer.seconds for answer in answers.values()]
    p50, p95 = (float(each) * 1000.0 for each in np.percentile(seconds, [50, 95]))
    return BenchResult(
        row=BenchRow(name, mean_scores(scores.values()), p50, p95, index_seconds, len(answers)),
        rankings={question: answer.documents[:k] for question, answer in answers.items()},
        scores=scores,
    )


def _ask(retriever: Retriever, question: BenchQuestion, depth: int) -> RankedDocuments:
    try:
        return retrieve_documents(retriever, question.text, depth)
    except OverstoryError as error:
        raise BenchError(f"{retriever.name}, question {question.id}: {error}", remedy=error.remedy) from error
    except Exception as error:
        error.add_note(f"while {retriever.name} was asked question {question.id}: {question.text}")
        raise
