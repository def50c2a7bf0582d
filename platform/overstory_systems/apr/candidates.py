"""Candidate runs for a question, found by similar entities or near passages, and their scores."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from overstory.graph import Corpus, Transaction
from overstory.protocols import Embedder, Vectors
from overstory.retrieve.hits import best_of
from overstory.retrieve.vector_search import VectorCache, with_index
from overstory.vectors.packed import unpacked
from overstory_systems.apr.codebook import CodebookEdge, FactRun, SymbolKind, symbol_id, symbol_key, symbol_vectors

# Scores of runs for a question: coarse by symbols, fine by lines, and the shares of passages and paths. Pure functions.
#
# Source: AutoPrunedRetriever, Section 2.4 and Appendix A.3 for the shape of the formulas. Coverage as a share, the
# logarithm of the overlap, the shares of passages and paths, and all numbers are ours.

_COARSE_ENTITY_WEIGHT = 1.0
_COARSE_RELATION_WEIGHT = 0.3
"""Weights of the coarse score."""

_AVERAGED_SIMILARITIES = 3
"""Highest entries of the similarity matrix that are averaged."""
_COVERED_LINE_SIMILARITY = 0.45
"""Least similarity at which a run covers a line of the question."""
_PAIRED_LINES_SIMILARITY = 0.50
"""Least similarity at which a line of the question and a line of a run are paired."""
OVERLAP = (0.55, 0.10)
WHOLE = (0.55, 0.15)
"""Midpoint and width of the logistic functions for the overlap and for the whole run."""
_COVERAGE_WEIGHT = 0.10  # weight of `FineScore.coverage`
_OVERLAP_WEIGHT = 0.20  # weight of `FineScore.overlap`
_DISTINCT_WEIGHT = 0.10  # weight of `FineScore.distinct`
_WHOLE_WEIGHT = 0.10  # weight of `FineScore.whole`

Floats = npt.NDArray[np.float64]


class FineScore(NamedTuple):
    """The terms of a run's fine score; nq and nc are the numbers of lines of question and run.

    Attributes:
        relation: Mean of the `_AVERAGED_SIMILARITIES` highest similarities.
        coverage: Share of the question's lines with a similarity of at least `_COVERED_LINE_SIMILARITY`.
        overlap: log(1 + sum over all pairs of lines of their logistic similarity / √(nq · nc)).
        distinct: Sum of similarities of lines paired greedily one to one, divided by √pairs.
        whole: Similarity of the whole run times its logistic gate, divided by √nc.
    """

    relation: float
    coverage: float
    overlap: float
    distinct: float
    whole: float

    @property
    def total(self) -> float:
        return (
            self.relation
            + _COVERAGE_WEIGHT * self.coverage
            + _OVERLAP_WEIGHT * self.overlap
            + _DISTINCT_WEIGHT * self.distinct
            + _WHOLE_WEIGHT * self.whole
        )


def coarse(entities: Mapping[str, float], relations: Mapping[str, float]) -> dict[str, float]:
    """Return the coarse score of each run.

    Args:
        entities: For each run, the highest cosine of one of its entities with an entity of the question.
        relations: For each run, the highest such cosine of relations; 0 if missing.
    """
    return {
        run: _COARSE_ENTITY_WEIGHT * cosine + _COARSE_RELATION_WEIGHT * relations.get(run, 0.0)
        for run, cosine in entities.items()
    }


def fine(question: Vectors, whole: Vectors, runs: Sequence[Vectors]) -> list[FineScore]:
    """Return the fine score of each run, in order.

    Args:
        question: float32[nq, d], one unit vector per line of the question, at least one.
        whole: float32[d], the unit vector of the whole question.
        runs: For each run float32[nc, d], one unit vector per edge, at least one.
    """
    found: dict[int, FineScore] = {}
    for places in _of_like_length([len(run) for run in runs]):
        scores = _fine(question, whole, [runs[place] for place in places])
        found |= dict(zip(places, scores, strict=True))
    return [found[place] for place in range(len(runs))]


def _of_like_length(lengths: Sequence[int]) -> Iterable[list[int]]:
    """Group positions by the next power of two of their lengths, so that padded arrays waste little."""
    groups: dict[int, list[int]] = {}
    for place, length in enumerate(lengths):
        groups.setdefault((length - 1).bit_length(), []).append(place)
    return groups.values()


def _fine(question: Vectors, whole: Vectors, runs: Sequence[Vectors]) -> list[FineScore]:
    lengths = np.array([len(run) for run in runs])
    rows, columns = len(question), int(lengths.max())
    there = np.arange(columns) < lengths[:, None]
    cosines = np.full((len(runs), rows, columns), -np.inf)
    cosines[np.broadcast_to(there[:, None, :], cosines.shape)] = np.concatenate(
        [(question @ run.T).ravel() for run in runs]
    )
    entries = cosines.reshape(len(runs), -1)
    best = -np.sort(-entries, axis=1)[:, :_AVERAGED_SIMILARITIES]
    kept = np.isfinite(best)
    relation = np.where(kept, best, 0.0).sum(axis=1) / kept.sum(axis=1)
    coverage = (cosines.max(axis=2) >= _COVERED_LINE_SIMILARITY).mean(axis=1)
    overlap = np.log1p(_logistic(entries, OVERLAP).sum(axis=1) / np.sqrt(rows * lengths))
    distinct = _distinct(cosines)
    alike = np.array([_whole(run, whole) for run in runs])
    gated = _logistic(alike, WHOLE) * alike / np.sqrt(lengths)
    terms = np.column_stack((relation, coverage, overlap, distinct, gated))
    return [FineScore(*row) for row in terms.tolist()]


def _logistic(values: Floats, shape: tuple[float, float]) -> Floats:
    middle, width = shape
    with np.errstate(over="ignore"):  # -∞ marks padding
        found: Floats = 1.0 / (1.0 + np.exp(-(values - middle) / width))
    return found


def _distinct(cosines: Floats) -> Floats:
    """Pair each run's lines greedily, no line twice, and return the sum of the pairs' cosines / √pairs."""
    left = cosines.copy()
    runs = np.arange(len(left))
    total, pairs = np.zeros(len(left)), np.zeros(len(left))
    for _ in range(min(left.shape[1:])):
        place = left.reshape(len(left), -1).argmax(axis=1)
        row, column = np.divmod(place, left.shape[2])
        value = left[runs, row, column]
        paired = value >= _PAIRED_LINES_SIMILARITY
        if not paired.any():
            break
        total += np.where(paired, value, 0.0)
        pairs += paired
        left[runs, row, :] = -np.inf
        left[runs, :, column] = -np.inf
    found: Floats = total / np.sqrt(np.maximum(pairs, 1.0))
    return found


def _whole(run: Vectors, question: Vectors) -> float:
    """Return the cosine between the question and the sum of a run's edges."""
    total = run.sum(axis=0)
    length = float(np.linalg.norm(total))
    return float(total @ question) / length if length else 0.0


