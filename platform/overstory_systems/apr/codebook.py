"""The codebook: edges (triples of shared symbols), their vectors, and runs (sequences of consecutive edges).

Node ids are derived from texts alone; therefore, the same triple is always the same edge.

Source: AutoPrunedRetriever paper, Sections 2.2 and 2.3.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np

from overstory.graph.client import Row
from overstory.graph.ids import content_id
from overstory.protocols import Vectors
from overstory.text.names.keys import entity_key, fold
from overstory.vectors.packed import of_unit_length, unpacked

ENTITIES = "AprEntity"
"""Label of the nodes whose vectors are searched."""
BUILT = ("AprRun", "AprEdge", "AprSymbol")
"""Labels of the nodes that a build writes, in the order of deletion."""

SymbolKind = Literal["entity", "relation"]


def symbol_key(kind: SymbolKind, text: str) -> str:
    """Return the key that identifies a symbol among symbols of its kind; "" if the text contains no words."""
    return (entity_key(text) if kind == "entity" else "") or fold(text)


def symbol_id(label: str, kind: SymbolKind, key: str) -> str:
    return content_id("apr-symbol", label, kind, key)


def edge_id(label: str, head: str, relation: str, tail: str) -> str:
    return content_id("apr-edge", label, head, relation, tail)


def run_id(chunk: str, seq: int) -> str:
    """Derive the id of a run (sequence of consecutive facts) from its position in its chunk."""
    return content_id("apr-run", chunk, str(seq))


def memory_id(label: str) -> str:
    return content_id("apr-memory", label)


def question_id(label: str, question: str) -> str:
    """Derive the id of a remembered question from its text, ignoring case and spacing."""
    return content_id("apr-question", label, fold(question))


def answer_id(label: str, short: str, facts: Iterable[tuple[str, str]]) -> str:
    """Derive the id of a remembered answer from its short text and the (edge id, chunk id) of each cited fact."""
    return content_id("apr-answer", label, fold(short), *(part for fact in sorted(set(facts)) for part in fact))


def _line(*words: str) -> str:
    return " ".join(filter(None, words))


class Triple(NamedTuple):
    """A statement in words. `sentence` is the index of its sentence in the chunk, or -1 if unknown."""

    head: str
    relation: str
    tail: str
    sentence: int = -1

    @property
    def line(self) -> str:
        """The triple as "head relation tail", the form that prompts contain and the fine score compares."""
        return _line(self.head, self.relation, self.tail)

    @property
    def ends(self) -> tuple[str, ...]:
        """The head and tail, omitting an end that is "" because the question asks for it."""
        return tuple(filter(None, (self.head, self.tail)))


class CodebookEdge(NamedTuple):
    """An edge of the codebook with the words of its symbols.

    For a merged symbol, these are the words of its representative.

    Attributes:
        id: Id of the stored edge.
        canonical: Id shared by all edges that are equal after merging. Equals `id` if nothing was merged.
    """

    id: str
    canonical: str
    head: str
    relation: str
    tail: str

    @property
    def line(self) -> str:
        return _line(self.head, self.relation, self.tail)


@dataclass(frozen=True, slots=True)
class FactRun:
    """A sequence of consecutive facts in one chunk, with the index of each fact's sentence (-1 if unknown)."""

    id: str
    chunk: str
    document: str
    edges: tuple[CodebookEdge, ...]
    sentences: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ScoredRun:
    """A sequence of consecutive facts, its score for a question, and one unit vector per edge (float32[edges, d])."""

    run: FactRun
    score: float
    vectors: Vectors


def no_vectors() -> Vectors:
    return np.zeros((0, 0), dtype=np.float32)


@dataclass(frozen=True, slots=True)
class RecalledAnswer:
    """A remembered answer that may help with the current question.

    Attributes:
        question: The remembered question that is most similar to the current question.
        text, short: See `Answer`.
        kind: "llm" or "extractive".
        model: The model that wrote the answer, "" for an extractive answer.
        asked: Time when the answer was remembered, ISO 8601.
        similarity: Cosine between the remembered question and the current question.
        edges: The facts that the answer cites, in the order of the answer.
        chunks: For each edge, the id of the chunk that states it.
        documents: For each chunk, the id of its document.
        vectors: float32[edges, d], one unit vector per edge. Has no rows if the vectors were not read.
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
    """A remembered question that is similar to the current question.

    Attributes:
        similarity: Cosine between the two questions.
        edges: Triples in the order of the question's text. A head or tail that the question asks for is "".
        vectors: float32[edges, d], one unit vector per edge. Has no rows if the vectors were not read.
    """

    id: str
    question: str
    similarity: float
    edges: tuple[CodebookEdge, ...]
    vectors: Vectors = field(default_factory=no_vectors)


_LONGEST_SYMBOL_CHARACTERS = 300
"""Maximum number of characters of a symbol's text. Longer texts are cut, because they are not names."""


