"""HiRAG's retriever: finds entities near the question, reports on their communities, and paths between communities."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, zip_longest
from typing import Any

from overstory.display import shortened
from overstory.graph import Corpus, Transaction, schema
from overstory.graph.client import Row
from overstory.graph.generations import slot_of
from overstory.model import Evidence, Hit, Part, Reason, ShareKind
from overstory.protocols import Vectors, question_vectors
from overstory.retrieve import RetrievalContext
from overstory.retrieve.hits import (
    LONGEST_REASON_TITLE_CHARACTERS,
    NEAREST,
    best_of,
    chunk_rows,
    hits_by_cosine,
    listed,
    ranked_hits,
    sources_of,
)
from overstory.retrieve.question import read_question
from overstory.retrieve.vector_search import chunk_cosines, nearest_chunk_cosines, with_index
from overstory.systems.base import System
from overstory.systems.state import IndexState, index_missing, require_state
from overstory.systems.system_retriever import SystemRetriever
from overstory.systems.texts.reports import Report
from overstory.systems.vector_indexes import SCANNED
from overstory.text.questions.whole_corpus import asks_about_whole_corpus
from overstory_systems.hirag.knowledge_graph import ENTITY, entity_id
from overstory_systems.hirag.parts import (
    MOST_PASSAGES_OF_ONE,
    RELATED,
    PathEntity,
    PathRelation,
    Paths,
    entity_parts,
    relation_parts,
    report_chunks,
    report_part,
)
from overstory_systems.hirag.scores import (
    RANKING_ENTITIES,
    RELATIONS_OF_AN_ENTITY,
    EvidenceStatement,
    Hierarchy,
    HierarchyScore,
    NearEntity,
    RatedCommunity,
    Selected,
    StoredReport,
    diverse,
    key_entities,
    pairs_to_join,
    relevance,
    scores,
    select_communities,
)
from overstory_systems.hirag.settings import HiragIndexSettings, HiragRetrieverSettings

KEY_ENTITY_CANDIDATES = 50
"""Number of nearest entities that can be key entities. These suffice because few pairs are connected."""
_HIRAG_ENTITY_SEARCH_DEPTH = 100
"""Number of entities requested from the vector index, which then finds 99.5 % of the nearest 20."""
_HUB_SHARE = 0.05
"""An entity that occurs in more than this fraction of all passages is a hub. Paths avoid hubs."""
_LEAST_HUB_PASSAGES = 20
"""A hub must occur in more than this number of passages, because no name is too common in a small corpus."""
_REPORT_CANDIDATES = 40
"""Number of reports on the coarsest communities from which differing reports are selected."""
_FEW_REPORTS = 5
"""Number of reports below which reports on the next finer level are considered, too."""
COARSEST_LEVEL, NEXT_LEVEL = 1, 2
"""Levels of the community tree."""

Descriptions = Mapping[str, tuple[str, Sequence[str]]]
"""Maps entity ids to (description, ids of supporting passages)."""


@dataclass(frozen=True, slots=True)
class EntityDetails:
    """Descriptions, relations, reports and stored paths that were read for a question.

    Attributes:
        related: Strongest relations of the entities nearest to the question, with the entities at their ends.
        bridges: Stored paths between the communities, as entity ids from end to end.
    """

    descriptions: Descriptions = field(default_factory=dict[str, tuple[str, Sequence[str]]])
    reports: Sequence[StoredReport] = ()
    related: Paths = field(default_factory=Paths)
    bridges: Sequence[tuple[str, ...]] = ()


@dataclass(slots=True)
class HierarchySearch:
    """The search for one question in one transaction. Nodes that are deleted between two statements are skipped.

    Attributes:
        vector: Vector of the question.
        notes: Notes on the searches.
    """

    tx: Transaction
    corpus: Corpus
    state: IndexState[HiragIndexSettings]
    vector: Vectors
    notes: list[str] = field(default_factory=list[str])

    def nearest(self, limit: int) -> tuple[list[NearEntity], Hierarchy]:
        """Return the entities of all layers nearest to the question (Eq. 12), and their communities."""
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
        """Read the descriptions and relations of entities, and the reports and bridges of communities."""
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
        descriptions = {id_: (text, chunks) for id_, text, chunks in row["entities"]}
        return EntityDetails(
            descriptions,
            [
                _report(each.community, *reports[each.community.id])
                for each in communities
                if each.community.id in reports
            ],
            _related(entities, descriptions, row["related"]),
            [tuple(entity_id(label, generation, ref) for ref in refs) for refs in row["bridges"]],
        )

    def hubs(self) -> list[str]:
        """Return the ids of the hubs: entities that occur in more than `_HUB_SHARE` of the passages."""
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
        """Find short paths between pairs of entities (Eq. 15), and the relations among the paths' entities (Eq. 16).

        Args:
            bridges: Stored paths. A stored path is used if it connects the two entities of a pair.
            hubs: Ids of entities that paths must avoid.
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
        """Return the most important reports on the coarsest communities; if few, also those on the next level."""
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
        """Return the cosines of the question with the given chunks and with its `limit` nearest chunks."""
        nearest = nearest_chunk_cosines(self.tx, self.corpus, self.vector, limit, self.notes)
        missing = [id_ for id_ in dict.fromkeys(ids) if id_ not in nearest]
        return nearest | chunk_cosines(self.tx, self.corpus, self.vector, missing)


