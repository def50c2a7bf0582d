from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import pytest

from overstory.bench.dataset import BenchQuestion, load_dataset
from overstory.bench.layout import Layout
from overstory.bench.runner import Refined, compare, run_bench, run_interleaved
from overstory.errors import BenchError, DatabaseUnreachable, SettingsError
from overstory.graph import Corpus
from overstory.index import CorpusStatus, StageRecord
from overstory.model import Annotation, Document
from overstory.protocols import Retriever

if TYPE_CHECKING:
    from tests.unit.bench.conftest import FakeRetriever

QUESTIONS = [BenchQuestion("q1", "first?"), BenchQuestion("q2", "second?")]
CHUNKS = [f"d{number}#0" for number in range(40)]


class RecordedProgress:
    def __init__(self) -> None:
        self.heard: list[str] = []

    def start(self, task: str, total: int | None, unit: str) -> None:
        self.heard.append(f"start {task} {total} {unit}")

    def advance(self, amount: int) -> None:
        self.heard.append(str(amount))

    def finish(self, detail: str) -> None:
        self.heard.append(detail)


def test_rankings_are_scored_and_every_question_is_timed(fake_retriever: type[FakeRetriever]) -> None:
    retriever = fake_retriever(lambda question: CHUNKS if question == "first?" else CHUNKS[::-1])
    progress = RecordedProgress()
    result = run_bench(
        retriever,
        QUESTIONS,
        {"q1": {"d0": 1, "d1": 1}, "q2": {"d0": 1}},
        index_seconds=1.5,
        progress=progress,
    )
    assert (result.row.scores.recall_2, result.row.scores.all_5, result.row.scores.ndcg_10) == (0.5, 0.5, 0.5)
    assert {question: (of.recall_2, of.all_5) for question, of in result.scores.items()} == {
        "q1": (1.0, 1.0),
        "q2": (0.0, 0.0),
    }
    assert (result.row.retriever, result.row.queries, result.row.index_s) == ("fake", 2, 1.5)
    assert 0.0 < result.row.p50_ms <= result.row.p95_ms
    assert progress.heard == [
        "start ask fake 2 questions",
        "1",
        "1",
        f"R@5 0.500, {result.row.p50_ms:.0f} ms a question",
    ]
    assert [document.key for document in result.rankings["q1"]] == [f"d{number}" for number in range(10)]


def test_documents_rank_by_their_best_chunk(fake_retriever: type[FakeRetriever]) -> None:
    retriever = fake_retriever(lambda _: ["d2#0", "d1#0", "d2#1", "d0#0", "d1#1"])
    result = run_bench(retriever, QUESTIONS[:1], {"q1": {"d1": 1}})
    assert [(each.key, each.score) for each in result.rankings["q1"]] == [("d2", 1.0), ("d1", 0.5), ("d0", 0.25)]


def test_more_chunks_are_asked_for_until_there_are_enough_documents(fake_retriever: type[FakeRetriever]) -> None:
    retriever = fake_retriever(lambda _: [f"d{number // 5}#{number % 5}" for number in range(500)])
    result = run_bench(retriever, QUESTIONS[:1], {"q1": {"d9": 1}})
    assert len(result.rankings["q1"]) == 10
    assert [k for _, k in retriever.asked] == [10, 20, 40, 80] * 2


def test_a_question_is_asked_once_where_every_chunk_is_a_document(fake_retriever: type[FakeRetriever]) -> None:
    retriever = fake_retriever(lambda _: CHUNKS)
    run_bench(retriever, QUESTIONS[:1], {"q1": {"d0": 1}})
    assert retriever.asked == [("first?", 10)] * 2  # once to warm up


def test_a_variant_of_a_retriever_is_reported_by_the_name_it_was_asked_for(
    fake_retriever: type[FakeRetriever],
) -> None:
    result = run_bench(fake_retriever(lambda _: CHUNKS), QUESTIONS[:1], {"q1": {"d0": 1}}, name="fake:variant")
    assert result.row.retriever == "fake:variant"


def test_a_small_k_shortens_the_ranking_and_leaves_the_metrics_whole(fake_retriever: type[FakeRetriever]) -> None:
    result = run_bench(fake_retriever(lambda _: CHUNKS), QUESTIONS[:1], {"q1": {"d8": 1}}, k=3)
    assert len(result.rankings["q1"]) == 3
    assert result.row.scores.recall_10 == 1.0


def test_a_large_k_gives_a_longer_ranking(fake_retriever: type[FakeRetriever]) -> None:
    result = run_bench(fake_retriever(lambda _: CHUNKS), QUESTIONS[:1], {"q1": {"d8": 1}}, k=30)
    assert len(result.rankings["q1"]) == 30


def test_a_failing_question_is_named_with_the_remedy_of_its_cause(fake_retriever: type[FakeRetriever]) -> None:
    def fail(question: str) -> Sequence[str]:
        raise DatabaseUnreachable("nothing answers", remedy="Start it.")

    with pytest.raises(BenchError, match=r"fake, question q1: nothing answers") as caught:
        run_bench(fake_retriever(fail), QUESTIONS, {"q1": {"d0": 1}})
    assert caught.value.remedy == "Start it."
    assert isinstance(caught.value.__cause__, DatabaseUnreachable)


def test_a_broken_retriever_keeps_its_own_error_with_a_note(fake_retriever: type[FakeRetriever]) -> None:
    def fail(question: str) -> Sequence[str]:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as caught:
        run_bench(fake_retriever(fail), QUESTIONS, {"q1": {"d0": 1}})
    assert caught.value.__notes__ == ["while fake was asked question q1: first?"]