def relevance(scores: Mapping[str, float]) -> dict[str, float]:
    """Scale scores linearly to 0..1; 1 for all if they are equal."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    return {id_: (score - low) / (high - low) if high > low else 1.0 for id_, score in scores.items()}


class SharedSymbol(NamedTuple):
    """A name that two passages share: a found passage, and the passage that it leads to.

    Attributes:
        source: Id of the found passage.
        name: Text of the symbol.
        value: Weight of the link, 0 to 1.
    """

    source: str
    name: str
    value: float


def links(sources: Mapping[str, float], names: Iterable[tuple[str, str, Sequence[str]]]) -> dict[str, SharedSymbol]:
    """Return the strongest link to each passage; ties go to the first.

    The weight of a name is the relevance of its source times √(2 / number of passages with the name), so it is highest
    for a name in only two passages.

    Args:
        sources: Relevance of the source passages, by id.
        names: (source, name, all passages with the name) for each name of a source.
    """
    found: dict[str, SharedSymbol] = {}
    for source, name, passages in names:
        value = sources[source] * float(np.sqrt(2.0 / len(passages))) if len(passages) > 1 else 0.0
        for passage in passages:
            if passage != source and value > (found[passage].value if passage in found else 0.0):
                found[passage] = SharedSymbol(source, name, value)
    return found


_ENTITIES_FOR_A_NAME = 10
"""Entities of the corpus searched for each name of the question."""
_APR_ENTITY_SEARCH_DEPTH = 30
"""Entities requested from the index, so that the best `_ENTITIES_FOR_A_NAME` are exact."""
_MOST_EDGES_OF_AN_ENTITY = 500
"""Edges of an entity whose runs are read."""
_SHORTLISTED_RUNS = 200
"""Runs that the coarse score keeps. The number is ours; the paper gives no k."""
_MOST_EDGES_OF_A_SHARED_NAME = 100
"""Edges that a name may have to lead to other passages; a name with more is too common."""


@dataclass(frozen=True, slots=True)
class CandidateRun:
    """A run without its words: its passage, and its edge ids in order."""

    id: str
    chunk: str
    edges: tuple[str, ...]


class CodebookVectors:
    """Cached vectors of entities, relations and edges. Safe to share between threads."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._symbols = VectorCache(_symbol_vectors)
        self._edges = VectorCache(_edge_vectors)

    def of_texts(
        self, tx: Transaction, corpus: Corpus, texts: Sequence[tuple[SymbolKind, str]], pool: Executor
    ) -> Future[Vectors]:
        """Return the vectors of texts, float32[len(texts), d]; texts without a stored vector are embedded in `pool`."""
        ids = [symbol_id(corpus.label, kind, symbol_key(kind, text)) for kind, text in texts]
        known = self._symbols.of(tx, corpus, ids)
        return pool.submit(self._completed, known, [text for _, text in texts])

    def _completed(self, vectors: Vectors, texts: Sequence[str]) -> Vectors:
        unknown = [place for place, vector in enumerate(vectors) if not vector.any()]
        if unknown:
            vectors[unknown] = self._embedder.embed([texts[place] for place in unknown])
        return vectors

    def of_relations(self, tx: Transaction, corpus: Corpus, ids: Sequence[str]) -> Vectors:
        """Return the vectors of relations, float32[len(ids), d]."""
        return self._symbols.of(tx, corpus, ids)

    def of_edges(self, tx: Transaction, corpus: Corpus, ids: Sequence[str]) -> Vectors:
        """Return the vectors of edges, float32[len(ids), d]."""
        return self._edges.of(tx, corpus, ids)


