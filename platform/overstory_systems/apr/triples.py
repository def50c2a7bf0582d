"""Triples, edges and runs: what the modules of AutoPrunedRetriever pass to each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from overstory.protocols import Vectors


def _line(*words: str) -> str:
    return " ".join(filter(None, words))


class Triple(NamedTuple):
    """A statement in words; `sentence` is its sentence's place in the chunk, −1 where it has none."""

    head: str
    relation: str
    tail: str
    sentence: int = -1

    @property
    def line(self) -> str:
        """ "head relation tail", as the fine stage and prompts read it."""
        return _line(self.head, self.relation, self.tail)

    @property
    def ends(self) -> tuple[str, ...]:
        """Head and tail, without those that a question asks for."""
        return tuple(filter(None, (self.head, self.tail)))


class CodebookEdge(NamedTuple):
    """An edge of the codebook, with the words of its symbols (of their representatives, where they were merged).

    Attributes:
        id: of the stored edge.
        canonical: the id that edges share which say the same after merging; `id` where nothing was merged.
    """

    id: str
    canonical: str
    head: str
    relation: str
    tail: str

    @property
    def line(self) -> str:
        """As of `Triple`."""
        return _line(self.head, self.relation, self.tail)


@dataclass(frozen=True, slots=True)
class FactRun:
    """A run of facts of one chunk.

    Attributes:
        sentences: of each edge, its sentence's place in the chunk, −1 where it has none.
    """

    id: str
    chunk: str
    document: str
    edges: tuple[CodebookEdge, ...]
    sentences: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ScoredRun:
    """A run with its score for a question.

    Attributes:
        vectors: float32[edges, d], a unit vector for each edge.
    """

    run: FactRun
    score: float
    vectors: Vectors


def no_vectors() -> Vectors:
    return np.zeros((0, 0), dtype=np.float32)


@dataclass(frozen=True, slots=True)
class RecalledAnswer:
    """A remembered answer that may serve a question.

    Attributes:
        id: of the answer.
        question: to which it was given, that of its questions which is most similar.
        text, short: as `Answer` has them.
        kind: "llm" or "extractive".
        model: that gave it, "" for an extractive answer.
        asked: when it was remembered, ISO 8601.
        similarity: cosine of the questions.
        edges: the facts that it cites, in the order of the answer.
        chunks: of each of `edges` the chunk that states it.
        documents: of `chunks`, in their order.
        vectors: float32[edges, d], a unit vector for each of `edges`; without rows where they were not read.
    """

    id: str
    question: str
    text: str
    short: str
    kind: str
    model: str
    asked: str
    similarity: float
    edges: tuple[CodebookEdge, ...]
    chunks: tuple[str, ...]
    documents: tuple[str, ...]
    vectors: Vectors = field(default_factory=no_vectors)


@dataclass(frozen=True, slots=True)
class RelatedQuestion:
    """A remembered question that is near the one that is asked.

    Attributes:
        id: of the question.
        similarity: cosine of the questions.
        edges: its triples, in the order of its text; a head or a tail that it asks for is "".
        vectors: as of `RecalledAnswer`.
    """

    id: str
    question: str
    similarity: float
    edges: tuple[CodebookEdge, ...]
    vectors: Vectors = field(default_factory=no_vectors)
