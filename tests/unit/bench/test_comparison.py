from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import pytest

from overstory.bench.dataset import load_dataset
from overstory.bench.packing import Layout
from overstory.bench.runner import Refined, compare
from overstory.errors import SettingsError
from overstory.graph import Corpus
from overstory.index import CorpusStatus, StageRecord
from overstory.model import Annotation, Document
from overstory.protocols import Retriever

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