def _report(of: RatedCommunity, id_: str, properties: Row, chunks: Sequence[str]) -> StoredReport:
    return StoredReport(of.id, id_, Report.from_properties(properties, chunks), of.level, of.size)


def _related(near: Iterable[NearEntity], descriptions: Descriptions, rows: Iterable[Sequence[Any]]) -> Paths:
    nothing: tuple[str | None, Sequence[str]] = (None, ())
    entities = {
        each.id: PathEntity(*each[:2], each.layer, each.cosine, *descriptions.get(each.id, nothing)) for each in near
    }
    relations: list[PathRelation] = []
    for source, *other, weight, description, chunks in rows:
        at_its_end = PathEntity(*other)
        entities.setdefault(at_its_end.id, at_its_end)
        relations.append(PathRelation(source, at_its_end.id, RELATED, weight, description, chunks))
    return Paths((), entities, relations)


def _from(path: tuple[str, ...], first: str) -> tuple[str, ...]:
    """Orient a path so that it starts with `first`."""
    return path if path[0] == first else path[::-1]


SHARES: Mapping[ShareKind, float] = {"entity": 0.11, "relation": 0.28, "report": 0.28, "passage": 0.44}
OVERVIEW_SHARES: Mapping[ShareKind, float] = {"report": 0.85, "passage": 0.15}
_OVERVIEW_FINDINGS = 3
"""Number of findings per report for a question about all documents. It is low, so that all reports can be read: they
contain the answer, and passages are only examples."""
_HIRAG_NEAREST_CHUNKS = 20
"""Minimum number of nearest passages that are ranked together with the passages that make statements."""
_SINGLE_RELATIONS = 4
"""Maximum number of single relations shown in addition to paths, so that a context has room for both."""
_MORE_THAN_RATING = 11.0
"""Divisor that makes ratings less than 1, so that reports are ranked by hits first and by rating second."""

NOTHING_MATCHED = "the HiRAG index has no entities: the passages nearest in meaning are returned"
NO_REPORT = "the HiRAG index has no reports: the passages nearest in meaning are returned"


