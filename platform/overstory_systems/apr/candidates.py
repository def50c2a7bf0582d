"""The runs that a question may be about, with entities near its names or of some passages, and their scores."""

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

# Scores of runs for a question: coarse on symbols, fine on lines, and what passages and paths bring. Pure functions.
#
# Source: AutoPrunedRetriever, Section 2.4 and Appendix A.3, which has the shape of the formulas; coverage as a share,
# the logarithm of the overlap, and all numbers are ours. What passages and paths bring is ours, too.

_COARSE_ENTITY_WEIGHT = 1.0
_COARSE_RELATION_WEIGHT = 0.3
"""Weights of the coarse score."""

_AVERAGED_SIMILARITIES = 3
"""Entries of the similarity matrix that are averaged."""
_COVERED_LINE_SIMILARITY = 0.45
"""Similarity from which a line of the question is covered by a run."""
_PAIRED_LINES_SIMILARITY = 0.50
"""Similarity from which a line of the question and one of a run are paired."""
OVERLAP = (0.55, 0.10)
WHOLE = (0.55, 0.15)
"""Middle and width of the logistic functions of the overlap and of the whole run."""
_COVERAGE_WEIGHT = 0.10  # of `FineScore.coverage`
_OVERLAP_WEIGHT = 0.20  # of `FineScore.overlap`
_DISTINCT_WEIGHT = 0.10  # of `FineScore.distinct`
_WHOLE_WEIGHT = 0.10  # of `FineScore.whole`

Floats = npt.NDArray[np.float64]


class FineScore(NamedTuple):
    """The terms of a run's fine score.

    Attributes:
        relation: the mean of the `_AVERAGED_SIMILARITIES` highest similarities, of all where there are fewer.
        coverage: the share of the question's lines with a similarity of `_COVERED_LINE_SIMILARITY` or more.
        overlap: log1p of the sum over all pairs of lines of how similar they are (0 to 1), by √(nq · nc).
        distinct: the sum of similarities of lines paired one to one, the most similar first, by √pairs.
        whole: how similar the whole run is, by √nc, gated.
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
    """The coarse score of each run.

    Args:
        entities: the highest cosine of an entity of the run and one of the question, by run.
        relations: of relations likewise; 0 for a run that is left out.
    """
    return {
        run: _COARSE_ENTITY_WEIGHT * cosine + _COARSE_RELATION_WEIGHT * relations.get(run, 0.0)
        for run, cosine in entities.items()
    }


def fine(question: Vectors, whole: Vectors, runs: Sequence[Vectors]) -> list[FineScore]:
    """The fine score of each run, in their order.

    Args:
        question: float32[nq, d], a unit vector for each line of the question, at least one.
        whole: float32[d], the unit vector of the whole question.
        runs: of each run float32[nc, d], a unit vector for each of its edges, at least one.
    """
    found: dict[int, FineScore] = {}
    for places in _of_like_length([len(run) for run in runs]):
        scores = _fine(question, whole, [runs[place] for place in places])
        found |= dict(zip(places, scores, strict=True))
    return [found[place] for place in range(len(runs))]


def _of_like_length(lengths: Sequence[int]) -> Iterable[list[int]]:
    """Places by the next power of two, so that few of the numbers of a common array stand for nothing."""
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
    with np.errstate(over="ignore"):  # −∞ stands for no entry
        found: Floats = 1.0 / (1.0 + np.exp(-(values - middle) / width))
    return found


def _distinct(cosines: Floats) -> Floats:
    """Σ/√pairs of each run over pairs of lines, the most similar first, no line twice."""
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
    """The cosine of the question and the sum of a run's edges."""
    total = run.sum(axis=0)
    length = float(np.linalg.norm(total))
    return float(total @ question) / length if length else 0.0


def relevance(scores: Mapping[str, float]) -> dict[str, float]:
    """How far each score is above the lowest, from 0 to 1 for the highest; 1 for all where none differs."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    return {id_: (score - low) / (high - low) if high > low else 1.0 for id_, score in scores.items()}


class SharedSymbol(NamedTuple):
    """A name that two passages share: one that was found, and one that it leads to.

    Attributes:
        source: the passage that was found.
        name: the symbol's text.
        value: how much it brings, 0 to 1.
    """

    source: str
    name: str
    value: float


def links(sources: Mapping[str, float], names: Iterable[tuple[str, str, Sequence[str]]]) -> dict[str, SharedSymbol]:
    """The strongest link to each passage; of equal ones the first.

    A name brings as much as its passage is relevant, times √(2 / passages that have it): a name in two passages alone
    says most.

    Args:
        sources: the relevance of passages, by id.
        names: of each name of a source: the source, the name, and the passages that have it, the source among them.
    """
    found: dict[str, SharedSymbol] = {}
    for source, name, passages in names:
        value = sources[source] * float(np.sqrt(2.0 / len(passages))) if len(passages) > 1 else 0.0
        for passage in passages:
            if passage != source and value > (found[passage].value if passage in found else 0.0):
                found[passage] = SharedSymbol(source, name, value)
    return found


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
