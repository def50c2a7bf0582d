"""New passages placed in the index as it is, at the cost of the names that they mention, whatever the corpus' size.

Layer 0 gets what is new or said otherwise of these names (`entity_graph.read_near_entities`). A new entity goes into
that of the clusters of its nearest entities whose mean is nearest, and is joined to the summary that this has: the
layers above stay. Entities whose relations changed go where the tree of communities then has the least entropy
(`entropy.local`). The lowest communities that this changed are reported on again; those above keep their reports, and
bridges stay. The index counts what was placed, until the whole is clustered again.

Near: the relations of a name that more than `MOST_READ` passages mention to others of the kind, its description, and
which of its relations are among its strongest.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from overstory.entropy import EncodingTree
from overstory.graph import Corpus, GraphClient, Transaction, batches
from overstory.graph.client import Row
from overstory.systems.entity_graph import MOST_READ, read_near_entities
from overstory.systems.hirag.knowledge_graph import LayeredGraph, LayerEntity, Relation, SummaryLink, ref_of
from overstory.systems.hirag.layers import VectorsOf
from overstory.systems.hirag.names import COMMUNITIES, entity_id
from overstory.systems.hirag.report_material import Materials
from overstory.systems.hirag.reports import Reporter, report_key
from overstory.systems.hirag.store import StoredGraph, entity_of, graph_of, weights_between
from overstory.systems.hirag.summaries import as_weight
from overstory.systems.state import unit_label
from overstory.systems.tree.changes import TreeChanges
from overstory.systems.tree.nearness import cosines_to
from overstory.systems.tree.part import StoredPart, WhichTree, read_leaves
from overstory.systems.tree.reports import Report, ReportChanges, StoredReports, report_changes
from overstory.vectors.lengths import of_unit_length

PLACED_FROM = 2_000
"""Entities of layer 0: in smaller graphs all are read in a moment, and communities are found again."""
MOST_TOUCHED = 1_000
"""Names: a change that touches more is not a small one."""
MOST_MEMBERS = 500
"""Entities of a community whose report is written again; that of a larger one stays."""
NEAREST = 10
"""Entities whose clusters a new one may join."""
SAMPLED = 1_000
"""Entities that tell which words are common everywhere."""
IDS_A_STATEMENT = 1_000

Edges = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Placing:
    """Where an index is stored.

    Attributes:
        index: the vector index over its entities, "" where it has none.
        flat: whether it has no summary layers.
        levels, root: of the tree of communities.
    """

    graph: GraphClient
    corpus: Corpus
    generation: int
    index: str
    flat: bool
    levels: int
    root: str

    def id(self, ref: str) -> str:
        return entity_id(self.corpus.label, self.generation, ref)

    def rows(self, statement: str, ids: Collection[str], **parameters: object) -> Iterable[Row]:
        for some in batches(sorted(ids), IDS_A_STATEMENT):
            yield from self.graph.run(statement, self.corpus.label, read=True, ids=some, **parameters)


@dataclass(frozen=True, slots=True)
class Near:
    """What is stored of some entities, and what should be.

    Attributes:
        stored, graph: these entities, and the relations, links and same names of each.
        cluster: of the entities of `graph`, by ref.
        new: refs.
        told: refs of entities that are new or described otherwise.
    """

    stored: StoredGraph
    graph: LayeredGraph
    cluster: Mapping[str, str]
    new: frozenset[str]
    told: frozenset[str]


def touched_names(placing: Placing, read_to: int) -> set[str]:
    """The names of the corpus of which another thing may be said, or that may be tied to others, since a version.

    Raises:
        DatabaseError: as `GraphClient.run`.
    """
    graph, corpus = placing.graph, placing.corpus

    def touched(unit: str) -> list[str]:
        rows = graph.run(
            "systems/touched", corpus.label, read=True, label=corpus.label, unit=unit, read_to=read_to, mark=None
        )
        return [row["id"] for row in rows]

    names = set(touched(unit_label(corpus, "entity")))
    names.update(row["id"] for row in placing.rows("systems/hirag/names_in", touched(unit_label(corpus, "chunk"))))
    beside = placing.rows("systems/hirag/flipped", names, generation=placing.generation, most=MOST_READ)
    return names.union([row["id"] for row in beside])


def read_near(placing: Placing, names: Collection[str], vectors_of: VectorsOf) -> Near | None:
    """The entities of layer 0 that stand for some names; None where one of them stands for none any more, or is new and
    mentioned everywhere.

    Raises:
        DatabaseError: as `GraphClient.run`, and what `vectors_of` raises.
    """
    read = read_near_entities(placing.graph, placing.corpus.label, names)
    described = {each.id: each for each in read.graph.entities if each.id in names}
    standing = {
        row["entity"]: row["id"]
        for row in placing.rows("systems/hirag/standing_for", names, generation=placing.generation)
    }
    if standing.keys() - described.keys() or described.keys() - standing.keys() - read.whole:
        return None
    whole = [described[id_] for id_ in sorted(described.keys() & read.whole, key=lambda id_: described[id_].key)]
    entities = {
        each.key: LayerEntity(
            0, each.key, each.name, each.type, each.description, each.chunks, entity=each.id, source=each.source
        )
        for each in whole
    }
    stored = _stored(placing, {standing[each.id] for each in whole if each.id in standing})
    was = stored.base
    new = frozenset(each.ref for each in entities.values() if each.ref not in was)
    relations = [
        Relation(ref_of(0, each.source), ref_of(0, each.target), each.weight, each.description, each.chunks)
        for each in read.graph.relations
        if each.source in entities or each.target in entities
    ]
    links, cluster = list(stored.graph.links), dict(stored.cluster)
    for ref, (summary, name, weight) in _clusters(placing, entities, new, vectors_of).items():
        cluster[ref] = name
        links += [SummaryLink(ref, summary, weight)] if summary else []
    same = [*stored.graph.same, *_same(placing, new)]
    told = new | {
        each.ref
        for each in entities.values()
        if each.ref in was and replace(each, by=was[each.ref].by) != was[each.ref]
    }
    ordered = sorted(entities.values(), key=lambda each: each.ref)
    return Near(stored, LayeredGraph(ordered, relations, links, same), cluster, new, told)


def _stored(placing: Placing, ids: Collection[str]) -> StoredGraph:
    """Some entities as they are stored, with all that they are tied to."""
    entities: list[LayerEntity] = []
    cluster: dict[str, str] = {}
    for row in placing.rows("systems/hirag/some_entities", ids):
        entities.append(entity_of(row))
        cluster[row["ref"]] = row["cluster"]
    rows = {
        (row["type"], row["source"], row["target"]): row["properties"]
        for row in placing.rows("systems/hirag/some_relations", ids)
    }
    return StoredGraph(placing.generation, graph_of(entities, rows), cluster)


def _clusters(
    placing: Placing, entities: Mapping[str, LayerEntity], new: Collection[str], vectors_of: VectorsOf
) -> dict[str, tuple[str, str, float]]:
    """Of each new entity the summary that it is joined to, the name of its cluster, and the weight; "", its own ref and
    0 where no entity near it is in a cluster."""
    fresh = sorted((each for each in entities.values() if each.ref in new), key=lambda each: each.ref)
    if placing.flat or not fresh:
        return {}
    found: dict[str, tuple[str, str, float]] = {}
    for each, vector in zip(fresh, vectors_of([each.embedded for each in fresh]), strict=True):
        nearest = "systems/hirag/nearest_clusters_index" if placing.index else "systems/hirag/nearest_clusters_exact"
        where = {"vector_index": placing.index} if placing.index else {"generation": placing.generation}
        rows = placing.graph.run(
            nearest,
            placing.corpus.label,
            read=True,
            depth=NEAREST,
            vector=vector.tolist(),
            **where,
        )
        choices = [
            (float(cosines_to(vector[None].astype(np.float64), np.mean(row["vectors"], axis=0))[0]), row)
            for row in rows
        ]
        if choices:
            cosine, row = max(choices, key=lambda choice: choice[0])
            found[each.ref] = row["summary"], row["cluster"], as_weight(cosine)
        else:
            found[each.ref] = "", each.ref, 0.0
    return found


def _same(placing: Placing, new: Collection[str]) -> list[tuple[str, str]]:
    """The summaries of layer 1 that are called like new entities, with these."""
    above = {placing.id(summary): (summary, ref) for ref in new if (summary := ref_of(1, ref.partition(":")[2]))}
    return sorted(above[row["id"]] for row in placing.rows("systems/hirag/some_entities", above))


@dataclass(slots=True)
class PlacedTree:
    """The communities with some entities in their places.

    Attributes:
        part: what was looked at.
        changes: of the tree.
        moved: refs of the entities that are new, or have other relations.
        lowest: ids of the lowest communities that entities came to, left, or are described otherwise in.
        entropy: of the whole tree, in bits.
    """

    part: StoredPart
    changes: TreeChanges
    moved: frozenset[str]
    lowest: frozenset[str]
    entropy: float


def place(tx: Transaction, placing: Placing, near: Near, vectors_of: VectorsOf, entropy: float) -> PlacedTree:
    """Takes the entities whose relations changed out of the tree and puts them and new ones where they cost least; then
    again, each among the others.

    Args:
        entropy: of the whole tree before, in bits.
    """
    was, now = weights_between(near.stored.graph, placing.id), weights_between(near.graph, placing.id)
    entities = {placing.id(each.ref): each for each in near.graph.entities}
    moved = [id_ for id_, each in entities.items() if each.ref in near.new or was.get(id_) != now.get(id_)]
    reached = {other for id_ in moved for edges in (was, now) for other in edges.get(id_, ())}
    tree = WhichTree(placing.corpus.label, COMMUNITIES, placing.generation, placing.levels, placing.root)
    leaves = read_leaves(tx, tree, sorted({*entities, *reached}))
    stored = StoredPart(tx, tree, leaves)
    part = stored.part
    for id_ in moved:
        if id_ in part.leaves:
            part.remove(id_, _there(was, id_, part.leaves))
    for id_ in moved:
        part.add(id_, _there(now, id_, part.leaves))
    for id_ in moved if len(moved) > 1 else ():
        there = _there(now, id_, part.leaves)
        part.remove(id_, there)
        part.add(id_, there)
    vectors = of_unit_length(vectors_of([entities[id_].embedded for id_ in moved])) if moved else ()
    changes = stored.changes(tx, dict(zip(moved, vectors, strict=True)), {}, placing.corpus.version)
    lowest = {leaves[id_].community for id_ in {*moved, *map(placing.id, near.told)} if id_ in leaves}
    new = _new_communities(changes)
    lowest.update(row["parent"] for row in changes.places if row["id"] not in new)
    refs = frozenset(entities[id_].ref for id_ in moved)
    return PlacedTree(stored, changes, refs, frozenset(lowest.difference(changes.gone)), part.entropy(entropy))


def _new_communities(changes: TreeChanges) -> set[str]:
    leaves = {row["id"] for row in changes.covers}
    return {row["id"] for row in changes.nodes if "level" in row["properties"]} - leaves


def _there(edges: Edges, id_: str, leaves: Collection[str]) -> dict[str, float]:
    return {other: weight for other, weight in edges.get(id_, {}).items() if other in leaves and other != id_}


@dataclass(slots=True)
class NewReports:
    """Writes reports on communities again, within the transaction that changed them.

    Attributes:
        written: how many.
    """

    placing: Placing
    reporter: Reporter
    stored: dict[str, Report] = field(default_factory=dict[str, Report])
    of: dict[str, str] = field(default_factory=dict[str, str])
    written: int = 0

    def before(self, tx: Transaction, placed: PlacedTree) -> None:
        """Reads the reports of what is about to change."""
        ids = [*placed.lowest, *placed.changes.gone]
        for row in tx.run("systems/hirag/reports_of", self.placing.corpus.label, ids=ids):
            self.stored[row["id"]] = Report.from_properties(row["properties"], row["chunks"])
            self.of |= dict.fromkeys(row["communities"], row["id"])

    def changes(self, tx: Transaction, placed: PlacedTree) -> ReportChanges:
        """What is to be written of reports, by the communities as they now are."""
        gone = set(placed.changes.gone)
        wanted = {*placed.lowest, *_new_communities(placed.changes), *(id_ for id_ in self.of if id_ not in gone)}
        wanted.discard(self.placing.root)
        label, generation = self.placing.corpus.label, self.placing.generation
        rows = tx.run("systems/hirag/members", label, ids=sorted(wanted), most=MOST_MEMBERS)
        members = {row["id"]: frozenset[str](row["members"]) for row in rows}
        graph = self._read(tx, set().union(*members.values()) if members else set())
        found: dict[str, Report] = {}
        by_members: dict[frozenset[str], Report] = {}
        for id_ in sorted(wanted):
            if id_ not in members:  # too large: it keeps its report
                if id_ in self.of:
                    found[id_] = self.stored[self.of[id_]]
                continue
            some = members[id_]
            if some not in by_members:
                by_members[some] = self._report(graph, some)
            found[id_] = by_members[some]
        kept = {id_: report for id_, report in self.of.items() if id_ in found}
        return report_changes(COMMUNITIES, label, generation, found, StoredReports(self.stored, kept))

    def _read(self, tx: Transaction, ids: Collection[str]) -> LayeredGraph:
        """Some entities with all that they are tied to; of the other ends nothing but their refs."""
        label = self.placing.corpus.label
        entities: list[LayerEntity] = []
        rows: dict[tuple[str, str, str], Row] = {}
        for some in batches(sorted(ids), IDS_A_STATEMENT):
            entities += map(entity_of, tx.run("systems/hirag/some_entities", label, ids=some))
            for row in tx.run("systems/hirag/some_relations", label, ids=some):
                rows[row["type"], row["source"], row["target"]] = row["properties"]
        return graph_of(entities, rows)

    def _report(self, graph: LayeredGraph, ids: Collection[str]) -> Report:
        """The report on a community, by its own sentences."""
        part = _around(graph, {each.ref for each in graph.entities if self.placing.id(each.ref) in ids})
        inside = {each.ref for each in graph.entities if self.placing.id(each.ref) in ids}
        labels = [int(each.ref not in inside) for each in part.entities]
        tree = EncodingTree.from_labels(part.as_graph(), labels)
        materials = Materials(tree, part)
        node = int(tree.parents[part.number[min(inside)]])
        (material,) = (each for each in materials.of_level(1) if each.node == node)
        key = report_key(self.reporter, material)
        known = {report.key: report for report in self.stored.values()}
        if key in known:
            return known[key]
        (report,) = self.reporter.write([(replace(material, key=key), [])])
        self.written += 1
        return report


def _around(graph: LayeredGraph, inside: Collection[str]) -> LayeredGraph:
    """Some entities, all that they are tied to, and these ends without what is said of them."""
    relations = [each for each in graph.relations if each.source in inside or each.target in inside]
    links = [each for each in graph.links if each.member in inside or each.summary in inside]
    same = [ends for ends in graph.same if ends[0] in inside or ends[1] in inside]
    ends = {end for each in relations for end in (each.source, each.target)}
    ends.update(end for each in links for end in (each.member, each.summary))
    ends.update(end for pair in same for end in pair)
    known = {each.ref: each for each in graph.entities}
    others = [_unread(ref) for ref in ends if ref not in inside]
    entities = sorted([*(known[ref] for ref in inside), *others], key=lambda each: each.ref)
    return LayeredGraph(entities, relations, links, same)


def _unread(ref: str) -> LayerEntity:
    layer, _, key = ref.partition(":")
    return LayerEntity(int(layer), key, key, "", "", ())


def sampled(placing: Placing) -> list[LayerEntity]:
    """Entities from all over layer 0.

    Raises:
        DatabaseError: as `GraphClient.run`.
    """
    rows = placing.graph.run(
        "systems/hirag/sample", placing.corpus.label, read=True, generation=placing.generation, limit=SAMPLED
    )
    return [LayerEntity(0, row["key"], row["name"], "", row["text"], ()) for row in rows]