def test_retrievers_are_asked_side_by_side_in_rotating_order(fake_retriever: type[FakeRetriever]) -> None:
    asked: list[tuple[str, str]] = []

    def finding(name: str, chunks: Sequence[str]) -> FakeRetriever:
        def find(question: str) -> Sequence[str]:
            asked.append((name, question))
            return chunks

        return fake_retriever(find, name)

    both = {"first": finding("first", CHUNKS), "second": finding("second", CHUNKS[::-1])}
    results = run_interleaved(both, QUESTIONS, {"q1": {"d0": 1}, "q2": {"d39": 1}}, index_seconds={"second": 2.5})
    assert asked[-4:] == [("first", "first?"), ("second", "first?"), ("second", "second?"), ("first", "second?")]
    assert [(each.row.retriever, each.row.index_s, each.row.queries) for each in results] == [
        ("first", 0.0, 2),
        ("second", 2.5, 2),
    ]
    assert [{q: of.recall_5 for q, of in each.scores.items()} for each in results] == [
        {"q1": 1.0, "q2": 0.0},
        {"q1": 0.0, "q2": 1.0},
    ]


if TYPE_CHECKING:
    from tests.unit.bench.conftest import FakeRetriever, Folder

NOW = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)


class FakeKnowledge:
    """Keeps what it is given; its retrievers find every document, in the order of their keys."""

    def __init__(self, retriever: type[FakeRetriever], *names: str) -> None:
        self.done: list[str] = []
        self.documents: list[Document | Annotation] = []
        self.refined: list[Refined] = []
        self._retriever = retriever
        self._names = names

    def ingest_documents(self, documents: Iterable[Document | Annotation], *, strict: bool = False) -> None:
        self.done.append(f"ingest, strict={strict}")
        self.documents = list(documents)

    def index(self, *, systems: Sequence[str]) -> None:
        self.done.append(" ".join(["index", *systems]))

    def retriever(
        self,
        name: str,
        *,
        repeats: bool = False,
        rerank: bool = False,
        decompose: bool = False,
        hypothetical: bool = False,
        where: str | None = None,
    ) -> Retriever:
        assert where is None
        self.refined.append({"rerank": rerank, "decompose": decompose, "hypothetical": hypothetical})
        assert repeats  # or a gold document could be hidden by its equals
        if name not in self._names:
            raise SettingsError(f"There is no retriever {name!r}.")
        return self._retriever(lambda _: sorted(document.source_key for document in self.documents), name)

    def status(self) -> CorpusStatus:
        stages = [
            StageRecord(name, "1", "done", NOW, NOW, seconds, 0, {}, 1)
            for name, seconds in (("load", 100.0), ("embed", 1.5), ("entities", 0.25), ("slimrag", 3.0))
        ]
        corpus = Corpus("bench", "Corpus_0", NOW, 1, "english", 1, "", 0, "embedding", "", -1, "")
        return CorpusStatus(corpus=corpus, counts={}, pending={}, stages=stages, writer="")


def test_every_retriever_is_refined_alike(folder: Folder, fake_retriever: type[FakeRetriever]) -> None:
    knowledge = FakeKnowledge(fake_retriever, "dense", "lexical")
    compare(knowledge, load_dataset(folder.write()), Layout(), ["lexical", "dense"], refined={"rerank": True})
    assert knowledge.refined == [{"rerank": True, "decompose": False, "hypothetical": False}] * 2


def test_every_retriever_is_asked_on_the_same_corpus(folder: Folder, fake_retriever: type[FakeRetriever]) -> None:
    knowledge = FakeKnowledge(fake_retriever, "dense", "lexical")
    results = compare(knowledge, load_dataset(folder.write()), Layout(), ["lexical", "dense"])
    assert [result.row.retriever for result in results] == ["lexical", "dense"]
    assert knowledge.done == ["ingest, strict=True", "index"]
    assert [document.source_key for document in knowledge.documents] == ["p1", "p2", "p3"]
    assert results[0].row.scores.recall_2 == 0.75
    assert results[0].row.index_s == 1.75


def test_a_system_is_indexed_once_and_its_seconds_are_its_own(
    folder: Folder, fake_retriever: type[FakeRetriever]
) -> None:
    knowledge = FakeKnowledge(fake_retriever, "dense", "slimrag", "slimrag:whole")
    results = compare(knowledge, load_dataset(folder.write()), Layout(), ["dense", "slimrag", "slimrag:whole"])
    assert knowledge.done == ["ingest, strict=True", "index slimrag"]
    assert [result.row.index_s for result in results] == [1.75, 4.75, 4.75]


def test_a_system_is_indexed_with_what_its_retrievers_need(folder: Folder, fake_retriever: type[FakeRetriever]) -> None:
    names = ["serag", "slimrag", "serag:paper,semantic", "serag:semantic"]
    knowledge = FakeKnowledge(fake_retriever, *names)
    results = compare(knowledge, load_dataset(folder.write()), Layout(), names)
    assert knowledge.done == ["ingest, strict=True", "index serag:semantic slimrag"]
    assert [result.row.retriever for result in results] == names


def test_packed_documents_are_scored_as_documents(folder: Folder, fake_retriever: type[FakeRetriever]) -> None:
    knowledge = FakeKnowledge(fake_retriever, "dense")
    (result,) = compare(knowledge, load_dataset(folder.write()), Layout(pack=3), ["dense"])
    assert [document.source_key for document in knowledge.documents] == ["pack000000"]
    assert result.row.scores.recall_2 == 1.0


def test_nothing_is_loaded_for_a_retriever_that_does_not_exist(
    folder: Folder, fake_retriever: type[FakeRetriever]
) -> None:
    knowledge = FakeKnowledge(fake_retriever, "dense")
    with pytest.raises(SettingsError):
        compare(knowledge, load_dataset(folder.write()), Layout(), ["dense", "sparse"])
    assert knowledge.done == []