class HiragRetriever(SystemRetriever[HiragIndexSettings, HiragRetrieverSettings]):
    """Retrieves entities, reports and paths, and the passages that state them.

    Source: HiRAG paper, Section 4.2 and Algorithm 2.
    """

    def __init__(
        self,
        system: System[HiragIndexSettings, HiragRetrieverSettings],
        context: RetrievalContext,
        settings: HiragRetrieverSettings,
    ) -> None:
        super().__init__(system, context, settings)
        self._hubs = _Hubs()

    def retrieve(self, question: str, k: int) -> Evidence:
        """Return the `k` best chunks or, for a question about all documents, chunks cited by the best reports."""
        asked = read_question(question)
        vector: Vectors = question_vectors(self._context.embedder, [asked.text])[0]
        on_all = self._settings.communities > 0 and asks_about_whole_corpus(asked.text)

        def query(tx: Transaction, corpus: Corpus) -> Evidence:
            state = self._state(corpus)
            asking = HierarchySearch(tx, corpus, state, vector)
            found = self._overview(asking, k) if on_all else self._found(asking, k)
            return Evidence(
                question,
                self.name,
                found.hits,
                notes=(*asked.notes, *self._stale.of(tx, corpus, state), *asking.notes),
                parts=found.parts,
                sources=found.sources,
                shares=found.shares,
            )

        return self._query(query)

    def _state(self, corpus: Corpus) -> IndexState[HiragIndexSettings]:
        state = require_state(self._system, corpus)
        if self._settings.flat and not state.settings.flat:
            options = self._system.index_options(self._settings)
            raise index_missing(self._system, corpus, "has a HiRAG index with summary layers", options=options)
        return state

    def _found(self, asking: HierarchySearch, k: int) -> _EvidenceItems:
        settings = self._settings
        near, hierarchy = asking.nearest(max(KEY_ENTITY_CANDIDATES, settings.entities + 1))
        if not near:
            return _by_meaning(asking, k, NOTHING_MATCHED)
        local = near[: settings.entities]
        selected = select_communities(local, hierarchy, settings.communities)
        read = asking.read(local, selected)
        keys = key_entities(near, hierarchy, selected, settings.keys)
        pairs = pairs_to_join(keys, settings.pairs) if settings.bridge else []
        paths = asking.paths(pairs, read.bridges, self._hubs.of(asking)) if pairs else Paths()
        paths = paths.joined_with(read.related, _SINGLE_RELATIONS)
        statements = list(_statements(local, relevance(near), read))
        stated = (chunk for each in statements for chunk in each.chunks)
        ranked = scores(asking.chunk_cosines(stated, max(k, _HIRAG_NEAREST_CHUNKS)), statements)
        kept = best_of({id_: score.total for id_, score in ranked.items()}, k)
        shown = (
            *(chunk for _, chunks in read.descriptions.values() for chunk in chunks),
            *(chunk for each in paths.relations for chunk in paths.chunks(each)),
            *(chunk for each in read.reports for chunk in report_chunks(each)),
        )
        rows = chunk_rows(asking.tx, asking.corpus, [*kept, *shown])
        documents = {id_: row["document_id"] for id_, row in rows.items()}
        counts = {each.community.id: each.hits for each in selected}
        reports = (
            report_part(each, counts[each.community] + each.report.rating / _MORE_THAN_RATING, documents)
            for each in read.reports
        )
        parts = [
            *entity_parts(local, read.descriptions, documents),
            *relation_parts(paths, documents),
            *(part for part in reports if part is not None),
        ]
        hits = ranked_hits(rows, {id_: ranked[id_].total for id_ in kept}, lambda id_: _reasons(ranked[id_]))
        return _EvidenceItems.of(hits, parts, rows, SHARES)

    def _overview(self, asking: HierarchySearch, k: int) -> _EvidenceItems:
        """Return the most important reports on the coarsest communities."""
        _, hierarchy = asking.nearest(1)
        limit = self._settings.communities
        stored = diverse(asking.coarsest(hierarchy.root, limit), limit) if hierarchy.root else []
        rows = chunk_rows(asking.tx, asking.corpus, (chunk for each in stored for chunk in report_chunks(each)))
        documents = {id_: row["document_id"] for id_, row in rows.items()}
        made = (report_part(each, each.report.rating, documents, _OVERVIEW_FINDINGS) for each in stored)
        reports = [part for part in made if part is not None]
        if not reports:
            return _by_meaning(asking, k, NO_REPORT)
        heading = {chunk: part.heading for part in reversed(reports) for chunk in part.chunks}
        first = dict.fromkeys(
            chunk for row in zip_longest(*(part.chunks for part in reports)) for chunk in row if chunk
        )
        ranked = {chunk: 1.0 / rank for rank, chunk in enumerate(islice(first, k), start=1)}
        hits = ranked_hits(rows, ranked, lambda id_: [_of_report(ranked[id_], heading[id_])])
        return _EvidenceItems.of(hits, reports, rows, OVERVIEW_SHARES)


