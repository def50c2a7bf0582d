"""The runs that a question may be about: those with entities near its names, and those of some passages."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from typing import NamedTuple

from overstory.graph import Corpus, Transaction
from overstory.protocols import Embedder, Vectors
from overstory.retrieve.hits import best_of
from overstory.retrieve.vector_search import VectorCache, with_index
from overstory.vectors.packed import unpacked
from overstory_systems.apr.ids import SymbolKind, symbol_id, symbol_key
from overstory_systems.apr.scoring import coarse
from overstory_systems.apr.store import symbol_vectors
from overstory_systems.apr.triples import CodebookEdge, FactRun

_ENTITIES_FOR_A_NAME = 10
"""Entities of the corpus for each name of the question."""
_APR_ENTITY_SEARCH_DEPTH = 30
"""Entities requested from the index, so that the best `_ENTITIES_FOR_A_NAME` are right."""
_MOST_EDGES_OF_AN_ENTITY = 500
"""Edges of an entity whose runs are looked at."""
_SHORTLISTED_RUNS = 200
"""Runs that the coarse score keeps. Source: ours; the paper's k is not given."""
_MOST_EDGES_OF_A_SHARED_NAME = 100
"""Edges of a name that leads from one passage to others; what has more is everywhere."""


@dataclass(frozen=True, slots=True)
class CandidateRun:
    """A run without its words: its passage, and the ids of its edges in order."""

    id: str
    chunk: str
    edges: tuple[str, ...]


