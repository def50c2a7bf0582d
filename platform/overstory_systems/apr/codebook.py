"""The codebook: triples as edges over shared symbols, and the vectors of edges (Section 2.2, INDEXIFY)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from overstory.protocols import Vectors
from overstory.vectors.packed import of_unit_length
from overstory_systems.apr.ids import SymbolKind, edge_id, symbol_id, symbol_key
from overstory_systems.apr.triples import Triple

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
