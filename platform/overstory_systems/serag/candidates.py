"""Candidate search for one question: named entities, candidate chunks, and the terms of their scores.

Our additions to the paper are marked as ours.

Source: SeRAG paper, Section 3.3, Eq. 10 to 13.
"""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from overstory.graph import Corpus, Transaction
from overstory.graph.client import Row
from overstory.model import Reason
from overstory.protocols import Embedder, Vectors
from overstory.retrieve.hits import NEAREST, best_of, has_names, listed
from overstory.retrieve.question import Question
from overstory.retrieve.question_entities import question_entities
from overstory.retrieve.vector_search import chunk_cosines, depth_for, nearest_chunks
from overstory.systems.state import IndexState
from overstory.text.function_words import FUNCTION_WORDS
from overstory.text.names.keys import entity_key
from overstory.text.names.tokens import idf_weight
from overstory.text.questions.names import longest_unknown
from overstory_systems.serag.settings import SeragIndexSettings, SeragRetrieverSettings


@dataclass(frozen=True, slots=True)
class NamedEntity:
    """An entity of the corpus that a question names.

    Attributes:
        similarity: Cosine between its name and the name in the question; 1 if the names are equal.
        idf: IDF weight of the entity.
        counts: Number of mentions in each chunk, by chunk id.
    """

    name: str
    similarity: float
    idf: float
    counts: Mapping[str, int]


class ChunkEdge(NamedTuple):
    """An edge between two chunks. `share` is its weight divided by the weight of the first chunk's strongest edge."""

    chunk: str
    other: str
    share: float


class Nearness(NamedTuple):
    """The neighbour score of a chunk, and the id of the neighbour from which the score comes."""

    score: float
    source: str


def entity_bonus(entities: Iterable[NamedEntity], *, idf_weighted: bool) -> dict[str, float]:
    """Return log(1 + B) for each chunk that mentions an entity, with B = Σ similarity · log(1 + count) (Eq. 13).

    Args:
        idf_weighted: Multiply each term by the entity's IDF weight. This is ours: a name that occurs in half of the
            corpus is no evidence.
    """
    sums: dict[str, float] = {}
    for entity in entities:
        weight = entity.similarity * (entity.idf if idf_weighted else 1.0)
        for chunk, count in entity.counts.items():
            sums[chunk] = sums.get(chunk, 0.0) + weight * math.log1p(count)
    return {chunk: math.log1p(total) for chunk, total in sums.items()}


def nearness(scores: Mapping[str, float], edges: Iterable[ChunkEdge]) -> dict[str, Nearness]:
    """Return each chunk's neighbour score (ours): the maximum of its neighbours' scores times edge shares."""
    found: dict[str, Nearness] = {}
    for edge in edges:
        score = scores[edge.chunk] * edge.share
        if score > 0.0 and (edge.other not in found or score > found[edge.other].score):
            found[edge.other] = Nearness(score, edge.chunk)
    return found


_MOST_CHUNKS_OF_A_NAME = 5_000
"""Maximum number of chunks that mention a name. A more frequent name adds no bonus, only a note."""
_MOST_NAMES_OF_A_QUESTION = 16
"""Maximum number of names of a question that are used."""
_SIMILAR_NAME_COSINE = 0.85
"""The threshold τ of Eq. 12."""
_MOST_SIMILAR_NAMES = 16
"""Maximum number of names that are compared with the question's names. Those that share the most words come first.
Embedding a new name takes 2 ms."""
_REMEMBERED_NAME_VECTORS = 4_096  # maximum number of cached vectors


@dataclass(frozen=True, slots=True)
class NamedEntities:
    """The names in a question.

    Attributes:
        entities: Entities of the corpus that the question names.
        names: Names in the question, including those that do not occur in the corpus.
        notes: Notes on names that were ignored.
    """

    entities: Sequence[NamedEntity]
    names: Sequence[str]
    notes: tuple[str, ...] = ()

    def words(self) -> set[str]:
        return set().union(*map(_words, self.names))


