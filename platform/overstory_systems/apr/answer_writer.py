"""How an answer is remembered: in a short transaction without the corpus' lease, so that questions wait for no writer.

The transaction locks the chunks that the answer stands on, and looks again whether they state its facts. The version of
the corpus stays, and with it every cache. Where others hold what it needs, it is tried again, and then waits in the
process until the next answer is remembered, or the connection closed.
"""

from __future__ import annotations

import datetime
import json
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from overstory.answer import Answer
from overstory.display import counted, shortened
from overstory.errors import CorpusError, DatabaseError, WriteConflict
from overstory.graph import Corpus, GraphClient, Transaction, read_corpus
from overstory.systems.base import LearningRun, System
from overstory.systems.state import read_state
from overstory.vectors.packed import packed, unpacked
from overstory_systems.apr.codebook import SymbolKind, answer_id, memory_id, question_id, segment, symbol_id, symbol_key
from overstory_systems.apr.encodings import KnowledgePart
from overstory_systems.apr.prompt import ASKED_FOR
from overstory_systems.apr.recall import (
    MOST_REMEMBERED_QUESTIONS,
    CitedFact,
    StatedFact,
    citations_of,
    cited_facts,
    quote,
    short_of,
    why_not,
)
from overstory_systems.apr.settings import AprIndexSettings

# What is learnt of an answer that was just given.
#
# An answer is remembered only with facts of the passages that it cites, and only if it says them. So a memory holds
# nothing that no passage states; what a passage says falsely goes with the passage.

_MOST_CITED_CHUNKS = 100
"""Cited passages whose facts are looked at."""


class AnswerWriter:
    """Learns answers; those that cannot be written yet wait. Safe to share between threads."""

    def __init__(self, system: System[AprIndexSettings, Any]) -> None:
        self._system = system
        self.waiting = WaitingAnswers(system.name)

    def learn(self, answer: Answer, run: LearningRun) -> Iterator[str]:
        """Remembers an answer, if it cites facts; yields notes."""
        state = read_state(self._system, run.corpus)
        why = why_not(answer)
        if not why and (state is None or state.embedder != run.embedder.fingerprint):
            why = f"the {self._system.title} index is not up to date: run overstory index"
        if why or state is None:
            yield f"the answer was not remembered: {why}"
            return
        stated = run.graph.reading("retrieve/cited_facts", lambda tx: stated_facts(tx, run.corpus, _chunks(answer)))
        cited = cited_facts(answer, _read(answer, stated))
        if not cited:
            yield "the answer was not remembered: it says no fact that the passages state which it cites"
            return
        new = _new(answer, cited, run, state.settings.cohesion)
        outcome = remember(run.graph, run.corpus, self._system.name, run.embedder.fingerprint, new, REMEMBERING_SECONDS)
        if outcome == "remembered":
            facts, passages = counted(len(cited), "fact"), counted(len(new.chunks), "passage")
            yield f"the answer is remembered, with {facts} of {passages}"
        elif outcome == "known":
            yield "the answer was remembered before"
        elif outcome == "conflict" and self.waiting.add(run.graph, run.corpus, run.embedder.fingerprint, new):
            yield f"the answer waits to be remembered: {WHY_NOT[outcome]}"
        else:
            yield f"the answer was not remembered: {WHY_NOT[outcome]}"
        if outcome != "conflict":
            yield from self.waiting.write(run.graph)

    def settle(self, graph: GraphClient) -> Iterator[str]:
        """Writes what waits; yields notes on what is lost."""
        return self.waiting.write(graph, last=True)


def stated_facts(tx: Transaction, corpus: Corpus, chunks: Sequence[str]) -> list[StatedFact]:
    """What some chunks state, in the order of the chunks and of their text."""
    found: list[StatedFact] = []
    for row in tx.run("systems/apr/memory/stated_facts", corpus.label, chunks=list(chunks)) if chunks else ():
        for edge, head, relation, tail, head_id, tail_id, vector, sentence in row["facts"]:
            fact = CitedFact(edge, row["chunk"], head, relation, tail)
            quoted = quote(row["text"], row["sentences"], sentence)
            found.append(StatedFact(fact, quoted, (head_id, tail_id), unpacked(vector)))
    return found


def _read(answer: Answer, stated: Sequence[StatedFact]) -> list[StatedFact]:
    """Those that were in something that the answer cites: in a passage, or among the facts of a prompt."""
    kinds = {citation.kind for citation in answer.citations}
    passages = {citation.chunk_id for citation in answer.citations if citation.kind == "passage"}
    parts = [part for part in answer.evidence.parts if isinstance(part, KnowledgePart) and part.kind in kinds]
    facts = {(fact.edge, fact.chunk) for part in parts for fact in (*part.knowledge, *part.facts)}
    return [each for each in stated if each.fact.chunk in passages or (each.fact.edge, each.fact.chunk) in facts]