class Shortlist(NamedTuple):
    """The runs that the coarse stage keeps, and the entities that it found.

    Attributes:
        runs: Ids of runs of facts.
        symbols: Cosines of the entities nearest to those of the question, the most similar first.
        notes: Notes on the search.
    """

    runs: list[str]
    symbols: dict[str, float]
    notes: tuple[str, ...] = ()


def shortlist(
    tx: Transaction, corpus: Corpus, vocabulary: CodebookVectors, names: Vectors, relations: Vectors, *, index: str
) -> Shortlist:
    """Return the runs with the best coarse scores, at most `_SHORTLISTED_RUNS`, ties by id.

    Args:
        names: float32[n, d], vectors of the question's names; without names no run is found.
        relations: float32[m, d], vectors of the question's relations.
        index: Vector index of the corpus's entities, "" to scan them.
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
        f"{name!r} is in {degree:,} facts, only {_MOST_EDGES_OF_AN_ENTITY:,} of them were searched"
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
    (row,) = tx.run("systems/apr/relations_of_runs", corpus.label, ids=list(runs))
    ids = sorted({relation for _, some in row["relations"] for relation in some})
    cosines = (vocabulary.of_relations(tx, corpus, ids) @ relations.T).max(axis=1)
    by_id = dict(zip(ids, cosines.tolist(), strict=True))
    return {run: max(by_id[each] for each in some) for run, some in row["relations"] if some}


def read_candidates(
    tx: Transaction, corpus: Corpus, ids: Collection[str], chunks: Collection[str] = ()
) -> list[CandidateRun]:
    """Read the given runs and all runs of the given chunks, sorted by id."""
    if not ids and not chunks:
        return []
    (row,) = tx.run("systems/apr/runs", corpus.label, ids=list(ids), chunks=list(chunks))
    return [CandidateRun(run, chunk, tuple(edges)) for run, chunk, edges in sorted(row["runs"]) if edges]


def read_runs(tx: Transaction, corpus: Corpus, ids: Iterable[str]) -> dict[str, FactRun]:
    """Read the facts of runs, by run id."""
    wanted = list(ids)
    found: dict[str, FactRun] = {}
    for row in tx.run("systems/apr/read_runs", corpus.label, ids=wanted) if wanted else ():
        edges = tuple(CodebookEdge(*each[:5]) for each in row["edges"])
        sentences = tuple(each[5] for each in row["edges"])
        found[row["id"]] = FactRun(row["id"], row["chunk"], row["document"], edges, sentences)
    return found


def shared_names(tx: Transaction, corpus: Corpus, chunks: Collection[str]) -> list[tuple[str, str, Sequence[str]]]:
    """Read names of passages that other passages have, too, as (passage, name, all passages with the name)."""
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
