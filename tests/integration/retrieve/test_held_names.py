"""Names and links held in memory: brought up to date after any change, a copy is as one that is loaded afresh."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields

import numpy as np
import pytest
from tests.fakes import HashingEmbedder, ScriptedExtractor
from tests.passages import SOURCE, OpenCorpus, passage

from overstory.errors import OverstoryError
from overstory.graph import GraphClient, read_corpus
from overstory.knowledge import Knowledge
from overstory.model import Document
from overstory.retrieve import RetrievalContext
from overstory.retrieve.canopy import CanopyRetriever, held_names
from overstory.retrieve.canopy.held_names import WHAT, NamesCopy, NamesLoader
from overstory.retrieve.canopy.name_index import ChunkLists, Entities, NameIndex, Texts
from overstory.retrieve.graph_copies import _QUESTIONS_BEFORE_A_COPY, GraphCopies, Held, NoRoom, Work

NAMES = {"Ada": "PERSON", "Babbage": "PERSON", "Ulm": "GPE", "Endicott": "GPE", "Curie": "PERSON", "Warsaw": "GPE"}
TITLES = (*NAMES, "Ada Lovelace", "A. Lovelace", "Marie Curie", "Maria Curie", "Glossary", "")
STEPS = 14


def document(chance: random.Random, number: int) -> Document:
    first, second, third = chance.sample(sorted(NAMES), 3)
    text = f"{first} met {second}. {second} left {third}. Nobody knew {chance.choice(TITLES)} then."
    return passage(f"d{number}", chance.choice(TITLES), text)


def alone() -> Work:
    return Work(threading.Event(), lambda: 100_000_000)


def loaded(knowledge: Knowledge) -> Held[NamesCopy]:
    corpus = read_corpus(knowledge.graph, knowledge.corpus_name)
    return Held(corpus, NamesLoader().load(knowledge.graph, corpus, alone()))


def updated(knowledge: Knowledge, held: Held[NamesCopy]) -> Held[NamesCopy]:
    corpus = read_corpus(knowledge.graph, knowledge.corpus_name)
    value = NamesLoader().update(held.value, held.corpus, knowledge.graph, corpus, alone())
    return Held(corpus, value)


def contents(value: object) -> object:
    """All that is in an index."""
    if isinstance(value, Texts):
        return [value[number] for number in range(len(value.starts) - 1)]
    if isinstance(value, (NameIndex, Entities, ChunkLists)):
        return {each.name: contents(getattr(value, each.name)) for each in fields(value)}
    assert isinstance(value, (np.ndarray, list))
    return list(value) if isinstance(value, list) else list(value.tolist())


class Interrupted(Exception):
    pass


def interrupted_index(knowledge: Knowledge, chance: random.Random) -> None:
    """An index run that ends somewhere on its way."""
    left = chance.randint(1, 6)

    def step(_: object) -> None:
        nonlocal left
        left -= 1
        if left <= 0:
            raise Interrupted

    with Knowledge(knowledge.corpus_name, settings=knowledge.settings, progress=step) as other:
        other.use(embedder=knowledge.embedder, extractor=knowledge.extractor)
        with suppress(Interrupted):
            other.index()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_a_copy_that_was_brought_up_to_date_equals_one_that_is_loaded(open_corpus: OpenCorpus, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 # no secret
    knowledge = open_corpus(embedder=HashingEmbedder(8), extractor=ScriptedExtractor(NAMES))
    knowledge.ingest_documents(document(chance, number) for number in range(12))
    knowledge.index()
    held = loaded(knowledge)
    there = set(range(12))

    def add() -> None:
        numbers = [chance.randrange(40) for _ in range(chance.randint(1, 3))]
        there.update(numbers)
        knowledge.ingest_documents([document(chance, number) for number in dict.fromkeys(numbers)])

    def delete() -> None:
        number = chance.choice(sorted(there))
        there.discard(number)
        knowledge.delete_documents(knowledge.document_id(SOURCE, f"d{number}"))

    def edit() -> None:
        one, other = chance.sample(sorted(NAMES), 2)
        with suppress(OverstoryError):  # they are one already
            if chance.random() < 0.5:
                knowledge.hide_names(one, future=True)
            else:
                knowledge.merge_names(one, other, future=True)

    def undo() -> None:
        if knowledge.name_edits():
            knowledge.undo_name_edit()

    actions: list[Callable[[], object]] = [add, add, delete, edit, undo, knowledge.index, knowledge.index]
    actions.append(lambda: interrupted_index(knowledge, chance))
    for step in range(STEPS):
        action = chance.choice(actions)
        action()
        if chance.random() < 0.7:  # or several changes at once
            held = updated(knowledge, held)
            assert contents(held.value.index) == contents(loaded(knowledge).value.index), (step, action)
    knowledge.index()
    assert contents(updated(knowledge, held).value.index) == contents(loaded(knowledge).value.index)


def canopy(knowledge: Knowledge, copies: GraphCopies, graph: GraphClient | None = None) -> CanopyRetriever:
    return CanopyRetriever(
        RetrievalContext(graph or knowledge.graph, knowledge.corpus_name, knowledge.embedder, copies=copies)
    )


def ask(retriever: CanopyRetriever, times: int) -> None:
    for _ in range(times):
        assert retriever.retrieve("Where was Albert Einstein born?", 3).hits


def test_few_questions_load_nothing(shared_corpus: Knowledge) -> None:
    copies = GraphCopies(100_000_000)
    ask(canopy(shared_corpus, copies), _QUESTIONS_BEFORE_A_COPY - 1)
    copies.wait()
    assert copies.of(WHAT, NamesLoader).latest() is None


def test_a_copy_beyond_the_budget_is_not_held_and_the_log_says_so_once(
    shared_corpus: Knowledge, caplog: pytest.LogCaptureFixture
) -> None:
    copies = GraphCopies(500)
    retriever = canopy(shared_corpus, copies)
    for _ in range(2):
        ask(retriever, _QUESTIONS_BEFORE_A_COPY)
        copies.wait()
    assert copies.of(WHAT, NamesLoader).latest() is None
    (said,) = [record.getMessage() for record in caplog.records]
    assert "OVERSTORY_RETRIEVAL_MB" in said
    assert shared_corpus.corpus_name in said


class CountedWork(Work):
    rests = 0

    def rest(self) -> None:
        self.rests += 1


@pytest.mark.slow
def test_a_copy_that_would_be_too_large_is_given_up_before_all_names_are_read(
    open_corpus: OpenCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held_names, "_HELD_NAMES_A_STATEMENT", 10)
    monkeypatch.setattr(held_names, "_HELD_NAMES_BEFORE_AN_ESTIMATE", 20)
    knowledge = open_corpus()
    knowledge.use(embedder=HashingEmbedder(8), extractor=ScriptedExtractor(NAMES))
    knowledge.ingest_documents(passage(f"d{n}", f"Mount {n} Peak", f"Mount {n} Peak is high.") for n in range(200))
    knowledge.index()
    corpus, copy = read_corpus(knowledge.graph, knowledge.corpus_name), loaded(knowledge).value
    assert len(copy.index.entities.df) >= 200
    work = CountedWork(threading.Event(), lambda: copy.nbytes // 2)
    with pytest.raises(NoRoom):
        NamesLoader().load(knowledge.graph, corpus, work)
    assert work.rests <= 3
    with_room = Work(threading.Event(), lambda: 2 * copy.nbytes)  # what is read takes more than what is made of it
    assert NamesLoader().load(knowledge.graph, corpus, with_room).nbytes == copy.nbytes


def test_a_budget_of_0_holds_nothing_and_says_nothing(
    shared_corpus: Knowledge, caplog: pytest.LogCaptureFixture
) -> None:
    copies = GraphCopies(0)
    ask(canopy(shared_corpus, copies), _QUESTIONS_BEFORE_A_COPY + 1)
    copies.wait()
    assert copies.of(WHAT, NamesLoader).latest() is None
    assert not caplog.records


def test_closing_ends_the_work_and_drops_the_copies(shared_corpus: Knowledge) -> None:
    copies = GraphCopies(100_000_000)
    retriever = canopy(shared_corpus, copies)
    ask(retriever, _QUESTIONS_BEFORE_A_COPY)
    copies.close()
    assert copies.of(WHAT, NamesLoader).latest() is None
    assert not [thread for thread in threading.enumerate() if WHAT in thread.name]
    ask(retriever, 1)