def _chunks(answer: Answer) -> list[str]:
    cited = dict.fromkeys(passage.chunk_id for citation in answer.citations for passage in citation.passages)
    return list(cited)[:_MOST_CITED_CHUNKS]


def _asked(answer: Answer) -> list[list[str]]:
    """The triples of the question, with "" for what it asks for."""
    parts = (part for part in answer.evidence.parts if isinstance(part, KnowledgePart))
    return [["" if word == ASKED_FOR else word for word in words] for part in parts for words in part.question]


def _new(answer: Answer, cited: Sequence[StatedFact], run: LearningRun, cohesion: float) -> NewAnswer:
    runs = segment(np.stack([each.vector for each in cited]), [each.ends for each in cited], cohesion)
    (vector,) = packed(run.embedder.embed([answer.question]))
    return NewAnswer(
        question=answer.question,
        vector=vector,
        triples=json.dumps(_asked(answer)),
        text=answer.text,
        short=short_of(answer),
        kind=answer.kind,
        model=answer.model,
        asked=datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds"),
        facts=tuple(each.fact for each in cited),
        runs=tuple(number for number, places in enumerate(runs) for _ in places),
    )


_REMEMBERING_ATTEMPTS: Final = 3
REMEMBERING_SECONDS: Final = 5.0
"""How long an answer may wait for others, all attempts together, as far as the server keeps to it. The first one also
waits until the server has planned the statements, a second and more on a busy machine."""
_SETTLE_SECONDS: Final = 10.0
"""That all answers may wait together when the connection is closed."""
_MOST_WAITING_ANSWERS: Final = 100

Outcome = Literal["remembered", "known", "gone", "outdated", "full", "conflict"]


@dataclass(frozen=True, slots=True)
class NewAnswer:
    """An answer that is to be remembered.

    Attributes:
        vector: of the question, packed.
        triples: of the question, as JSON.
        asked: ISO 8601.
        facts: in the order of the answer.
        runs: of each fact, the number of its run.
    """

    question: str
    vector: bytes
    triples: str
    text: str
    short: str
    kind: str
    model: str
    asked: str
    facts: tuple[CitedFact, ...]
    runs: tuple[int, ...]

    @property
    def chunks(self) -> list[str]:
        """That it stands on, in order of id."""
        return sorted({fact.chunk for fact in self.facts})

    @property
    def cited(self) -> list[tuple[str, str]]:
        """The ids of each fact and its chunk."""
        return [(fact.edge, fact.chunk) for fact in self.facts]


def symbols_of(label: str, triples: str) -> list[str]:
    """The ids of the symbols of a question's triples, each once; what it asks for has none.

    Args:
        triples: as JSON.
    """
    found: dict[str, None] = {}
    kinds: tuple[SymbolKind, ...] = ("entity", "relation", "entity")
    for words in json.loads(triples):
        for kind, text in zip(kinds, words, strict=True):
            if key := symbol_key(kind, text):
                found[symbol_id(label, kind, key)] = None
    return list(found)


def write(tx: Transaction, corpus: Corpus, embedder: str, new: NewAnswer) -> Outcome:
    """Remembers an answer, if its chunks still state its facts. Locks the memory last, which others write, too.

    Args:
        corpus: as of the transaction.
        embedder: its fingerprint.
    """
    label = corpus.label
    (locked,) = tx.run("systems/apr/memory/lock", label, chunks=new.chunks)
    (stated,) = tx.run("systems/apr/memory/still_stated", label, facts=[list(fact) for fact in new.cited])
    if len(locked["chunks"]) < len(new.chunks) or len(stated["stated"]) < len(new.facts):
        return "gone"
    memory, answer = memory_id(label), answer_id(label, new.short, new.cited)
    question = question_id(label, new.question)
    (room,) = tx.run("systems/apr/memory/room", label, memory=memory, answer=answer, question=question)
    if room["embedder"] not in (None, embedder):
        return "outdated"
    if room["known"]:
        return "known"
    if room["questions"] >= MOST_REMEMBERED_QUESTIONS:
        return "full"
    edges: dict[str, list[object]] = {}
    for position, (fact, run) in enumerate(zip(new.facts, new.runs, strict=True)):
        edges.setdefault(fact.edge, [fact.edge, position, run])
    tx.run(
        "systems/apr/memory/remember",
        label,
        memory=memory,
        embedder=embedder,
        question={
            "id": question,
            "text": new.question,
            "asked": new.asked,
            "triples": new.triples,
            "vector": new.vector,
            "symbols": symbols_of(label, new.triples),
        },
        answer={
            "text": new.text,
            "short": new.short,
            "kind": new.kind,
            "model": new.model,
            "asked": new.asked,
            "citations": citations_of(new.facts),
            "supports": len(new.chunks),
            "edges": len(edges),
            "runs": list(new.runs),
            "id": answer,
        },
        chunks=new.chunks,
        edges=list(edges.values()),
    )
    return "remembered"