class _Hubs:
    """Caches the hubs of a corpus until the corpus changes, because finding them reads every name."""

    def __init__(self) -> None:
        self._known: tuple[tuple[str, int], list[str]] | None = None

    def of(self, asking: HierarchySearch) -> list[str]:
        state = asking.corpus.label, asking.corpus.version
        known = self._known
        if known is None or known[0] != state:
            self._known = known = state, asking.hubs()
        return known[1]


@dataclass(frozen=True, slots=True)
class _EvidenceItems:
    hits: tuple[Hit, ...]
    parts: tuple[Part, ...] = ()
    sources: tuple[Hit, ...] = ()
    shares: Mapping[ShareKind, float] = field(default_factory=dict[ShareKind, float])

    @classmethod
    def of(
        cls, hits: tuple[Hit, ...], parts: Iterable[Part], rows: Mapping[str, Row], shares: Mapping[ShareKind, float]
    ) -> _EvidenceItems:
        """Add the passages that parts cite in addition to the hits. `rows` must contain all these passages."""
        found = tuple(parts)
        return cls(hits, found, sources_of(found, hits, rows), shares)


def _by_meaning(asking: HierarchySearch, k: int, note: str) -> _EvidenceItems:
    cosines = nearest_chunk_cosines(asking.tx, asking.corpus, asking.vector, k, asking.notes)
    asking.notes.append(note)
    return _EvidenceItems(hits_by_cosine(chunk_rows(asking.tx, asking.corpus, cosines), cosines))


def _statements(
    local: Sequence[NearEntity], relevant: Mapping[str, float], read: EntityDetails
) -> Iterator[EvidenceStatement]:
    """Yield the statements of passages about the nearest entities and about their neighbours."""
    names = {entity.id: entity.name for entity in local}
    for id_, value in relevant.items():
        if id_ in names and id_ in read.descriptions:
            yield EvidenceStatement("entity", names[id_], "", value, read.descriptions[id_][1])
    strongest: dict[str, float] = {}
    for each in read.related.relations:
        strongest[each.source] = max(each.weight, strongest.get(each.source, 0.0))
    for each in read.related.relations:
        other = read.related.entities[each.target]
        value = relevant.get(each.source, 0.0) * math.sqrt(each.weight / strongest[each.source])
        yield EvidenceStatement("relation", other.name, names[each.source], value, other.chunks)


def _reasons(score: HierarchyScore) -> Iterator[Reason]:
    plain = not (score.by_entities or score.by_relations)
    yield Reason("dense", score.cosine, "cosine similarity to the question", NEAREST if plain else "")
    if score.by_entities:
        names = listed([each.what for each in score.entities])
        clause = f"describes {names}, close in meaning to the question"
        yield Reason("entities", score.by_entities, f"relevance {score.entities[0].relevance:.3f}", clause)
    if score.by_relations:
        best = score.relations[0]
        clause = f"describes {listed([best.what])}, related to {listed([best.near_entity])}"
        yield Reason("relations", score.by_relations, f"relevance {best.relevance:.3f}", clause)


def _of_report(score: float, heading: str) -> Reason:
    clause = f"is a source of the report on {shortened(heading, LONGEST_REASON_TITLE_CHARACTERS)}"
    return Reason("report", score, "1 / rank among the passages of the reports", clause)
