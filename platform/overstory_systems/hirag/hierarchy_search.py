"""One question in its transaction: what HiRAG's index says to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from overstory.graph import Corpus, Transaction, schema
from overstory.graph.client import Row
from overstory.graph.generations import slot_of
from overstory.protocols import Vectors
from overstory.retrieve.vector_search import chunk_cosines, nearest_chunks, with_index
from overstory.systems.state import IndexState
from overstory.systems.texts.reports import Report
from overstory.systems.vector_indexes import SCANNED
from overstory_systems.hirag.index_settings import HiragIndexSettings
from overstory_systems.hirag.names import ENTITY, entity_id
from overstory_systems.hirag.parts import MOST_PASSAGES_OF_ONE, RELATED, PathEntity, PathRelation, Paths
from overstory_systems.hirag.ranking import RANKING_ENTITIES, RELATIONS_OF_AN_ENTITY
from overstory_systems.hirag.selection import Hierarchy, NearEntity, RatedCommunity, Selected, StoredReport

KEY_ENTITY_CANDIDATES = 50
"""Entities near the question among which those of a community are key: few pairs are joined, so the first count."""
_HIRAG_ENTITY_SEARCH_DEPTH = 100
"""Entities that the vector index is asked for: it then returns .995 of the nearest 20 (`retrieve.vector_search`)."""
_HUB_SHARE = 0.05
"""Of the passages: a path leads through no entity whose name more of them have."""
_LEAST_HUB_PASSAGES = 20
"""Passages: in a small corpus no name is everywhere."""
_REPORT_CANDIDATES = 40
"""Reports of the coarsest communities among which different ones are chosen."""
_FEW_REPORTS = 5
"""If the coarsest communities have fewer, those right below them are taken, too."""
COARSEST_LEVEL, NEXT_LEVEL = 1, 2
"""Levels of the tree."""

Said = Mapping[str, tuple[str, Sequence[str]]]
"""By the id of an entity its description, and the passages that it stands on."""


@dataclass(frozen=True, slots=True)
class EntityDetails:
    """What is said of entities and communities.

    Attributes:
        related: the strongest relations of the entities nearest to the question, and the entities at their ends.
        bridges: the paths stored between the communities, ids of entities from end to end.
    """

    said: Said = field(default_factory=dict[str, tuple[str, Sequence[str]]])
    reports: Sequence[StoredReport] = ()
    related: Paths = field(default_factory=Paths)
    bridges: Sequence[tuple[str, ...]] = ()


@dataclass(slots=True)
class HierarchySearch:
    """One question in its transaction. Nodes may be gone between two statements: then less is found.

    Attributes:
        vector: the question's.
        notes: on searches.
    """

    tx: Transaction
    corpus: Corpus
    state: IndexState[HiragIndexSettings]
    vector: Vectors
    notes: list[str] = field(default_factory=list[str])

    def nearest(self, limit: int) -> tuple[list[NearEntity], Hierarchy]:
        """The entities of all layers nearest to the question (Eq. 12), and the communities that they are in."""
        generation = self.state.generation
        scanned = ENTITY in self.state.details.get(SCANNED, ())
        index = "" if scanned else schema.derived_index(self.corpus.label, ENTITY, slot_of(generation))
        searched = with_index(
            self.tx,
            self.corpus,
            "systems/hirag/nearest",
            index=index,
            depth=max(_HIRAG_ENTITY_SEARCH_DEPTH, limit),
            parameters={"vector": self.vector.tolist(), "limit": limit, "generation": generation},
        )
        self.notes += searched.notes
        (row,) = searched.rows
        found = [NearEntity(*each) for each in row["found"]]
        return found, Hierarchy.of(row["communities"])

    def read(self, entities: Sequence[NearEntity], communities: Sequence[Selected]) -> EntityDetails:
        """What is said of these, how the nearest entities are related, and the bridges between the communities."""
        (row,) = self.tx.run(
            "systems/hirag/evidence",
            self.corpus.label,
            asked={
                "entities": [entity.id for entity in entities],
                "communities": [each.community.id for each in communities],
                "nearest": [entity.id for entity in entities[:RANKING_ENTITIES]],
            },
            vector=self.vector.tolist(),
            limit=RELATIONS_OF_AN_ENTITY,
            most=MOST_PASSAGES_OF_ONE,
        )
        reports = {community: each for community, *each in row["reports"]}
        label, generation = self.corpus.label, self.state.generation
        said = {id_: (text, chunks) for id_, text, chunks in row["entities"]}
        return EntityDetails(
            said,
            [
                _report(each.community, *reports[each.community.id])
                for each in communities
                if each.community.id in reports
            ],
            _related(entities, said, row["related"]),
            [tuple(entity_id(label, generation, ref) for ref in refs) for refs in row["bridges"]],
        )

    def hubs(self) -> list[str]:
        """Entities that no path leads through: those whose names a twentieth of the passages have."""
        given = {"generation": self.state.generation, "share": _HUB_SHARE, "least": _LEAST_HUB_PASSAGES}
        (row,) = self.tx.run("systems/hirag/hubs", self.corpus.label, **given)
        found: list[str] = row["hubs"]
        return found

    def paths(
        self,
        pairs: Sequence[tuple[NearEntity, NearEntity]],
        bridges: Sequence[tuple[str, ...]],
        hubs: Sequence[str] = (),
    ) -> Paths:
        """Short paths between pairs of entities (Eq. 15), and the relations among all that are on them (Eq. 16).

        Args:
            hubs: entities that no path leads through.
            bridges: known paths, which are taken where their ends are those of a pair.
        """
        known = {frozenset((path[0], path[-1])): path for path in bridges}
        ends = [(one.id, other.id) for one, other in pairs]
        asked = [pair for pair in ends if frozenset(pair) not in known]
        stored = {pair: _from(known[frozenset(pair)], pair[0]) for pair in ends if frozenset(pair) in known}
        (row,) = self.tx.run(
            "systems/hirag/paths",
            self.corpus.label,
            asked={"pairs": [list(pair) for pair in asked], "known": [list(path) for path in stored.values()]},
            hubs=list(hubs),
            through=bool(self.state.model),
            vector=self.vector.tolist(),
            most=MOST_PASSAGES_OF_ONE,
        )
        entities = {each[0]: PathEntity(*each) for each in row["entities"]}
        found = {asked[place]: tuple(path) for place, path in row["paths"]}
        found |= {pair: path for pair, path in stored.items() if all(id_ in entities for id_ in path)}
        return Paths(
            [found[pair] for pair in dict.fromkeys(ends) if pair in found],
            entities,
            [PathRelation(*each) for each in row["relations"]],
        )

    def coarsest(self, root: str, limit: int) -> list[StoredReport]:
        """The reports of the coarsest communities, those that matter most first, and of those right below them where
        these are few."""
        found: list[StoredReport] = []
        for level in (COARSEST_LEVEL, NEXT_LEVEL):
            if len(found) < min(_FEW_REPORTS, limit):
                (row,) = self.tx.run(
                    "systems/hirag/coarsest",
                    self.corpus.label,
                    root=root,
                    level=level,
                    limit=_REPORT_CANDIDATES,
                    most=MOST_PASSAGES_OF_ONE,
                )
                found = [
                    _report(RatedCommunity(id_, of_level, size, 0.0), *each)
                    for id_, of_level, size, *each in row["reports"]
                ]
        return found

    def chunk_cosines(self, ids: Iterable[str], limit: int) -> dict[str, float]:
        """The cosines to the question of these chunks, and of the `limit` nearest ones."""
        nearest = self.nearest_chunks(limit)
        missing = [id_ for id_ in dict.fromkeys(ids) if id_ not in nearest]
        return nearest | chunk_cosines(self.tx, self.corpus, self.vector, missing)

    def nearest_chunks(self, limit: int) -> dict[str, float]:
        """The cosines to the question of the `limit` chunks nearest to it."""
        found = nearest_chunks(self.tx, self.corpus, self.vector, limit)
        self.notes += found.notes
        return found.cosines


def _report(of: RatedCommunity, id_: str, properties: Row, chunks: Sequence[str]) -> StoredReport:
    return StoredReport(of.id, id_, Report.from_properties(properties, chunks), of.level, of.size)


def _related(near: Iterable[NearEntity], said: Said, rows: Iterable[Sequence[Any]]) -> Paths:
    """The relations of the nearest entities."""
    nothing: tuple[str | None, Sequence[str]] = (None, ())
    entities = {each.id: PathEntity(*each[:2], each.layer, each.cosine, *said.get(each.id, nothing)) for each in near}
    relations: list[PathRelation] = []
    for source, *other, weight, description, chunks in rows:
        at_its_end = PathEntity(*other)
        entities.setdefault(at_its_end.id, at_its_end)
        relations.append(PathRelation(source, at_its_end.id, RELATED, weight, description, chunks))
    return Paths((), entities, relations)


def _from(path: tuple[str, ...], first: str) -> tuple[str, ...]:
    """A path read from this end."""
    return path if path[0] == first else path[::-1]