class CodebookVectors:
    """The vectors of entities, relations and edges, from bounded caches. Safe to share between threads."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._symbols = VectorCache(_symbol_vectors)
        self._edges = VectorCache(_edge_vectors)

    def of_texts(
        self, tx: Transaction, corpus: Corpus, texts: Sequence[tuple[SymbolKind, str]], pool: Executor
    ) -> Future[Vectors]:
        """float32[len(texts), d]. What the corpus says has a vector already; each other text takes 3 ms, in `pool`."""
        ids = [symbol_id(corpus.label, kind, symbol_key(kind, text)) for kind, text in texts]
        known = self._symbols.of(tx, corpus, ids)
        return pool.submit(self._completed, known, [text for _, text in texts])

    def _completed(self, vectors: Vectors, texts: Sequence[str]) -> Vectors:
        """The vectors, with those of texts in place of zeros."""
        unknown = [place for place, vector in enumerate(vectors) if not vector.any()]
        if unknown:
            vectors[unknown] = self._embedder.embed([texts[place] for place in unknown])
        return vectors

    def of_relations(self, tx: Transaction, corpus: Corpus, ids: Sequence[str]) -> Vectors:
        """float32[len(ids), d]."""
        return self._symbols.of(tx, corpus, ids)

    def of_edges(self, tx: Transaction, corpus: Corpus, ids: Sequence[str]) -> Vectors:
        """float32[len(ids), d]."""
        return self._edges.of(tx, corpus, ids)


class Shortlist(NamedTuple):
    """What the coarse stage leaves.

    Attributes:
        runs: ids of runs of facts.
        symbols: the entities of the corpus nearest to the question's, with their cosines, the most similar first.
        notes: on the search.
    """

    runs: list[str]
    symbols: dict[str, float]
    notes: tuple[str, ...] = ()


def shortlist(
    tx: Transaction, corpus: Corpus, vocabulary: CodebookVectors, names: Vectors, relations: Vectors, *, index: str
) -> Shortlist:
    """The runs with the best coarse score, at most `_SHORTLISTED_RUNS`, ties by id.

    Args:
        names: float32[n, d], those of the question; without rows none is found.
        relations: float32[m, d].
        index: over the entities of the corpus, "" if they are scanned.
    """
    if not len(names):
        return Shortlist([], {})
    searched = with_index(
        tx,
        corpus,
        "systems/apr/candidates",
        index=index,
        depth=_APR_ENTITY_SEARCH_DEPTH,
        parameters={"vectors": names.tolist(), "nearest": _ENTITIES_FOR_A_NAME, "most": _MOST_EDGES_OF_AN_ENTITY},
    )
    (row,) = searched.rows
    capped = (
        f"{name!r} is in {degree:,} facts, of which {_MOST_EDGES_OF_AN_ENTITY:,} were looked at"
        for name, _, degree, _, _ in row["found"]
        if degree > _MOST_EDGES_OF_AN_ENTITY
    )
    notes = (*searched.notes, *capped)
    entities: dict[str, float] = {}
    symbols: dict[str, float] = {}
    for _, cosine, _, runs, symbol in row["found"]:  # the most similar first
        symbols[symbol] = cosine
        for run in runs:
            entities.setdefault(run, cosine)
    if len(entities) <= _SHORTLISTED_RUNS:
        return Shortlist(sorted(entities), symbols, notes)
    best = _relation_cosines(tx, corpus, vocabulary, relations, sorted(entities)) if len(relations) else {}
    return Shortlist(best_of(coarse(entities, best), _SHORTLISTED_RUNS), symbols, notes)


def _relation_cosines(
    tx: Transaction, corpus: Corpus, vocabulary: CodebookVectors, relations: Vectors, runs: Sequence[str]
) -> dict[str, float]:
    """The highest cosine of a relation of each run and one of the question."""
    (row,) = tx.run("systems/apr/relations_of_runs", corpus.label, ids=list(runs))
    ids = sorted({relation for _, some in row["relations"] for relation in some})
    cosines = (vocabulary.of_relations(tx, corpus, ids) @ relations.T).max(axis=1)
    by_id = dict(zip(ids, cosines.tolist(), strict=True))
    return {run: max(by_id[each] for each in some) for run, some in row["relations"] if some}


def read_candidates(
    tx: Transaction, corpus: Corpus, ids: Collection[str], chunks: Collection[str] = ()
) -> list[CandidateRun]:
    """These runs and all of these chunks, each once, in the order of their ids."""
    if not ids and not chunks:
        return []
    (row,) = tx.run("systems/apr/runs", corpus.label, ids=list(ids), chunks=list(chunks))
    return [CandidateRun(run, chunk, tuple(edges)) for run, chunk, edges in sorted(row["runs"]) if edges]


def read_runs(tx: Transaction, corpus: Corpus, ids: Iterable[str]) -> dict[str, FactRun]:
    """What runs say, by id."""
    wanted = list(ids)
    found: dict[str, FactRun] = {}
    for row in tx.run("systems/apr/read_runs", corpus.label, ids=wanted) if wanted else ():
        edges = tuple(CodebookEdge(*each[:5]) for each in row["edges"])
        sentences = tuple(each[5] for each in row["edges"])
        found[row["id"]] = FactRun(row["id"], row["chunk"], row["document"], edges, sentences)
    return found


def shared_names(tx: Transaction, corpus: Corpus, chunks: Collection[str]) -> list[tuple[str, str, Sequence[str]]]:
    """Names of passages that other passages have too: the passage, the name, and all passages with it."""
    if not chunks:
        return []
    (row,) = tx.run("systems/apr/shared_names", corpus.label, chunks=list(chunks), most=_MOST_EDGES_OF_A_SHARED_NAME)
    return [(source, name, passages) for source, name, passages in row["names"]]


def _symbol_vectors(tx: Transaction, corpus: Corpus, ids: Sequence[str]) -> dict[str, Vectors]:
    (row,) = tx.run("systems/apr/known_symbols", corpus.label, ids=list(ids))
    return symbol_vectors(row)


def _edge_vectors(tx: Transaction, corpus: Corpus, ids: Sequence[str]) -> dict[str, Vectors]:
    (row,) = tx.run("systems/apr/edge_vectors", corpus.label, ids=list(ids))
    return {id_: unpacked(vector) for id_, vector in row["vectors"]}
