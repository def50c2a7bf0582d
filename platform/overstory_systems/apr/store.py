"""Stored symbols, edges and runs: what is there already, and how a page of chunks is written."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from overstory.graph import GraphClient, Transaction, Writer, batches
from overstory.graph.client import Row
from overstory.graph.ids import derived_label
from overstory.index.stages.embed import check_vectors
from overstory.protocols import Embedder, Vectors
from overstory.systems.statements import Statements, run_statements, shared_labels
from overstory.vectors.packed import packed, unpacked
from overstory_systems.apr.codebook import CodedTriple, Symbol
from overstory_systems.apr.ids import run_id

ENTITIES = "AprEntity"
"""The kind of node whose vectors are searched."""
BUILT = ("AprRun", "AprEdge", "AprSymbol")
"""The kinds of nodes that a build writes, in the order of their deletion."""
_SYMBOLS_A_STATEMENT = 1_000
_MOST_KEPT_SYMBOL_VECTORS = 100_000
"""Vectors of symbols that a build keeps in memory: 150 MB."""


def symbol_vectors(row: Row) -> dict[str, Vectors]:
    """float32[d] by the ids of symbols, of the row of `systems/apr/known_symbols`."""
    found: dict[str, Vectors] = {id_: np.asarray(vector, np.float32) for id_, vector in row["entities"]}
    return found | {id_: unpacked(vector) for id_, vector in row["relations"]}


class SymbolVectors:
    """The vectors of symbols: kept from earlier pages, stored, or embedded now.

    Relations have the precision in which they are stored, so that an edge has the same vector whenever it is written.
    """

    def __init__(self, graph: GraphClient, label: str, embedder: Embedder) -> None:
        self._graph = graph
        self._label = label
        self._embedder = embedder
        self._kept: OrderedDict[str, Vectors] = OrderedDict()

    def of(self, symbols: Iterable[Symbol]) -> tuple[dict[str, Vectors], list[Symbol]]:
        """float32[d] by the ids of symbols, and the symbols that are not stored, nor were asked for before."""
        wanted = {symbol.id: symbol for symbol in reversed(list(symbols))}  # of equal ones the first
        found = {id_: self._kept[id_] for id_ in wanted if id_ in self._kept}
        found |= self._stored([id_ for id_ in wanted if id_ not in found])
        new = [symbol for id_, symbol in wanted.items() if id_ not in found]
        found |= self._embed(new)
        for id_, vector in found.items():
            self._kept[id_] = vector
            self._kept.move_to_end(id_)
        while len(self._kept) > _MOST_KEPT_SYMBOL_VECTORS:
            self._kept.popitem(last=False)
        return found, new

    def _stored(self, ids: Sequence[str]) -> dict[str, Vectors]:
        found: dict[str, Vectors] = {}
        for some in batches(ids, _SYMBOLS_A_STATEMENT):
            (row,) = self._graph.run("systems/apr/known_symbols", self._label, read=True, ids=some)
            found |= symbol_vectors(row)
        return found

    def _embed(self, new: Sequence[Symbol]) -> dict[str, Vectors]:
        if not new:
            return {}
        texts = list(dict.fromkeys(symbol.text for symbol in new))
        vectors = self._embedder.embed(texts)
        check_vectors(vectors, len(texts), self._embedder)
        of_text = dict(zip(texts, vectors, strict=True))
        found = {symbol.id: of_text[symbol.text] for symbol in new}
        relations = [symbol.id for symbol in new if symbol.kind == "relation"]
        if relations:
            stored = packed(np.stack([found[id_] for id_ in relations]))
            found |= {id_: unpacked(vector) for id_, vector in zip(relations, stored, strict=True)}
        return found


@dataclass(frozen=True, slots=True)
class CodedChunk:
    """A chunk as it is to be stored.

    Attributes:
        edges: in the order of the text, each once.
        vectors: float32[len(edges), d], a unit vector for each edge.
        runs: as the places of their edges.
    """

    id: str
    edges: tuple[CodedTriple, ...]
    vectors: Vectors
    runs: tuple[range, ...]


@dataclass(frozen=True, slots=True)
class CodebookPage:
    """Some chunks, the symbols that are new with them, and the vectors of these."""

    chunks: tuple[CodedChunk, ...]
    new: tuple[Symbol, ...]
    vectors: Mapping[str, Vectors]


def write_page(tx: Transaction, label: str, page: CodebookPage) -> None:
    """Writes the runs of chunks in place of those that they have."""
    tx.run("systems/apr/clear_runs", label, ids=[chunk.id for chunk in page.chunks])
    entities, relations = (shared_labels(label, "AprSymbol", kind) for kind in (ENTITIES, "AprRelation"))
    entities.append(derived_label(label, "AprUnmerged"))  # compared with no other symbol yet
    statements: Statements = [
        ("systems/store/insert", _entity_rows(page), {"labels": entities}),
        ("systems/store/insert", _relation_rows(page), {"labels": relations}),
        ("systems/apr/write_edges", _edge_rows(page), {}),
        ("systems/apr/write_runs", _run_rows(page), {}),
    ]
    run_statements(tx, label, statements)


def remove_loose(writer: Writer) -> None:
    """Deletes the edges and symbols that the pages before left without a user. Safe to repeat."""
    for statement in ("remove_loose_edges", "remove_loose_symbols"):
        writer.graph.run_in_batches(f"systems/apr/{statement}", writer.corpus.label)


def _entity_rows(page: CodebookPage) -> list[Row]:
    new = [symbol for symbol in page.new if symbol.kind == "entity"]
    return [_symbol_row(symbol) | {"vector": page.vectors[symbol.id].tolist()} for symbol in new]


def _relation_rows(page: CodebookPage) -> list[Row]:
    new = [symbol for symbol in page.new if symbol.kind == "relation"]
    vectors = packed(np.stack([page.vectors[symbol.id] for symbol in new])) if new else []
    return [_symbol_row(symbol, vector=vector) for symbol, vector in zip(new, vectors, strict=True)]


def _symbol_row(symbol: Symbol, **properties: bytes) -> Row:
    return {
        "id": symbol.id,
        "properties": {"kind": symbol.kind, "key": symbol.key, "text": symbol.text, **properties},
    }


def _edge_rows(page: CodebookPage) -> list[Row]:
    rows: dict[str, Row] = {}
    for chunk in page.chunks:
        for edge, vector in zip(chunk.edges, packed(chunk.vectors), strict=True):
            if edge.id not in rows:
                rows[edge.id] = {
                    "id": edge.id,
                    "head": edge.head.text,
                    "relation": edge.relation.text,
                    "tail": edge.tail.text,
                    "vector": vector,
                    "symbols": [symbol.id for symbol in edge.symbols],
                }
    return list(rows.values())


def _run_rows(page: CodebookPage) -> list[Row]:
    return [
        {
            "id": run_id(chunk.id, seq),
            "chunk": chunk.id,
            "seq": seq,
            "size": len(run),
            "edges": [[chunk.edges[place].id, chunk.edges[place].sentence] for place in run],
        }
        for chunk in page.chunks
        for seq, run in enumerate(chunk.runs)
    ]