def named_entities(tx: Transaction, corpus: Corpus, question: Question, chunks: int) -> NamedEntities:
    """Look up the entities that a question names, in a corpus of `chunks` chunks."""
    named = question_entities(tx, corpus, question)
    found = named.entities[:_MOST_NAMES_OF_A_QUESTION]
    ids = [entity.id for entity in found]
    rows = {
        row["id"]: row
        for row in tx.run("systems/serag/entity_chunks", corpus.label, ids=ids, most=_MOST_CHUNKS_OF_A_NAME)
    }
    found = tuple(entity for entity in found if entity.id in rows)  # skip entities that were just deleted
    counts = [(entity, dict(rows[entity.id]["chunks"])) for entity in found]
    known = {entity.key for entity in found}
    merged = {question.tokens.key(match.first, match.stop) for match in named.matches if match.key in known}
    unknown = longest_unknown(question.text, question.tokens, known | merged)
    return NamedEntities(
        entities=[_named_entity(entity.name, 1.0, of_chunks, chunks) for entity, of_chunks in counts if of_chunks],
        names=[*(entity.name for entity in found), *unknown][:_MOST_NAMES_OF_A_QUESTION],
        notes=tuple(
            f"{entity.name!r} is too frequent to distinguish passages and was left out"
            for entity in found
            if rows[entity.id]["mentions"] > _MOST_CHUNKS_OF_A_NAME
        ),
    )


def similar_entities(rows: Iterable[Row], asked: NamedEntities, names: NameVectors, chunks: int) -> list[NamedEntity]:
    """Select entities from rows of `systems/serag/entities` with names similar to the question's names, but not equal.

    Only names that share a word with a name in the question are compared: others never reached the threshold.
    """
    own = {entity_key(name) for name in asked.names}
    words = [_words(name) for name in asked.names]
    sharing = [(max((len(_words(row["name"]) & each) for each in words), default=0), row) for row in rows]
    sharing = [(shared, row) for shared, row in sharing if shared and row["key"] not in own]
    sharing.sort(key=lambda pair: (-pair[0], len(pair[1]["name"]), pair[1]["id"]))
    compared = [row for _, row in sharing[:_MOST_SIMILAR_NAMES]]
    if not compared:
        return []
    vectors = names.of([*asked.names, *(row["name"] for row in compared)])
    similarities = (vectors[len(asked.names) :] @ vectors[: len(asked.names)].T).max(axis=1).tolist()
    return [
        _entity(row, each, chunks)
        for row, each in zip(compared, similarities, strict=True)
        if each > _SIMILAR_NAME_COSINE
    ]


class NameVectors:
    """Caches the vectors of names. Threads can share an instance."""

    def __init__(self, embedder: Embedder, *, most: int = _REMEMBERED_NAME_VECTORS) -> None:
        self._embedder = embedder
        self._most = most
        self._lock = threading.Lock()
        self._known: OrderedDict[str, Vectors] = OrderedDict()

    def of(self, names: Sequence[str]) -> Vectors:
        with self._lock:
            found = {name: self._known[name] for name in names if name in self._known}
        missing = [name for name in dict.fromkeys(names) if name not in found]
        if missing:
            found |= dict(zip(missing, self._embedder.embed(missing), strict=True))
        with self._lock:
            for name in names:
                self._known[name] = found[name]
                self._known.move_to_end(name)
            while len(self._known) > self._most:
                self._known.popitem(last=False)
        return np.stack([found[name] for name in names])


def _entity(row: Row, similarity: float, chunks: int) -> NamedEntity:
    return _named_entity(row["name"], similarity, dict(row["chunks"]), chunks)


def _named_entity(name: str, similarity: float, counts: Mapping[str, int], chunks: int) -> NamedEntity:
    return NamedEntity(name, similarity, idf_weight(chunks, len(counts)), counts)


def _words(name: str) -> set[str]:
    return set(entity_key(name).split()) - FUNCTION_WORDS


_FEW_CHUNKS_OF_A_NAME = 100
"""A name that occurs in at most this many chunks makes all of them candidates, whatever their cosines."""
_MOST_EDGES_OF_AN_ANCHOR = 64
"""Number of strongest edges that are followed from each anchor."""


