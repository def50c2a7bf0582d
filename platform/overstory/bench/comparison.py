"""Comparison of retrievers on one corpus: loads and indexes what is missing, then runs each in turn."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from typing import Protocol, TypedDict

from overstory.bench.answering import Ask
from overstory.bench.dataset import BenchDataset, BenchQuestion
from overstory.bench.packing import Layout, document_qrels, documents, source_name
from overstory.bench.qrels import Qrels
from overstory.bench.runner import METRIC_DEPTH, BenchResult, run_bench
from overstory.display import counted
from overstory.errors import BenchError
from overstory.index import CorpusStatus
from overstory.model import Annotation, Document
from overstory.protocols import Progress, Retriever
from overstory.systems import find_system, system_names
from overstory.systems.settings import parse

LOAD_STAGE = "load"
"""Not an index stage; every comparison records it again, even if there is nothing to load."""


class Refined(TypedDict, total=False):
    """How each question is refined, as options of `Knowledge.retriever` and `Knowledge.ask`."""

    rerank: bool
    decompose: bool
    hypothetical: bool
    where: str


class BenchedKnowledge(Protocol):
    """The part of `Knowledge` that a comparison uses."""

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
    """The results of the retrievers, in the given order.

    Args:
        knowledge: opened on `corpus_name(…)`, a corpus only for this dataset in this layout. Existing data is kept.
        refined: how questions are refined, for all retrievers alike.
        asking: returns the function that answers with a named retriever, if answers are measured.
        matching: gives the keys of the documents that fulfil the filter of `refined`, once they are loaded: others are
            relevant to no question, and questions without a relevant document are left out.
        say: is told what readers of the figures should know.
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
    """The judgements of some documents, of the questions to which one of these is relevant."""
    left = {
        question: {document: score for document, score in scores.items() if document in matching}
        for question, scores in qrels.items()
    }
    return {question: scores for question, scores in left.items() if any(score > 0 for score in scores.values())}


def left_out(questions: int, asked: int, where: str) -> str:
    """What a filter leaves of some questions, in words; an error if it leaves none."""
    if not asked:
        raise BenchError(
            f"To none of the {counted(questions, 'question')} is a document relevant that fulfils {where!r}.",
            remedy="`overstory documents --where` lists the documents that do.",
        )
    gone = counted(questions - asked, "question")
    return (
        f"Documents that do not fulfil the filter are relevant to no question: left out for that are {gone} of "
        f"{questions:,}."
    )


def load_and_index(
    knowledge: BenchedKnowledge, dataset: BenchDataset, layout: Layout, retrievers: Iterable[str]
) -> None:
    """Load what is missing of a dataset, and build or update the indexes that the retrievers need."""
    passages = documents(dataset.read_passages(), layout, source=source_name(dataset))
    knowledge.ingest_documents(passages, strict=True)
    knowledge.index(systems=_systems(retrievers))


def _systems(retrievers: Iterable[str]) -> list[str]:
    """The systems that retrievers belong to, with the options of their indexes that the retrievers need."""
    needs: dict[str, list[str]] = {}
    for retriever in retrievers:
        name, _, options = retriever.partition(":")
        if name in system_names():
            system = find_system(name)
            needed = system.index_options(parse(system.retriever_settings, options, of=f"The retriever {name!r}"))
            needs.setdefault(name, []).extend([needed] if needed else [])
    return [f"{name}:{','.join(dict.fromkeys(options))}" if options else name for name, options in needs.items()]


def _index_seconds(status: CorpusStatus, retriever: str) -> float:
    """The seconds of the stages when they last ran, without loading and without the stages of other systems."""
    others = {LOAD_STAGE, *system_names()} - {retriever.partition(":")[0]}
    return sum(stage.seconds for stage in status.stages if stage.name not in others)
