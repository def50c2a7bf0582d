"""Compares retrievers: loads a benchmark, asks its questions one at a time, and measures quality and time."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Protocol, TypedDict

import numpy as np

from overstory.answer import Answer, without_citations
from overstory.bench.dataset import BenchDataset, BenchQuestion, Qrels
from overstory.bench.layout import Layout, document_qrels, documents, source_name
from overstory.bench.metrics import (
    AnswerScores,
    Scores,
    answer_scores,
    mean_answer_scores,
    mean_scores,
    scores_by_question,
)
from overstory.display import counted
from overstory.errors import BenchError, LlmError, OverstoryError
from overstory.index import CorpusStatus
from overstory.model import Annotation, Document, Hit
from overstory.protocols import Progress, Retriever, Silence
from overstory.systems import find_system, system_names
from overstory.systems.settings import parse

METRIC_DEPTH = 10
"""The lowest rank that any metric uses, and therefore the minimum number of documents to retrieve."""
LOAD_STAGE = "load"
"""Name of the stage that loads documents. Its time does not count as index time."""


class Refined(TypedDict, total=False):
    """Search options that apply to all questions. `Knowledge.retriever` and `Knowledge.ask` explain them."""

    rerank: bool
    decompose: bool
    hypothetical: bool
    where: str


class BenchedKnowledge(Protocol):
    """The methods of `Knowledge` that a comparison calls."""

    def ingest_documents(self, documents: Iterable[Document | Annotation], *, strict: bool = False) -> object: ...

    def index(self, *, systems: Sequence[str]) -> object: ...

    def retriever(
        self,
        name: str,
        *,
        repeats: bool = False,
        rerank: bool = False,
        decompose: bool = False,
        hypothetical: bool = False,
        where: str | None = None,
    ) -> Retriever: ...

    def status(self) -> CorpusStatus: ...


def compare(
    knowledge: BenchedKnowledge,
    dataset: BenchDataset,
    layout: Layout,
    retrievers: Sequence[str],
    *,
    k: int = METRIC_DEPTH,
    refined: Refined | None = None,
    asking: Callable[[str], Ask] | None = None,
    matching: Callable[[], Container[str]] | None = None,
    say: Callable[[str], object] = str,
    progress: Progress | None = None,
) -> list[BenchResult]:
    """Measure retrievers on a benchmark, and return one result per retriever in the given order.

    Args:
        knowledge: must be opened on the corpus named `corpus_name(…)`, which contains only this dataset in this layout.
            Documents that are already loaded are kept.
        retrievers: names of the retrievers, each optionally followed by a colon and options.
        k: number of documents per question that are kept in the rankings.
        asking: takes the name of a retriever and returns a function that answers questions with it. If None, answers
            are not measured.
        matching: returns the keys of the documents that match the filter in `refined`. It is called after the documents
            are loaded. Other documents count as irrelevant, and questions without a relevant document are left out.
        say: called with notes for the user.
    """
    made = {name: knowledge.retriever(name, repeats=True, **(refined or {})) for name in retrievers}
    load_and_index(knowledge, dataset, layout, retrievers)
    status = knowledge.status()
    qrels = document_qrels(dataset.qrels, dataset.passage_ids, layout)
    questions: Sequence[BenchQuestion] = dataset.questions
    if matching is not None:
        qrels = relevant_among(qrels, matching())
        questions = [question for question in questions if question.id in qrels]
        say(left_out(len(dataset.questions), len(questions), (refined or {}).get("where", "")))
    return [
        run_bench(
            retriever,
            questions,
            qrels,
            name=name,
            k=k,
            index_seconds=_index_seconds(status, name),
            ask=asking(name) if asking else None,
            progress=progress,
        )
        for name, retriever in made.items()
    ]


def relevant_among(qrels: Qrels, matching: Container[str]) -> Qrels:
    """Return the judgements about given documents only.

    Questions without a relevant document among them are left out.

    Args:
        matching: keys of the documents.
    """
    left = {
        question: {document: score for document, score in scores.items() if document in matching}
        for question, scores in qrels.items()
    }
    return {question: scores for question, scores in left.items() if any(score > 0 for score in scores.values())}


def left_out(questions: int, asked: int, where: str) -> str:
    """Return a note about the number of questions that a filter leaves out.

    Args:
        questions: number of questions before filtering.
        asked: number of questions that remain, because a relevant document matches the filter.

    Raises:
        BenchError: No question remains.
    """
    if not asked:
        raise BenchError(
            f"No document that matches {where!r} is relevant to any of the {counted(questions, 'question')}.",
            remedy="`overstory documents --where` lists the documents that match.",
        )
    gone = counted(questions - asked, "question")
    return f"{gone} of {questions:,} left out, because no relevant document matches the filter."


def load_and_index(
    knowledge: BenchedKnowledge, dataset: BenchDataset, layout: Layout, retrievers: Iterable[str]
) -> None:
    """Load the missing documents of a dataset, then build or update the indexes that the retrievers need."""
    passages = documents(dataset.read_passages(), layout, source=source_name(dataset))
    knowledge.ingest_documents(passages, strict=True)
    knowledge.index(systems=_systems(retrievers))


def _systems(retrievers: Iterable[str]) -> list[str]:
    needs: dict[str, list[str]] = {}
    for retriever in retrievers:
        name, _, options = retriever.partition(":")
        if name in system_names():
            system = find_system(name)
            needed = system.index_options(parse(system.retriever_settings, options, of=f"The retriever {name!r}"))
            needs.setdefault(name, []).extend([needed] if needed else [])
    return [f"{name}:{','.join(dict.fromkeys(options))}" if options else name for name, options in needs.items()]


def _index_seconds(status: CorpusStatus, retriever: str) -> float:
    others = {LOAD_STAGE, *system_names()} - {retriever.partition(":")[0]}
    return sum(stage.seconds for stage in status.stages if stage.name not in others)


Ask = Callable[[str], Answer]


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """The quality of the answers obtained with one retriever.

    Attributes:
        scores: means over the questions that have gold answers.
        kind: "llm" if a language model answered, "extractive" if not, or "extractive+llm" if both occurred.
    """

    scores: AnswerScores
    kind: str


def check_answers(questions: Sequence[BenchQuestion], path: Path) -> tuple[str, ...]:
    """Return a note about the questions without gold answers, if there are any.

    Args:
        path: the file of questions, for messages.

    Raises:
        BenchError: No question has a gold answer.
    """
    lacking = sum(not question.answers for question in questions)
    if lacking == len(questions):
        raise BenchError(
            f"{path}: no question has an answer to compare with",
            remedy='Add answers to the questions, as "metadata": {"answers": ["Dublin"]}, or leave out --answers.',
        )
    return (f"{counted(lacking, 'question')} without gold answers: only passages are scored.",) if lacking else ()


def ask_all(ask: Ask, questions: Sequence[BenchQuestion], *, name: str, progress: Progress) -> AnswerRow:
    """Answer every question that has gold answers, and return the mean scores.

    Args:
        questions: at least one question must have a gold answer.
    """
    asked = [question for question in questions if question.answers]
    each: list[AnswerScores] = []
    kinds: set[str] = set()
    progress.start(f"answer {name}", len(asked), "questions")
    for question in asked:
        answer = answer_of(ask, question.text, f"{name}, question {question.id}")
        text = without_citations(answer.text)
        uncited = answer.state == "uncited"
        scores = answer_scores(answer.short, text, question.answers, answered=answer.answered, uncited=uncited)
        each.append(scores)
        kinds.add(answer.kind)
        progress.advance(1)
    row = AnswerRow(mean_answer_scores(each), "+".join(sorted(kinds)))
    progress.finish(f"F1 {row.scores.f1:.3f}, {row.kind}")
    return row


def answer_of(ask: Ask, question: str, place: str) -> Answer:
    """Return the answer to a question.

    Args:
        place: describes where the question is in the benchmark. Error messages begin with it.
    """
    try:
        return ask(question)
    except LlmError:
        raise
    except OverstoryError as error:
        raise BenchError(f"{place}: {error}", remedy=error.remedy) from error


@dataclass(frozen=True, slots=True)
class RankedDocument:
    """A retrieved document: its `source_key`, and the score of its best chunk."""

    key: str
    score: float


@dataclass(frozen=True, slots=True)
class RankedDocuments:
    """The documents retrieved for a question.

    Attributes:
        documents: documents, best first.
        seconds: duration of the last call to the retriever.
    """

    documents: tuple[RankedDocument, ...]
    seconds: float


def rank_documents(hits: Iterable[Hit]) -> tuple[RankedDocument, ...]:
    """Return the distinct documents to which the hits belong, in the order of their best chunks."""
    best: dict[str, RankedDocument] = {}
    for hit in hits:
        best.setdefault(hit.source_key, RankedDocument(hit.source_key, hit.score))
    return tuple(best.values())


def retrieve_documents(retriever: Retriever, question: str, k: int) -> RankedDocuments:
    """Return the best `k` documents for a question, or fewer if the retriever does not find `k`.

    The retriever is asked for `k` chunks first. While these belong to fewer than `k` documents, it is asked again for
    twice as many chunks.
    """
    asked = k
    while True:
        begun = perf_counter()
        hits = retriever.retrieve(question, asked).hits
        seconds = perf_counter() - begun
        ranked = rank_documents(hits)
        if len(ranked) >= k or len(hits) < asked:
            return RankedDocuments(ranked[:k], seconds)
        asked *= 2


_WARM_UP_QUESTIONS = 3


@dataclass(frozen=True, slots=True)
class BenchRow:
    """The figures of one retriever, shown as one line of the report.

    Attributes:
        scores: means over the questions.
        p50_ms: median time per question in milliseconds, counting only the last call to the retriever.
        p95_ms: 95th percentile of these times.
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
        rankings: map from question ids to the retrieved documents, best first.
        scores: map from question ids to metrics. The questions are in the same order for all retrievers.
        answers: metrics of the answers; None if answers were not requested.
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
    """Ask one retriever every question, after a few warm-up questions, and score the documents that it retrieves.

    Documents are ranked by their best chunk.

    Args:
        questions: the questions; must not be empty.
        qrels: judgements of documents (see `layout.document_qrels`).
        name: the retriever's name in the report; by default `retriever.name`.
        k: number of documents per question that are kept in the rankings. At least `METRIC_DEPTH` documents are
            retrieved.
        ask: answers a question with this retriever. Questions are answered after the retrieval, and are not timed.
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
    """Ask several retrievers the same questions, and return one result per retriever.

    Each question is put to all retrievers before the next question, so that other load on the machine affects all of
    them equally. The order of the retrievers rotates with each question. Therefore no retriever always benefits from
    the caches that another retriever has filled.

    Args:
        retrievers: map from names in the report to retrievers. The results are in the same order.
        questions, qrels, k: see `run_bench`.
        index_seconds: map from retriever names to the seconds that were needed to build the index; by default 0.
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