@dataclass(slots=True)
class ScoredCandidates:
    """Candidate chunks with the terms of their scores, all by chunk id.

    Attributes:
        cosines: Cosine between each candidate and the question.
        coarse: Cosine of each candidate's best selected community, if the coarse term is used.
        entities: Entities of the corpus that the question names.
        bonus: log(1 + B) of each candidate.
        scores: Scores by which candidates are ranked.
        linked: Neighbour scores from better candidates.
        filled: Candidates that were added only because of their cosine.
    """

    settings: SeragRetrieverSettings
    cosines: dict[str, float]
    coarse: Mapping[str, float]
    entities: Sequence[NamedEntity]
    bonus: Mapping[str, float] = field(init=False)
    scores: dict[str, float] = field(default_factory=dict[str, float])
    linked: dict[str, Nearness] = field(default_factory=dict[str, Nearness])
    filled: set[str] = field(default_factory=set[str])

    def __post_init__(self) -> None:
        self.bonus = entity_bonus(self.entities, idf_weighted=self.settings.idf_weighted)
        self.score()

    def score(self) -> None:
        """Compute the score of Eq. 10 for every candidate."""
        given = self.settings
        for id_, cosine in self.cosines.items():
            fine = cosine + given.bonus * self.bonus.get(id_, 0.0)
            self.scores[id_] = given.fine * fine + given.coarse * self.coarse.get(id_, 0.0)

    def keep(self, k: int) -> None:
        kept = best_of(self.scores, k)
        self.scores = {id_: self.scores[id_] for id_ in kept}

    def reasons(self, id_: str, source: str) -> Iterator[Reason]:
        """Yield the terms of a candidate's score. `source` quotes the passage from which the neighbour score comes."""
        given = self.settings
        plain = not (id_ in self.bonus or id_ in self.coarse or id_ in self.linked)
        near = NEAREST if plain else ""
        cosine = f"cosine similarity to the question {self.cosines[id_]:.3f}"
        yield Reason("dense", given.fine * self.cosines[id_], cosine, near)
        if id_ in self.filled:
            yield Reason("filled", 0.0, "the selected communities have too few passages: added by cosine")
        if id_ in self.bonus:
            named = [entity.name for entity in self.entities if id_ in entity.counts]
            bonus = given.fine * given.bonus * self.bonus[id_]
            yield Reason("entities", bonus, f"mentions {listed(named)}", has_names(named))
        if id_ in self.coarse:
            cosine = f"cosine of its community {self.coarse[id_]:.3f}"
            near = "is in a community close in meaning to the question"
            yield Reason("community", given.coarse * self.coarse[id_], cosine, near)
        if id_ in self.linked:
            other = self.linked[id_]
            linked = f"is linked within a community to {source}, which was found first"
            yield Reason("beside", given.neighbours * other.score, linked, linked)


@dataclass(slots=True)
class CandidateSearch:
    """The search for one question in one transaction."""

    tx: Transaction
    corpus: Corpus
    state: IndexState[SeragIndexSettings]
    settings: SeragRetrieverSettings
    question: Question
    embedding: Future[Vectors]
    names: NamedEntities = field(init=False)
    notes: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        self.names = named_entities(self.tx, self.corpus, self.question, self.state.details["chunks"])

    @property
    def vector(self) -> Vectors:
        """Vector of the question, float32[d]."""
        return self.embedding.result()

    def candidates(self, depth: int) -> dict[str, float]:
        """Return cosines of the chunks nearest to the question, and of all chunks that contain a rare name from it."""
        found = self._nearest(depth)
        named = {
            id_ for each in self.names.entities if len(each.counts) <= _FEW_CHUNKS_OF_A_NAME for id_ in each.counts
        }
        return found | self._cosines(sorted(named - found.keys()))

    def walk(self, found: ScoredCandidates) -> None:
        """Add neighbour scores from the best chunks, along edges within their communities."""
        anchors = best_of(found.scores, self.settings.anchors)
        rows = self.tx.run(
            "systems/serag/linked",
            self.corpus.label,
            ids=anchors,
            tree=self.settings.tree,
            generation=self.state.generation,
            weight=self.settings.edge_weight,
            most=_MOST_EDGES_OF_AN_ANCHOR,
        )
        edges = (
            ChunkEdge(row["id"], other, weight / row["strongest"]) for row in rows for other, weight in row["inside"]
        )
        found.linked = nearness(found.scores, edges)
        new = self._cosines(sorted(found.linked.keys() - found.cosines.keys()))
        found.cosines |= new
        found.score()
        for id_, near in found.linked.items():
            if id_ in found.scores:
                found.scores[id_] += self.settings.neighbours * near.score

    def fill(self, found: ScoredCandidates, k: int) -> None:
        """If there are fewer than `k` candidates, add the chunks nearest to the question, ranked behind all others."""
        least = min(found.scores.values(), default=0.0)
        nearest = self._nearest(depth_for(k))
        for id_ in best_of({id_: cosine for id_, cosine in nearest.items() if id_ not in found.scores}, k):
            found.cosines[id_] = nearest[id_]
            found.scores[id_] = least - 2.0 + nearest[id_]
            found.filled.add(id_)

    def _nearest(self, depth: int) -> dict[str, float]:
        found = nearest_chunks(self.tx, self.corpus, self.vector, depth, vector_depth=depth)
        self.notes += [note for note in found.notes if note not in self.notes]
        return found.cosines

    def _cosines(self, ids: list[str]) -> dict[str, float]:
        return chunk_cosines(self.tx, self.corpus, self.vector, ids)
