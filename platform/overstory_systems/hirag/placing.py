"""A small change placed in the index as it is.

Layer 0 gets what is new or said otherwise of the names that its passages mention (`entity_graph.read_near_entities`),
at the cost of these, whatever the corpus' size. Where a language model reads, layer 0 is made of all its readings and
compared with the stored one: that is exact, and takes less time than a request. A new entity goes into
that of the clusters of its nearest entities whose mean is nearest, and is joined to the summary that this has: the
layers above stay. Entities whose relations changed go where the tree of communities then has the least entropy
(`entropy.local`). The lowest communities that this changed are reported on again; those above keep their reports, and
bridges stay. The index counts what was placed, until the whole is clustered again.

Near, by rules: the relations of a name that more than `MOST_PASSAGES_READ_OF_AN_ENTITY` passages mention to others of
the kind, its description, and which of its relations are among its strongest.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from overstory.graph import Transaction
from overstory.systems.entity_graph import MOST_PASSAGES_READ_OF_AN_ENTITY, EntityRelation, read_near_entities
from overstory.systems.state import unit_label
from overstory.systems.tree.changes import TreeChanges
from overstory.systems.tree.nearness import cosines_to
from overstory.systems.tree.part import StoredPart, WhichTree, read_leaves
from overstory.vectors.packed import of_unit_length
from overstory_systems.hirag.deleted import Deleted, summarised_again
from overstory_systems.hirag.in_use import IndexInUse
from overstory_systems.hirag.knowledge_graph import BaseLayer, LayeredGraph, LayerEntity, SummaryLink, ref_of
from overstory_systems.hirag.layers import VectorsOf
from overstory_systems.hirag.names import COMMUNITIES
from overstory_systems.hirag.store import RELATED, StoredGraph, entity_of, graph_of, weights_between
from overstory_systems.hirag.summaries import Summariser, as_weight

MOST_TOUCHED_NAMES = 1_000
"""Names: a change that touches more is not a small one."""
_NEAREST_CLUSTERED_ENTITIES = 10
"""Entities whose clusters a new one may join."""

Edges = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Near:
    """What is stored of some entities, and what should be.

    Attributes:
        stored, graph: these entities, and the relations, links and same names of each.
        cluster: of the entities of `graph`, by ref.
        new: refs of those that are not stored; told: of these, and of those that are described otherwise.
        deleted: those that are gone.
        left: refs of stored ones that stand for no name any more.
        often: refs of those that are mentioned everywhere: of their relations only some are here.
    """

    stored: StoredGraph
    graph: LayeredGraph
    cluster: Mapping[str, str]
    new: frozenset[str]
    told: frozenset[str]
    deleted: Deleted
    left: frozenset[str]
    often: frozenset[str] = frozenset()


def touched_names(where: IndexInUse, read_to: int) -> set[str]:
    """The names of the corpus of which another thing may be said, or that may be tied to others, since a version."""
    graph, corpus = where.graph, where.corpus

    def touched(unit: str) -> list[str]:
        rows = graph.run("systems/touched", corpus.label, read=True, unit=unit, read_to=read_to, mark=None)
        return [row["id"] for row in rows]

    names = set(touched(unit_label(corpus, "entity")))
    names.update(row["id"] for row in where.rows("systems/hirag/names_in", touched(unit_label(corpus, "chunk"))))
    beside = where.rows(
        "systems/hirag/flipped", names, generation=where.generation, most=MOST_PASSAGES_READ_OF_AN_ENTITY
    )
    return names.union([row["id"] for row in beside])


def read_near(
    where: IndexInUse, names: Collection[str], deleted: Deleted, vectors_of: VectorsOf, summariser: Summariser
) -> Near | None:
    """The entities of layer 0 that stand for some names, and new summaries in place of deleted ones; None where a new
    entity is mentioned everywhere, or as `summarised_again`.
    """
    read = read_near_entities(where.graph, where.corpus.label, names)
    described = {each.id: each for each in read.graph.entities if each.id in names}
    standing = {
        row["entity"]: row["id"] for row in where.rows("systems/hirag/standing_for", names, generation=where.generation)
    }
    if described.keys() - standing.keys() - read.whole:
        return None
    often = {standing[id_]: described[id_] for id_ in described.keys() - read.whole}
    left = {standing[id_] for id_ in standing.keys() - described.keys()}
    whole = [described[id_] for id_ in described.keys() & read.whole]
    stored = _stored(where, left.union(standing[each.id] for each in whole if each.id in standing), often)
    silent = [each for each in often.values() if ref_of(0, each.key) in stored.cluster]
    entities = {
        each.key: LayerEntity(
            0, each.key, each.name, each.type, each.description, each.chunks, entity=each.id, source=each.source
        )
        for each in (*whole, *silent)
    }
    relations = _relations(read.graph.relations, {each.key for each in whole}, stored)
    near = _near(where, stored, entities.values(), relations, deleted, vectors_of, summariser)
    return near and replace(near, often=frozenset(ref_of(0, each.key) for each in often.values()))


def compared(
    where: IndexInUse,
    base: BaseLayer,
    stored: StoredGraph,
    deleted: Deleted,
    vectors_of: VectorsOf,
    summariser: Summariser,
    *,
    most: float,
) -> Near | None:
    """What differs between layer 0 and the stored one, and new summaries in place of deleted ones; None as
    `summarised_again`, and where more than `most` entities changed: then nothing was asked of `summariser`.

    Args:
        stored: the whole graph.
    """
    was = stored.base
    now = {each.ref: each if each.chunks else replace(each, source="") for each in base.entities}  # as it is stored
    touched = {ref for ref in was.keys() | now.keys() if was.get(ref) != now.get(ref)}
    related, wanted = (
        {(each.source, each.target): each for each in some} for some in (stored.graph.relations, base.relations)
    )
    touched.update(
        ref for ends in related.keys() | wanted.keys() if related.get(ends) != wanted.get(ends) for ref in ends
    )
    if len(touched) + len(deleted.entities) > most:
        return None
    graph = stored.graph
    part = LayeredGraph(
        [was[ref] for ref in sorted(touched & was.keys())],
        [each for ends, each in related.items() if not touched.isdisjoint(ends)],
        [each for each in graph.links if not touched.isdisjoint((each.member, each.summary))],
        [ends for ends in graph.same if not touched.isdisjoint(ends)],
    )
    cluster = {each.ref: stored.cluster[each.ref] for each in part.entities}
    return _near(
        where,
        StoredGraph(stored.generation, part, cluster),
        [now[ref] for ref in touched & now.keys()],
        [each for ends, each in wanted.items() if not touched.isdisjoint(ends)],
        deleted,
        vectors_of,
        summariser,
    )


def _near(
    where: IndexInUse,
    stored: StoredGraph,
    base: Iterable[LayerEntity],
    relations: Sequence[EntityRelation],
    deleted: Deleted,
    vectors_of: VectorsOf,
    summariser: Summariser,
) -> Near | None:
    """A change of some entities of layer 0, with what follows from it in the layers above.

    Args:
        stored: these as they are stored, with all that they are tied to; those that `base` has no more are to go.
    """
    was, entities = stored.base, {each.ref: each for each in base}
    gone = frozenset(was.keys() - entities.keys())
    new = frozenset(each.ref for each in entities.values() if each.ref not in was)
    links = [each for each in stored.graph.links if each.member not in gone]
    same, cluster = [ends for ends in stored.graph.same if gone.isdisjoint(ends)], dict(stored.cluster)
    for ref, (summary, name, weight) in _clusters(where, entities, new, vectors_of).items():
        cluster[ref] = name
        links += [SummaryLink(ref, summary, weight)] if summary else []
    now = {where.id(each.ref): each for each in entities.values()}
    summaries = summarised_again(where, deleted, now, set(map(where.id, gone)), vectors_of, summariser)
    if summaries is None:
        return None
    told = new | {
        each.ref
        for each in entities.values()
        if each.ref in was and replace(each, by=was[each.ref].by) != was[each.ref]
    }
    fresh = frozenset(each.ref for each in summaries.entities)
    return Near(
        stored,
        LayeredGraph(
            sorted([*entities.values(), *summaries.entities], key=lambda each: each.ref),
            relations,
            [*links, *summaries.links],
            sorted({*same, *_same(where, new), *summaries.same}),
        ),
        cluster | dict(summaries.cluster),
        new | fresh,
        frozenset(told) | fresh,
        deleted,
        gone,
    )


def _relations(read: Iterable[EntityRelation], whole: Collection[str], stored: StoredGraph) -> list[EntityRelation]:
    """The relations of the entities of which all were read; and of those that are mentioned everywhere, in place of the
    stored ones."""
    keys = {ref: each.key for ref, each in stored.base.items()}
    others = {
        (each.source, each.target)
        for each in stored.graph.relations
        if keys.get(each.source) not in whole and keys.get(each.target) not in whole
    }
    return [
        EntityRelation(*ends, each.weight, each.description, each.chunks)
        for each in read
        for ends in [(ref_of(0, each.source), ref_of(0, each.target))]
        if each.source in whole or each.target in whole or ends in others
    ]


def _stored(where: IndexInUse, ids: Collection[str], often: Collection[str]) -> StoredGraph:
    """Some entities as they are stored, with all that they are tied to.

    Args:
        often: ids of entities that are mentioned everywhere: of these, those without a description, and relations among
            them that a passage states which is gone.
    """
    rows = [*where.rows("systems/hirag/some_entities", ids)]
    rows += [row for row in where.rows("systems/hirag/some_entities", often) if not row["chunks"]]
    ties = {
        (row["type"], row["source"], row["target"]): row["properties"]
        for row in where.rows("systems/hirag/some_relations", ids)
    }
    for row in where.graph.run("systems/hirag/unstated", where.corpus.label, read=True, ids=sorted(often)):
        ties[RELATED, row["source"], row["target"]] = row["properties"]
    cluster = {row["ref"]: row["cluster"] for row in rows}
    return StoredGraph(where.generation, graph_of([*map(entity_of, rows)], ties), cluster)


def _clusters(
    where: IndexInUse, entities: Mapping[str, LayerEntity], new: Collection[str], vectors_of: VectorsOf
) -> dict[str, tuple[str, str, float]]:
    """Of each new entity the summary that it is joined to, the name of its cluster, and the weight; "", its own ref and
    0 where no entity near it is in a cluster."""
    fresh = sorted((each for each in entities.values() if each.ref in new), key=lambda each: each.ref)
    if where.flat or not fresh:
        return {}
    found: dict[str, tuple[str, str, float]] = {}
    for each, vector in zip(fresh, vectors_of([each.embedded for each in fresh]), strict=True):
        nearest = "systems/hirag/nearest_clusters_index" if where.index else "systems/hirag/nearest_clusters_exact"
        source = {"vector_index": where.index} if where.index else {"generation": where.generation}
        rows = where.graph.run(
            nearest,
            where.corpus.label,
            read=True,
            depth=_NEAREST_CLUSTERED_ENTITIES,
            vector=vector.tolist(),
            **source,
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


def _same(where: IndexInUse, new: Collection[str]) -> list[tuple[str, str]]:
    """The summaries of layer 1 that are called like new entities, with these."""
    above = {where.id(summary): (summary, ref) for ref in new if (summary := ref_of(1, ref.partition(":")[2]))}
    return sorted(above[row["id"]] for row in where.rows("systems/hirag/some_entities", above))


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


def place(tx: Transaction, where: IndexInUse, near: Near, vectors_of: VectorsOf, entropy: float) -> PlacedTree:
    """Takes the entities that are gone, and those whose relations changed, out of the tree, and puts these and new ones
    where they cost least; then again, each among the others.

    Args:
        entropy: of the whole tree before, in bits.
    """
    was, now = weights_between(near.stored.graph, where.id), weights_between(near.graph, where.id)
    deleted, left = near.deleted.entities, sorted(map(where.id, near.left))
    entities = {where.id(each.ref): each for each in near.graph.entities}
    moved = [
        id_
        for id_, each in entities.items()
        if each.ref in near.new or (each.ref not in near.often and was.get(id_) != now.get(id_))
    ]
    reweighed = _reweighed(near, was, now, where)
    reached = {other for id_ in (*moved, *left) for edges in (was, now) for other in edges.get(id_, ())}
    reached.update(end for each in deleted.values() for end in each.edges)
    reached.update(end for pair in reweighed for end in pair)
    tree = WhichTree(where.corpus.label, COMMUNITIES, where.generation, where.levels, where.root)
    leaves = read_leaves(tx, tree, sorted({*entities, *left, *reached}))
    leaves |= {id_: each.leaf for id_, each in deleted.items()}
    stored = StoredPart(tx, tree, leaves)
    part = stored.part
    for id_, each in deleted.items():
        part.remove(id_, _there({id_: each.edges}, id_, part.leaves))
    for id_ in (*left, *moved):
        if id_ in part.leaves:
            part.remove(id_, _there(was, id_, part.leaves))
    for (one, other), change in reweighed.items():
        part.reweigh(one, other, change)
    for id_ in moved:
        part.add(id_, _there(now, id_, part.leaves))
    for id_ in moved if len(moved) > 1 else ():
        there = _there(now, id_, part.leaves)
        part.remove(id_, there)
        part.add(id_, there)
    vectors = of_unit_length(vectors_of([entities[id_].embedded for id_ in moved])) if moved else ()
    changes = stored.changes(tx, dict(zip(moved, vectors, strict=True)), {}, where.corpus.version)
    touched = {*moved, *left, *deleted, *map(where.id, near.told), *(end for pair in reweighed for end in pair)}
    lowest = {leaves[id_].community for id_ in touched if id_ in leaves}
    new = new_communities(changes)
    lowest.update(row["parent"] for row in changes.places if row["id"] not in new)
    refs = frozenset(entities[id_].ref for id_ in moved)
    return PlacedTree(stored, changes, refs, frozenset(lowest.difference(changes.gone)), part.entropy(entropy))


def _reweighed(near: Near, was: Edges, now: Edges, where: IndexInUse) -> dict[tuple[str, str], float]:
    """How much the weight changes between entities that are mentioned everywhere, by their ids."""
    often = sorted(map(where.id, near.often))
    changes = {
        (one, other): now.get(one, {}).get(other, 0.0) - was.get(one, {}).get(other, 0.0)
        for one in often
        for other in {*was.get(one, ()), *now.get(one, ())}
        if one < other and other in often
    }
    return {pair: change for pair, change in changes.items() if change}


def new_communities(changes: TreeChanges) -> set[str]:
    """The ids of communities that are not stored yet."""
    leaves = {row["id"] for row in changes.covers}
    return {row["id"] for row in changes.nodes if "level" in row["properties"]} - leaves


def _there(edges: Edges, id_: str, leaves: Collection[str]) -> dict[str, float]:
    return {other: weight for other, weight in edges.get(id_, {}).items() if other in leaves and other != id_}
