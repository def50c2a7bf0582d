"""Stores answers in the memory, in short transactions without the corpus lease, so that questions never wait.

The transaction locks the chunks that the answer cites, and checks again that they state the facts. The corpus version
does not change; therefore, every cache stays valid. If other transactions lock the chunks, writing is retried. If that
fails, the answer waits in the process until the next answer is remembered or the connection is closed.
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

# An answer is remembered only if it states facts of the passages that it cites. Therefore, the memory contains nothing
# that no passage states, and a false statement is deleted together with its passage.

_MOST_CITED_CHUNKS = 100
"""Maximum number of cited passages whose facts are read."""


class AnswerWriter:
    """Remembers answers, and queues answers that cannot be written yet. Threads can share an instance."""

    def __init__(self, system: System[AprIndexSettings, Any]) -> None:
        self._system = system
        self.waiting = WaitingAnswers(system.name)

    def learn(self, answer: Answer, run: LearningRun) -> Iterator[str]:
        """Remember an answer if it states cited facts. Yields notes for the user."""
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
            yield "the answer was not remembered: it states no fact found in the passages that it cites"
            return
        new = _new(answer, cited, run, state.settings.cohesion)
        outcome = remember(run.graph, run.corpus, self._system.name, run.embedder.fingerprint, new, REMEMBERING_SECONDS)
        if outcome == "remembered":
            facts, passages = counted(len(cited), "fact"), counted(len(new.chunks), "passage")
            yield f"the answer is remembered, with {facts} from {passages}"
        elif outcome == "known":
            yield "the answer was already remembered"
        elif outcome == "conflict" and self.waiting.add(run.graph, run.corpus, run.embedder.fingerprint, new):
            yield f"the answer will be remembered later: {WHY_NOT[outcome]}"
        else:
            yield f"the answer was not remembered: {WHY_NOT[outcome]}"
        if outcome != "conflict":
            yield from self.waiting.write(run.graph)

    def settle(self, graph: GraphClient) -> Iterator[str]:
        """Write the waiting answers. Yields notes on answers that are lost."""
        return self.waiting.write(graph, last=True)


def stated_facts(tx: Transaction, corpus: Corpus, chunks: Sequence[str]) -> list[StatedFact]:
    """Read the facts of chunks, in the order of the chunks and of their text."""
    found: list[StatedFact] = []
    for row in tx.run("systems/apr/memory/stated_facts", corpus.label, chunks=list(chunks)) if chunks else ():
        for edge, head, relation, tail, head_id, tail_id, vector, sentence in row["facts"]:
            fact = CitedFact(edge, row["chunk"], head, relation, tail)
            quoted = quote(row["text"], row["sentences"], sentence)
            found.append(StatedFact(fact, quoted, (head_id, tail_id), unpacked(vector)))
    return found


def _read(answer: Answer, stated: Sequence[StatedFact]) -> list[StatedFact]:
    """Return the facts that a cited passage states, or that a cited part of the prompt contains."""
    kinds = {citation.kind for citation in answer.citations}
    passages = {citation.chunk_id for citation in answer.citations if citation.kind == "passage"}
    parts = [part for part in answer.evidence.parts if isinstance(part, KnowledgePart) and part.kind in kinds]
    facts = {(fact.edge, fact.chunk) for part in parts for fact in (*part.knowledge, *part.facts)}
    return [each for each in stated if each.fact.chunk in passages or (each.fact.edge, each.fact.chunk) in facts]


def _chunks(answer: Answer) -> list[str]:
    cited = dict.fromkeys(passage.chunk_id for citation in answer.citations for passage in citation.passages)
    return list(cited)[:_MOST_CITED_CHUNKS]


def _asked(answer: Answer) -> list[list[str]]:
    """Return the triples of the question. A head or tail that the question asks for is ""."""
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
"""Maximum time in seconds that writing an answer waits for other transactions, over all attempts. The first attempt
also waits for query planning, which takes a second or more on a busy machine."""
_SETTLE_SECONDS: Final = 10.0
"""Maximum time in seconds that all answers together wait when the connection is closed."""
_MOST_WAITING_ANSWERS: Final = 100

Outcome = Literal["remembered", "known", "gone", "outdated", "full", "conflict"]


@dataclass(frozen=True, slots=True)
class NewAnswer:
    """An answer that should be remembered.

    Attributes:
        vector: Packed vector of the question.
        triples: Triples of the question, as JSON.
        asked: Time when the answer was given, ISO 8601.
        facts: Cited facts, in the order of the answer.
        runs: For each fact, the number of its run (sequence of consecutive facts).
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
        """Ids of the cited chunks, sorted."""
        return sorted({fact.chunk for fact in self.facts})

    @property
    def cited(self) -> list[tuple[str, str]]:
        """The (edge id, chunk id) of each fact."""
        return [(fact.edge, fact.chunk) for fact in self.facts]


def symbols_of(label: str, triples: str) -> list[str]:
    """Return the distinct symbol ids of a question's triples (JSON), skipping empty words."""
    found: dict[str, None] = {}
    kinds: tuple[SymbolKind, ...] = ("entity", "relation", "entity")
    for words in json.loads(triples):
        for kind, text in zip(kinds, words, strict=True):
            if key := symbol_key(kind, text):
                found[symbol_id(label, kind, key)] = None
    return list(found)


def write(tx: Transaction, corpus: Corpus, embedder: str, new: NewAnswer) -> Outcome:
    """Remember an answer if its chunks still state its facts.

    The memory node is locked last, because other transactions write to it, too.

    Args:
        corpus: The corpus as read in this transaction.
        embedder: Fingerprint of the embedder.
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
    """Run `write` in its own transaction, and retry while other transactions lock the chunks.

    Args:
        corpus: The corpus to write to. Nothing is written to a new corpus with the same name.
        system: Name of the system.
        seconds: Time limit for all attempts together.
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
    """At most `_MOST_WAITING_ANSWERS` answers that could not be written yet. Threads can share an instance."""

    def __init__(self, system: str) -> None:
        self._system = system
        self._lock = threading.Lock()
        self._waiting: deque[_Waiting] = deque()

    def count(self, graph: GraphClient, corpus: Corpus) -> int:
        """Return the number of answers that wait to be written to a corpus."""
        with self._lock:
            of = [(each.database, each.corpus.label) for each in self._waiting]
        return of.count((_database(graph), corpus.label))

    def add(self, graph: GraphClient, corpus: Corpus, embedder: str, new: NewAnswer) -> bool:
        """Queue an answer to be written later. Returns False if the queue is full."""
        with self._lock:
            if len(self._waiting) >= _MOST_WAITING_ANSWERS:
                return False
            self._waiting.append(_Waiting(_database(graph), corpus, embedder, new))
            return True

    def write(self, graph: GraphClient, *, last: bool = False) -> Iterator[str]:
        """Write the waiting answers to a database until a lock conflict occurs. Yields notes on lost answers.

        Args:
            last: If True, wait up to `_SETTLE_SECONDS` for locks, then discard answers that cannot be written.
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
    "known": "it was already remembered",
    "gone": "the passages that it cites were deleted or changed in the meantime",
    "outdated": "the embedder of the corpus changed: run overstory index",
    "full": f"the memory is full ({MOST_REMEMBERED_QUESTIONS:,} questions): delete some with overstory memory delete",
    "conflict": "other transactions hold the passages that it cites",
}


def _database(graph: GraphClient) -> tuple[str, str]:
    return graph.uri, graph.database
