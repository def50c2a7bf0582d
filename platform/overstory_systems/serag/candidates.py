"""One question in its transaction: candidates for it, and the parts of their scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field

from overstory.graph import Corpus, Transaction
from overstory.model import Reason
from overstory.protocols import Vectors
from overstory.retrieve.hits import NEAREST, best_of, has_names, listed
from overstory.retrieve.question import Question
from overstory.retrieve.vector_search import chunk_cosines, depth_for, nearest_chunks
from overstory.systems.state import IndexState
from overstory_systems.serag.index_settings import SeragIndexSettings
from overstory_systems.serag.names import NamedEntities, named_entities
from overstory_systems.serag.retriever_settings import SeragRetrieverSettings
from overstory_systems.serag.scoring import ChunkEdge, NamedEntity, Nearness, entity_bonus, nearness

_FEW_CHUNKS_OF_A_NAME = 100
"""A name in at most so many chunks makes them candidates, however far in meaning they are from the question."""
_MOST_EDGES_OF_AN_ANCHOR = 64
"""Edges followed from each anchor, the strongest."""


@dataclass(slots=True)
class ScoredCandidates:
    """Candidates with the parts of their scores.

    Attributes:
        cosines: to the question.
        coarse: cosines of their best selected communities, where these are asked.
        entities: of the corpus, that the question names.
        bonus: log(1 + B).
        scores: what they are ranked by.
        beside: what they owe to better ones beside them.
        filled: those that are there by their cosines alone.
    """

    settings: SeragRetrieverSettings
    cosines: dict[str, float]
    coarse: Mapping[str, float]
    entities: Sequence[NamedEntity]
    bonus: Mapping[str, float] = field(init=False)
    scores: dict[str, float] = field(default_factory=dict[str, float])
    beside: dict[str, Nearness] = field(default_factory=dict[str, Nearness])
    filled: set[str] = field(default_factory=set[str])

    def __post_init__(self) -> None:
        self.bonus = entity_bonus(self.entities, idf_weighted=self.settings.idf_weighted)
        self.score()

    def score(self) -> None:
        """Eq. 10 for every candidate."""
        given = self.settings
        for id_, cosine in self.cosines.items():
            fine = cosine + given.bonus * self.bonus.get(id_, 0.0)
            self.scores[id_] = given.fine * fine + given.coarse * self.coarse.get(id_, 0.0)

    def keep(self, k: int) -> None:
        """Drops all but the `k` best."""
        kept = best_of(self.scores, k)
        self.scores = {id_: self.scores[id_] for id_ in kept}

    def reasons(self, id_: str, beside: str) -> Iterator[Reason]:
        """The parts of a score. `beside` says which passage it is linked to, if it owes something to one."""
        given = self.settings
        plain = not (id_ in self.bonus or id_ in self.coarse or id_ in self.beside)
        near = NEAREST if plain else ""
        cosine = f"cosine similarity to the question {self.cosines[id_]:.3f}"
        yield Reason("dense", given.fine * self.cosines[id_], cosine, near)
        if id_ in self.filled:
            yield Reason("filled", 0.0, "the selected communities have too few passages: filled up by cosine")
        if id_ in self.bonus:
            named = [entity.name for entity in self.entities if id_ in entity.counts]
            bonus = given.fine * given.bonus * self.bonus[id_]
            yield Reason("entities", bonus, f"says {listed(named)}", has_names(named))
        if id_ in self.coarse:
            cosine = f"cosine of its community {self.coarse[id_]:.3f}"
            near = "is in a community close in meaning to the question"
            yield Reason("community", given.coarse * self.coarse[id_], cosine, near)
        if id_ in self.beside:
            other = self.beside[id_]
            linked = f"is linked in one community to {beside}, which was found first"
            yield Reason("beside", given.neighbours * other.score, linked, linked)


@dataclass(slots=True)
class CandidateSearch:
    """One question in its transaction."""

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
        """float32[d]: the question's."""
        return self.embedding.result()

    def candidates(self, depth: int) -> dict[str, float]:
        """The chunks nearest in meaning, and those with a rare name of the question."""
        found = self._nearest(depth)
        named = {
            id_ for each in self.names.entities if len(each.counts) <= _FEW_CHUNKS_OF_A_NAME for id_ in each.counts
        }
        return found | self._cosines(sorted(named - found.keys()))

    def walk(self, found: ScoredCandidates) -> None:
        """Adds neighbour scores from the best chunks, along edges inside their communities."""
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
        found.beside = nearness(found.scores, edges)
        new = self._cosines(sorted(found.beside.keys() - found.cosines.keys()))
        found.cosines |= new
        found.score()
        for id_, near in found.beside.items():
            if id_ in found.scores:
                found.scores[id_] += self.settings.neighbours * near.score

    def fill(self, found: ScoredCandidates, k: int) -> None:
        """Fills up too few candidates with the chunks nearest in meaning, ranked behind all others."""
        least = min(found.scores.values(), default=0.0)
        nearest = self._nearest(depth_for(k))
        for id_ in best_of({id_: cosine for id_, cosine in nearest.items() if id_ not in found.scores}, k):
            found.cosines[id_] = nearest[id_]
            found.scores[id_] = least - 2.0 + nearest[id_]
            found.filled.add(id_)

    def _nearest(self, depth: int) -> dict[str, float]:
        """Cosines of the chunks nearest in meaning."""
        found = nearest_chunks(self.tx, self.corpus, self.vector, depth, vector_depth=depth)
        self.notes += [note for note in found.notes if note not in self.notes]
        return found.cosines

    def _cosines(self, ids: list[str]) -> dict[str, float]:
        return chunk_cosines(self.tx, self.corpus, self.vector, ids)
