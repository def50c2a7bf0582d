"""The codebook: triples as edges over shared symbols, the vectors of edges, and runs of edges (Sections 2.2 and 2.3).

Identifiers of nodes are functions of texts alone, so that the same triple is one edge.
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
"""The kind of node whose vectors are searched."""
BUILT = ("AprRun", "AprEdge", "AprSymbol")
"""The kinds of nodes that a build writes, in the order of their deletion."""

SymbolKind = Literal["entity", "relation"]


def symbol_key(kind: SymbolKind, text: str) -> str:
    """What tells symbols of a kind apart; "" for a text that says nothing."""
    return (entity_key(text) if kind == "entity" else "") or fold(text)


def symbol_id(label: str, kind: SymbolKind, key: str) -> str:
    return content_id("apr-symbol", label, kind, key)


def edge_id(label: str, head: str, relation: str, tail: str) -> str:
    """Of three symbols, by their ids."""
    return content_id("apr-edge", label, head, relation, tail)


def run_id(chunk: str, seq: int) -> str:
    """A run of facts, by its place in its chunk."""
    return content_id("apr-run", chunk, str(seq))


def memory_id(label: str) -> str:
    """The memory of a corpus."""
    return content_id("apr-memory", label)


def question_id(label: str, question: str) -> str:
    """A remembered question; those that differ in case and spaces alone are one."""
    return content_id("apr-question", label, fold(question))


def answer_id(label: str, short: str, facts: Iterable[tuple[str, str]]) -> str:
    """A remembered answer, by what it says and the facts that it cites, (edge id, chunk id) each, in any order."""
    return content_id("apr-answer", label, fold(short), *(part for fact in sorted(set(facts)) for part in fact))


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


_LONGEST_SYMBOL_CHARACTERS = 300
"""Characters of a symbol's text; what is longer is no name, and is cut."""


class Symbol(NamedTuple):
    """An entity or a relation, by its id; `text` as it was first read."""

    id: str
    kind: SymbolKind
    key: str
    text: str


class CodedTriple(NamedTuple):
    """A triple as an edge of the codebook."""

    id: str
    head: Symbol
    relation: Symbol
    tail: Symbol
    sentence: int

    @property
    def symbols(self) -> tuple[Symbol, Symbol, Symbol]:
        return (self.head, self.relation, self.tail)


def coded(label: str, triples: Iterable[Triple]) -> list[CodedTriple]:
    """The edges of one text, in order, each once; a triple with a part that says nothing is left out.

    Args:
        label: of the corpus.
    """
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
    """float32[n, d]: of each edge the sum of its symbols' vectors, of unit length (Proposition 16).

    Args:
        symbols: float32[d] by the ids of symbols.
    """
    if not edges:
        return np.zeros((0, dimension), np.float32)
    parts = np.stack([np.stack([symbols[symbol.id] for symbol in edge.symbols]) for edge in edges])
    return of_unit_length(parts.sum(axis=1))


def _symbol(label: str, kind: SymbolKind, text: str) -> Symbol:
    plain = " ".join(text.split())[:_LONGEST_SYMBOL_CHARACTERS]
    key = symbol_key(kind, plain)
    return Symbol(symbol_id(label, kind, key), kind, key, plain)


def symbol_vectors(row: Row) -> dict[str, Vectors]:
    """float32[d] by the ids of symbols, of the row of `systems/apr/known_symbols`."""
    found: dict[str, Vectors] = {id_: np.asarray(vector, np.float32) for id_, vector in row["entities"]}
    return found | {id_: unpacked(vector) for id_, vector in row["relations"]}


# Runs: a text's triples, cut where one does not fit what was said before it (Section 2.3).
#
# A triple joins the run before it where max(0, cosine of it and the run's centroid), with a bonus where it goes on from
# the last triple and another where it names something that the run names, reaches the cohesion that is asked for. A run
# that drifted may be cut between two triples that fit each other: such a cut is taken back (boundary refinement). Those
# that are left are fixed points: the same rule, given the triples at either side alone, cuts there again (Lemma 3).

Ends = tuple[str, str]
"""The ids of a triple's head and tail."""

_CONTINUATION_BONUS = 0.05
"""The bonus of a triple whose head is the tail of the one before it."""
_SHARED_END_BONUS = 0.05
"""The bonus of a triple that shares its head or its tail with the run."""


def segment(vectors: Vectors, ends: Sequence[Ends], cohesion: float) -> list[range]:
    """The runs of a text, as the places of their triples: in order, without gaps.

    Args:
        vectors: float32[n, d], a unit vector for each triple, in the order of the text.
        ends: of each triple.
        cohesion: τ, from 0 to 1.
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
    """max(0, cosine) of a unit vector with a centroid, which may have any length."""
    length = float(np.linalg.norm(total))
    return max(0.0, float(total @ vector) / length) if length else 0.0


def _bonus(before: Ends, ends: Ends, named: set[str]) -> float:
    return _CONTINUATION_BONUS * (before[1] == ends[0]) + _SHARED_END_BONUS * (not named.isdisjoint(ends))