class Symbol(NamedTuple):
    """An entity or relation of the codebook, with the text in which it first occurred."""

    id: str
    kind: SymbolKind
    key: str
    text: str


class CodedTriple(NamedTuple):
    """A triple as an edge of the codebook, and the index of its sentence."""

    id: str
    head: Symbol
    relation: Symbol
    tail: Symbol
    sentence: int

    @property
    def symbols(self) -> tuple[Symbol, Symbol, Symbol]:
        return (self.head, self.relation, self.tail)


def coded(label: str, triples: Iterable[Triple]) -> list[CodedTriple]:
    """Convert triples to distinct edges, in order. Triples with an empty part are skipped."""
    found: dict[str, CodedTriple] = {}
    for triple in triples:
        head, relation, tail = (
            _symbol(label, "entity", triple.head),
            _symbol(label, "relation", triple.relation),
            _symbol(label, "entity", triple.tail),
        )
        if head.key and relation.key and tail.key:
            id_ = edge_id(label, head.id, relation.id, tail.id)
            found.setdefault(id_, CodedTriple(id_, head, relation, tail, triple.sentence))
    return list(found.values())


def edge_vectors(edges: Sequence[CodedTriple], symbols: Mapping[str, Vectors], dimension: int) -> Vectors:
    """Return one unit vector per edge, float32[n, d]: the normalised sum of its symbols' vectors (Proposition 16)."""
    if not edges:
        return np.zeros((0, dimension), np.float32)
    parts = np.stack([np.stack([symbols[symbol.id] for symbol in edge.symbols]) for edge in edges])
    return of_unit_length(parts.sum(axis=1))


def _symbol(label: str, kind: SymbolKind, text: str) -> Symbol:
    plain = " ".join(text.split())[:_LONGEST_SYMBOL_CHARACTERS]
    key = symbol_key(kind, plain)
    return Symbol(symbol_id(label, kind, key), kind, key, plain)


def symbol_vectors(row: Row) -> dict[str, Vectors]:
    """Read a map from symbol id to vector (float32[d]) from a row of `systems/apr/known_symbols`."""
    found: dict[str, Vectors] = {id_: np.asarray(vector, np.float32) for id_, vector in row["entities"]}
    return found | {id_: unpacked(vector) for id_, vector in row["relations"]}


# Segmentation (Section 2.3): the triples of a text are cut into runs wherever a triple does not fit the current run.
#
# A triple joins the current run if max(0, cosine with the run's centroid) plus bonuses reaches the cohesion τ. A triple
# gets one bonus if it starts with the tail of the previous triple, and one if it shares an entity with the run.
#
# Boundary refinement: because a run can drift, a cut may separate two triples that fit each other. Such a cut is
# undone. The remaining cuts are stable: applied to the two triples around a cut, the rule gives the same cut (Lemma 3).

Ends = tuple[str, str]
"""Symbol ids of a triple's head and tail."""

_CONTINUATION_BONUS = 0.05
"""Bonus if the head of a triple is the tail of the previous triple."""
_SHARED_END_BONUS = 0.05
"""Bonus if a triple shares its head or tail with the run."""


def segment(vectors: Vectors, ends: Sequence[Ends], cohesion: float) -> list[range]:
    """Split the triples of a text into consecutive runs that cover all triples.

    Args:
        vectors: float32[n, d], one unit vector per triple, in the order of the text.
        ends: Symbol ids of the head and tail of each triple.
        cohesion: The threshold τ, from 0 to 1.
    """
    cuts = [
        cut
        for cut in _cuts(vectors, ends, cohesion)
        if _cuts(vectors[cut - 1 : cut + 1], ends[cut - 1 : cut + 1], cohesion)
    ]
    places = [0, *cuts, len(ends)]
    return [range(begin, end) for begin, end in pairwise(places) if end > begin]


def _cuts(vectors: Vectors, ends: Sequence[Ends], cohesion: float) -> list[int]:
    cuts: list[int] = []
    total = np.zeros(vectors.shape[1], np.float64)
    named: set[str] = set()
    for place, (vector, (head, tail)) in enumerate(zip(vectors, ends, strict=True)):
        if place and _fit(total, vector) + _bonus(ends[place - 1], (head, tail), named) < cohesion:
            cuts.append(place)
            total[:] = 0.0
            named.clear()
        total += vector
        named.update((head, tail))
    return cuts


def _fit(total: np.ndarray, vector: np.ndarray) -> float:
    """Return max(0, cosine) between a unit vector and a sum of vectors."""
    length = float(np.linalg.norm(total))
    return max(0.0, float(total @ vector) / length) if length else 0.0


def _bonus(before: Ends, ends: Ends, named: set[str]) -> float:
    return _CONTINUATION_BONUS * (before[1] == ends[0]) + _SHARED_END_BONUS * (not named.isdisjoint(ends))
