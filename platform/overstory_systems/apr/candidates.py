"""Finds candidate runs (sequences of consecutive facts) for a question, and scores them."""

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

# Scores: coarse scores of runs by symbols, fine scores by edges, and weights of links. Pure functions.
#
# Source: AutoPrunedRetriever paper, Section 2.4 and Appendix A.3, for the shape of the formulas. Ours are: coverage as
# a fraction, the logarithm of the overlap, the terms for passages and links, and all numbers.

_COARSE_ENTITY_WEIGHT = 1.0
_COARSE_RELATION_WEIGHT = 0.3
"""Weights of entities and relations in the coarse score."""

_AVERAGED_SIMILARITIES = 3
"""Number of highest similarities that are averaged."""
_COVERED_LINE_SIMILARITY = 0.45
"""Minimum similarity at which a run covers a line of the question."""
_PAIRED_LINES_SIMILARITY = 0.50
"""Minimum similarity at which a line of the question is paired with an edge of a run."""
OVERLAP = (0.55, 0.10)
WHOLE = (0.55, 0.15)
"""Midpoint and width of the logistic functions for `FineScore.overlap` and `FineScore.whole`."""
_COVERAGE_WEIGHT = 0.10  # weight of `FineScore.coverage`
_OVERLAP_WEIGHT = 0.20  # weight of `FineScore.overlap`
_DISTINCT_WEIGHT = 0.10  # weight of `FineScore.distinct`
_WHOLE_WEIGHT = 0.10  # weight of `FineScore.whole`

Floats = npt.NDArray[np.float64]


class FineScore(NamedTuple):
    """The terms of a run's fine score.

    Similarities are cosines between the question's nq lines (triples, names, text) and the run's nc edges.

    Attributes:
        relation: Mean of the `_AVERAGED_SIMILARITIES` highest similarities.
        coverage: Fraction of the question's lines with a similarity of at least `_COVERED_LINE_SIMILARITY`.
        overlap: log(1 + sum of the logistic functions of all similarities / √(nq · nc)).
        distinct: Sum of the similarities of lines and edges paired greedily one to one, divided by √(number of pairs).
        whole: Cosine s of the summed edges with the whole question, times the logistic function of s, divided by √nc.
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
    """Return the coarse score of each run, by run id.

    Args:
        entities: For each run, the highest cosine between one of its entities and an entity of the question.
        relations: The same for relations. A missing run counts as 0.
    """
    return {
        run: _COARSE_ENTITY_WEIGHT * cosine + _COARSE_RELATION_WEIGHT * relations.get(run, 0.0)
        for run, cosine in entities.items()
    }


def fine(question: Vectors, whole: Vectors, runs: Sequence[Vectors]) -> list[FineScore]:
    """Return the fine score of each run, in order.

    Args:
        question: float32[nq, d], one unit vector per line of the question; nq ≥ 1.
        whole: float32[d], the unit vector of the whole question.
        runs: For each run, float32[nc, d] with one unit vector per edge; nc ≥ 1.
    """
    found: dict[int, FineScore] = {}
    for places in _of_like_length([len(run) for run in runs]):
        scores = _fine(question, whole, [runs[place] for place in places])
        found |= dict(zip(places, scores, strict=True))
    return [found[place] for place in range(len(runs))]


def _of_like_length(lengths: Sequence[int]) -> Iterable[list[int]]:
    """Group positions by length, rounded up to a power of two, so that arrays need little padding."""
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
    with np.errstate(over="ignore"):  # Padding is -∞.
        found: Floats = 1.0 / (1.0 + np.exp(-(values - middle) / width))
    return found


def _distinct(cosines: Floats) -> Floats:
    """Pair lines and edges of each run greedily, and return the sums of the pairs' cosines / √(number of pairs)."""
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
    """Return the cosine between the question and the sum of the run's edge vectors."""
    total = run.sum(axis=0)
    length = float(np.linalg.norm(total))
    return float(total @ question) / length if length else 0.0