def remember(graph: GraphClient, corpus: Corpus, system: str, embedder: str, new: NewAnswer, seconds: float) -> Outcome:
    """`write` in a transaction of its own, tried again while others hold what it needs.

    Args:
        corpus: another one by its name is not written to.
        system: the name by which the corpus has the index.
        seconds: that all attempts may take.
    """

    def work(tx: Transaction) -> Outcome:
        now = read_corpus(tx, corpus.name)
        if now.created != corpus.created or system not in now.systems:
            return "gone"
        return write(tx, now, embedder, new)

    until = time.monotonic() + seconds
    for _ in range(_REMEMBERING_ATTEMPTS):
        try:
            return graph.attempt("systems/apr/memory/remember", work, seconds=seconds)
        except WriteConflict:
            if time.monotonic() > until:
                break
    return "conflict"


@dataclass(frozen=True, slots=True)
class _Waiting:
    database: tuple[str, str]
    corpus: Corpus
    embedder: str
    new: NewAnswer


class WaitingAnswers:
    """Answers that could not be written yet; at most `_MOST_WAITING_ANSWERS`. Safe to share between threads."""

    def __init__(self, system: str) -> None:
        self._system = system  # name
        self._lock = threading.Lock()
        self._waiting: deque[_Waiting] = deque()

    def count(self, graph: GraphClient, corpus: Corpus) -> int:
        """How many wait to be written to a corpus."""
        with self._lock:
            of = [(each.database, each.corpus.label) for each in self._waiting]
        return of.count((_database(graph), corpus.label))

    def add(self, graph: GraphClient, corpus: Corpus, embedder: str, new: NewAnswer) -> bool:
        """Keeps an answer for later; False if too many wait."""
        with self._lock:
            if len(self._waiting) >= _MOST_WAITING_ANSWERS:
                return False
            self._waiting.append(_Waiting(_database(graph), corpus, embedder, new))
            return True

    def write(self, graph: GraphClient, *, last: bool = False) -> Iterator[str]:
        """Writes what waits for a database, until others are met again; yields notes on what is lost.

        Args:
            last: wait for others as long as `_SETTLE_SECONDS`, and give up what cannot be written then.
        """
        until = time.monotonic() + (_SETTLE_SECONDS if last else REMEMBERING_SECONDS)
        waiting = self._take(_database(graph))
        for place, each in enumerate(waiting):
            try:
                outcome = self._written(graph, each, until)
            except (CorpusError, DatabaseError) as error:
                yield f"the answer to {shortened(each.new.question)!r} was not remembered: {error}"
                continue
            if outcome == "conflict" and not last:
                self._put_back(waiting[place:])
                return
            if (why := WHY_NOT.get(outcome, "")) and outcome != "known":
                yield f"the answer to {shortened(each.new.question)!r} was not remembered: {why}"

    def _written(self, graph: GraphClient, each: _Waiting, until: float) -> Outcome:
        while True:
            left = until - time.monotonic()
            outcome = remember(
                graph, each.corpus, self._system, each.embedder, each.new, max(REMEMBERING_SECONDS, left)
            )
            if outcome != "conflict" or time.monotonic() > until:
                return outcome

    def _take(self, database: tuple[str, str]) -> list[_Waiting]:
        with self._lock:
            taken = [each for each in self._waiting if each.database == database]
            self._waiting = deque(each for each in self._waiting if each.database != database)
        return taken

    def _put_back(self, waiting: Sequence[_Waiting]) -> None:
        with self._lock:
            self._waiting.extendleft(reversed(waiting))


WHY_NOT: Final[dict[Outcome, str]] = {
    "known": "it was remembered before",
    "gone": "what it cites was deleted or changed meanwhile",
    "outdated": "the embedder of the corpus changed: run overstory index",
    "full": f"the memory is full, with {MOST_REMEMBERED_QUESTIONS:,} questions: delete some (overstory memory delete)",
    "conflict": "other writers had the passages that it cites",
}


def _database(graph: GraphClient) -> tuple[str, str]:
    return graph.uri, graph.database
