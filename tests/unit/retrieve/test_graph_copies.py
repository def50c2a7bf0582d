"""When copies are made, brought up to date, given up and dropped: with a loader that reads nothing."""

from __future__ import annotations

import datetime
import threading
from dataclasses import dataclass, field
from typing import cast

import pytest

from overstory.errors import DatabaseError
from overstory.graph import Corpus, GraphClient, schema
from overstory.graph.client import Row
from overstory.graph.corpora import corpus_of
from overstory.retrieve.graph_copies import _QUESTIONS_BEFORE_A_COPY, GraphCopies, GraphCopy, Work


class Now:
    def to_native(self) -> datetime.datetime:
        return datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)


class OneCorpus:
    """A graph that holds a corpus, whose version is set by hand."""

    def __init__(self) -> None:
        self.version = 1

    def run(self, name: str, label: str | None = None, /, **_: object) -> list[Row]:
        del label
        assert name == "corpus/read"
        properties = {"id": "c", "name": "c", "corpus": "Corpus_c", "created": Now(), "version": self.version}
        return [
            {
                "schema": schema.MIGRATIONS[-1].to,
                "corpus": properties | {"analyzer": "", "index_set": 1, "embedding_property": "e"},
            }
        ]

    @property
    def corpus(self) -> Corpus:
        return corpus_of(self.run("corpus/read")[0])


@dataclass(frozen=True)
class Part:
    version: int
    nbytes: int = 100


@dataclass
class Counting:
    """Notes what it is asked for; fails as long as there are failures left, and changes the corpus meanwhile."""

    graph: OneCorpus
    failures: list[Exception] = field(default_factory=list[Exception])
    changes: int = 0
    nbytes: int = 100
    read: list[str] = field(default_factory=list[str])
    waits: threading.Event | None = None

    def load(self, graph: GraphClient, corpus: Corpus, work: Work) -> Part:
        del graph
        self.read.append(f"load {corpus.version}")
        return self._part(work)

    def update(self, held: Part, since: Corpus, graph: GraphClient, corpus: Corpus, work: Work) -> Part:
        del graph
        assert held.version >= since.version
        self.read.append(f"{since.version} to {corpus.version}")
        return self._part(work)

    def _part(self, work: Work) -> Part:
        if self.failures:
            raise self.failures.pop()
        if self.waits is not None:
            self.waits.set()
            while True:
                work.rest()
        part = Part(self.graph.version, self.nbytes)
        if self.changes:
            self.changes -= 1
            self.graph.version += 1
        return part


def ask(copy: GraphCopy[Part], graph: OneCorpus, times: int = 1) -> Part | None:
    """What the last of some questions finds; then the work is waited for."""
    found = None
    for _ in range(times):
        found = copy.current(cast("GraphClient", graph), graph.corpus)
    copy.wait()
    return found


def test_a_copy_is_made_after_some_questions_and_used_from_then_on() -> None:
    graph = OneCorpus()
    loader = Counting(graph)
    copy = GraphCopies(1_000).of("parts", lambda: loader)
    assert ask(copy, graph, _QUESTIONS_BEFORE_A_COPY - 1) is None
    assert not loader.read
    assert ask(copy, graph) is None
    assert ask(copy, graph) == Part(1)
    assert loader.read == ["load 1"]


def test_a_copy_of_another_version_is_not_used_and_brought_up_to_date() -> None:
    graph = OneCorpus()
    loader = Counting(graph)
    copy = GraphCopies(1_000).of("parts", lambda: loader)
    ask(copy, graph, _QUESTIONS_BEFORE_A_COPY)
    graph.version = 3
    assert ask(copy, graph) is None
    assert ask(copy, graph) == Part(3)
    assert loader.read == ["load 1", "1 to 3"]


def test_a_corpus_that_changes_meanwhile_is_read_until_it_stands_still() -> None:
    graph = OneCorpus()
    loader = Counting(graph, changes=2)
    copy = GraphCopies(1_000).of("parts", lambda: loader)
    ask(copy, graph, _QUESTIONS_BEFORE_A_COPY)
    assert ask(copy, graph) == Part(3)
    assert loader.read == ["load 1", "1 to 2", "2 to 3"]


def test_a_corpus_that_never_stands_still_is_given_up_and_gone_on_with_at_the_next_question() -> None:
    graph = OneCorpus()
    loader = Counting(graph, changes=7)
    copy = GraphCopies(1_000).of("parts", lambda: loader)
    assert ask(copy, graph, _QUESTIONS_BEFORE_A_COPY) is None
    assert copy.latest() is None
    assert ask(copy, graph) is None
    assert ask(copy, graph) == Part(8)
    assert [each for each in loader.read if each.startswith("load")] == ["load 1"]


@pytest.mark.parametrize("failure", [DatabaseError("gone"), MemoryError(), ValueError("a fault of ours")])
def test_a_failure_is_logged_and_tried_again(failure: Exception, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    graph = OneCorpus()
    loader = Counting(graph, failures=[failure])
    copy = GraphCopies(1_000, retry_seconds=0.0).of("parts", lambda: loader)
    assert ask(copy, graph, _QUESTIONS_BEFORE_A_COPY) is None
    assert "tried again later" in caplog.text
    ask(copy, graph)
    assert ask(copy, graph) == Part(1)


def test_a_failure_is_not_tried_again_at_once() -> None:
    graph = OneCorpus()
    loader = Counting(graph, failures=[DatabaseError("gone")])
    copy = GraphCopies(1_000, retry_seconds=1e6).of("parts", lambda: loader)
    ask(copy, graph, 3 * _QUESTIONS_BEFORE_A_COPY)
    assert loader.read == ["load 1"]


def test_copies_share_their_budget() -> None:
    graph = OneCorpus()
    copies = GraphCopies(250)
    small = copies.of("small", lambda: Counting(graph, nbytes=100))
    large = copies.of("large", lambda: Counting(graph, nbytes=200))
    ask(small, graph, _QUESTIONS_BEFORE_A_COPY)
    ask(large, graph, _QUESTIONS_BEFORE_A_COPY)
    assert ask(small, graph) == Part(1, 100)
    assert ask(large, graph) is None


def test_closing_ends_the_work() -> None:
    graph = OneCorpus()
    begun = threading.Event()
    copies = GraphCopies(1_000)
    copy = copies.of("parts", lambda: Counting(graph, waits=begun))
    for _ in range(_QUESTIONS_BEFORE_A_COPY):
        copy.current(cast("GraphClient", graph), graph.corpus)
    assert begun.wait(10.0)
    copies.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "copy of parts"]
    assert copy.latest() is None