def relevance(scores: Mapping[str, float]) -> dict[str, float]:
    """Scale scores linearly to the range 0 to 1. If all scores are equal, each becomes 1."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    return {id_: (score - low) / (high - low) if high > low else 1.0 for id_, score in scores.items()}


class SharedSymbol(NamedTuple):
    """A name through which one passage leads to another passage.

    Attributes:
        source: Id of the passage from which the link starts.
        name: Text of the shared entity.
        value: Weight of the link, from 0 to 1.
    """

    source: str
    name: str
    value: float


def links(sources: Mapping[str, float], names: Iterable[tuple[str, str, Sequence[str]]]) -> dict[str, SharedSymbol]:
    """Return the strongest link to each passage, by the id of the passage reached. On a tie, the first link is kept.

    The weight of a link is the relevance of its source times √(2 / number of passages with the name). It is highest for
    a name that occurs in only two passages.

    Args:
        sources: Relevance of the source passages, by id.
        names: (source id, name, ids of all passages with the name) for each name of a source.
    """
    found: dict[str, SharedSymbol] = {}
    for source, name, passages in names:
        value = sources[source] * float(np.sqrt(2.0 / len(passages))) if len(passages) > 1 else 0.0
        for passage in passages:
            if passage != source and value > (found[passage].value if passage in found else 0.0):
                found[passage] = SharedSymbol(source, name, value)
    return found


_ENTITIES_FOR_A_NAME = 10
"""Number of the corpus's entities that are found for each name of the question."""
_APR_ENTITY_SEARCH_DEPTH = 30
"""Number of entities requested from the index, so that the best `_ENTITIES_FOR_A_NAME` are exact."""
_MOST_EDGES_OF_AN_ENTITY = 500
"""Maximum number of an entity's edges whose runs are read."""
_SHORTLISTED_RUNS = 200
"""Number of runs that the coarse stage keeps. The number is ours, because the paper states no k."""
_MOST_EDGES_OF_A_SHARED_NAME = 100
"""Maximum number of edges of a name that links passages. A name with more edges is too common."""


@dataclass(frozen=True, slots=True)
class CandidateRun:
    """A run (sequence of consecutive facts) whose words are not read yet: ids of the run, its chunk and its edges."""

    id: str
    chunk: str
    edges: tuple[str, ...]


class CodebookVectors:
    """Caches the vectors of entities, relations and edges. Threads can share an instance."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._symbols = VectorCache(_symbol_vectors)
        self._edges = VectorCache(_edge_vectors)

    def of_texts(
        self, tx: Transaction, corpus: Corpus, texts: Sequence[tuple[SymbolKind, str]], pool: Executor
    ) -> Future[Vectors]:
        """Return float32[len(texts), d]. Texts without a stored vector are embedded in `pool`."""
        ids = [symbol_id(corpus.label, kind, symbol_key(kind, text)) for kind, text in texts]
        known = self._symbols.of(tx, corpus, ids)
        return pool.submit(self._completed, known, [text for _, text in texts])

    def _completed(self, vectors: Vectors, texts: Sequence[str]) -> Vectors:
        unknown = [place for place, vector in enumerate(vectors) if not vector.any()]
        if unknown:
            vectors[unknown] = self._embedder.embed([texts[place] for place in unknown])
        return vectors

    def of_relations(self, tx: Transaction, corpus: Corpus, ids: Sequence[str]) -> Vectors:
        return self._symbols.of(tx, corpus, ids)

    def of_edges(self, tx: Transaction, corpus: Corpus, ids: Sequence[str]) -> Vectors:
        return self._edges.of(tx, corpus, ids)


class Shortlist(NamedTuple):
    """The result of the coarse stage.

    Attributes:
        runs: Ids of the selected runs.
        symbols: Ids and cosines of the entities nearest to the question's names, the most similar first.
        notes: Notes on the search.
    """

    runs: list[str]
    symbols: dict[str, float]
    notes: tuple[str, ...] = ()


def shortlist(
    tx: Transaction, corpus: Corpus, vocabulary: CodebookVectors, names: Vectors, relations: Vectors, *, index: str
) -> Shortlist:
    """Return the `_SHORTLISTED_RUNS` runs with the best coarse scores, ties by id.

    Args:
        names: float32[n, d], vectors of the question's names. Without names, no runs are found.
        relations: float32[m, d], vectors of the question's relations.
        index: Name of the vector index of the corpus's entities; "" means that entities are scanned.
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
    for _, cosine, _, runs, symbol in row["found"]:  # sorted, the most similar first
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
    """Read the given runs and all runs of the given chunks, sorted by run id."""
    if not ids and not chunks:
        return []
    (row,) = tx.run("systems/apr/runs", corpus.label, ids=list(ids), chunks=list(chunks))
    return [CandidateRun(run, chunk, tuple(edges)) for run, chunk, edges in sorted(row["runs"]) if edges]


def read_runs(tx: Transaction, corpus: Corpus, ids: Iterable[str]) -> dict[str, FactRun]:
    """Read runs with their facts, by run id."""
    wanted = list(ids)
    found: dict[str, FactRun] = {}
    for row in tx.run("systems/apr/read_runs", corpus.label, ids=wanted) if wanted else ():
        edges = tuple(CodebookEdge(*each[:5]) for each in row["edges"])
        sentences = tuple(each[5] for each in row["edges"])
        found[row["id"]] = FactRun(row["id"], row["chunk"], row["document"], edges, sentences)
    return found


def shared_names(tx: Transaction, corpus: Corpus, chunks: Collection[str]) -> list[tuple[str, str, Sequence[str]]]:
    """Read the names that passages share with others, as (passage id, name, ids of all passages with the name)."""
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
