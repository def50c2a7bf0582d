"""What is learnt of an answer that was just given.

An answer is remembered only with facts of the passages that it cites, and only if it says them. So a memory holds
nothing that no passage states; what a passage says falsely goes with the passage.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from overstory.answer import Answer
from overstory.display import counted
from overstory.graph import Corpus, GraphClient, Transaction
from overstory.systems.base import LearningRun, System
from overstory.systems.state import read_state
from overstory.vectors.packed import packed, unpacked
from overstory_systems.apr.index_settings import AprIndexSettings
from overstory_systems.apr.memory.citing import CitedFact, StatedFact, cited_facts, short_of, why_not
from overstory_systems.apr.memory.passages import quote
from overstory_systems.apr.memory.store import REMEMBERING_SECONDS, WHY_NOT, NewAnswer, WaitingAnswers, remember
from overstory_systems.apr.parts import KnowledgePart
from overstory_systems.apr.prompt import ASKED_FOR
from overstory_systems.apr.segmentation import segment

_MOST_CITED_CHUNKS = 100
"""Cited passages whose facts are looked at."""


class Learning:
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
            said = quote(row["text"], row["sentences"], sentence)
            found.append(StatedFact(fact, said, (head_id, tail_id), unpacked(vector)))
    return found


def _read(answer: Answer, stated: Sequence[StatedFact]) -> list[StatedFact]:
    """Those that were in something that the answer cites: in a passage, or among the facts of a prompt."""
    kinds = {citation.kind for citation in answer.citations}
    passages = {citation.chunk_id for citation in answer.citations if citation.kind == "passage"}
    parts = [part for part in answer.evidence.parts if isinstance(part, KnowledgePart) and part.kind in kinds]
    facts = {(fact.edge, fact.chunk) for part in parts for fact in (*part.knowledge, *part.facts)}
    return [each for each in stated if each.fact.chunk in passages or (each.fact.edge, each.fact.chunk) in facts]


def _chunks(answer: Answer) -> list[str]:
    """The passages that an answer cites, in the order of its numbers; the first `_MOST_CITED_CHUNKS`."""
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
