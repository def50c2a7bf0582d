"""What deletions took out of the graph of layers, and new summaries in place of those that went with a passage.

A deleted entity leaves its leaf in the tree of communities, with what it was tied to. So volumes and cuts of the tree
can follow exactly, and it is known which entities lost their summary. These are summarised again, all of a cluster
together; what is written takes the place of the old summaries in the layers above, whose own summaries stay.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from overstory.graph.client import Row
from overstory.systems.tree.nearness import to_mean
from overstory.systems.tree.part import StoredLeaf
from overstory.text.key_phrases import CommonWords
from overstory_systems.hirag.in_use import IndexInUse
from overstory_systems.hirag.knowledge_graph import Cluster, LayerEntity, SummaryLink, ref_of
from overstory_systems.hirag.layers import LayerAbove, VectorsOf, cluster_of
from overstory_systems.hirag.names import NAME
from overstory_systems.hirag.store import RELATED, SUMMARIZED, entity_of
from overstory_systems.hirag.summaries import Group, Summariser, Summary, as_weight, common_words, rule_summary


@dataclass(frozen=True, slots=True)
class DeletedEntity:
    """
    Attributes:
        id: of the entity.
        layer: its own.
        leaf: the one that it left.
        edges: weights by the id of the other end, which may be deleted, too.
        members: ids of the entities that it summarised.
        summaries: ids of its own summaries.
    """

    id: str
    layer: int
    leaf: StoredLeaf
    edges: dict[str, float]
    members: set[str]
    summaries: set[str]


@dataclass(frozen=True, slots=True)
class Deleted:
    """The entities that deletions took along since the index was last brought up to date.

    Attributes:
        entities: by id.
        relations: how many relations of layer 0 went with them.
    """

    entities: Mapping[str, DeletedEntity] = field(default_factory=dict[str, DeletedEntity])
    relations: int = 0


@dataclass(frozen=True, slots=True)
class NewSummaries:
    """Summaries in place of deleted ones.

    Attributes:
        entities: of all layers above 0.
        links: from their members, and to the summaries above.
        same: refs of those that are called like an entity of the layer below, with it.
        cluster: of each by ref, as of `StoredGraph`.
    """

    entities: Sequence[LayerEntity] = ()
    links: Sequence[SummaryLink] = ()
    same: Sequence[tuple[str, str]] = ()
    cluster: Mapping[str, str] = field(default_factory=dict[str, str])


def layer_of(ref: str) -> int:
    return int(ref.partition(":")[0])


def read_deleted(where: IndexInUse) -> Deleted:
    found: dict[str, DeletedEntity] = {}
    related: set[frozenset[str]] = set()
    rows = where.graph.run(
        "systems/tree/uncovered", where.corpus.label, read=True, tree=NAME, generation=where.generation
    )
    for row in rows:
        edges = defaultdict[str, float](float)
        ends: dict[str, set[str]] = defaultdict(set)
        for end, tie, weight in zip(row["ends"], row["ties"], row["weights"], strict=True):
            edges[end] += weight
            ends[tie].add(end)
        related.update(frozenset((row["unit"], end)) for side in "<>" for end in ends[side + RELATED])
        leaf = StoredLeaf(row["id"], row["community"], row["volume"], {}, covers=False)
        found[row["unit"]] = DeletedEntity(
            row["unit"], row["layer"], leaf, dict(edges), ends["<" + SUMMARIZED], ends[">" + SUMMARIZED]
        )
    for one in found.values():  # of two that are deleted, maybe only the one that went first knew the other
        for id_, weight in list(one.edges.items()):
            if id_ in found:
                found[id_].edges.setdefault(one.id, weight)
        for id_ in one.members & found.keys():
            found[id_].summaries.add(one.id)
        for id_ in one.summaries & found.keys():
            found[id_].members.add(one.id)
    return Deleted(found, len(related))


def summarised_again(
    where: IndexInUse,
    deleted: Deleted,
    now: Mapping[str, LayerEntity],
    left: Collection[str],
    vectors_of: VectorsOf,
    summariser: Summariser,
) -> NewSummaries | None:
    """New summaries in place of deleted ones; None where one by rules would be called like another of its layer, or a
    summary would have no member. Of a cluster for which a language model says the name of another, rules write.

    Args:
        now: entities as they will be stored, by id; of all others what is stored counts.
        left: ids of stored entities that are about to be removed.
    """
    lost = sorted((each for each in deleted.entities.values() if each.members), key=lambda each: (each.layer, each.id))
    away = {*left, *deleted.entities}
    made = _Made(where, common_words(where.sampled() if lost else ()), away, vectors_of, summariser)
    if lost:
        made.read_members({id_ for each in lost for id_ in each.members} - away, now)
    clusters = made.by_cluster(lost)
    if not all(map(made.add, clusters)):
        return None
    above = {id_ for each in deleted.entities.values() for id_ in each.summaries} - away
    above.update(row["target"] for row in where.rows("systems/hirag/summaries_of", left))
    rows = {row["id"]: row for row in where.rows("systems/hirag/members_of", above)}
    made.join_summaries(clusters, rows)
    if any(not made.joined[id_] and not made.still_there(row) for id_, row in rows.items()):
        return None
    entities = sorted(made.entities.values(), key=lambda each: each.ref)
    return NewSummaries(entities, made.links, _same(where, entities, now, away), made.cluster)


@dataclass(slots=True)
class _Made:
    """New summaries while they are made, those of lower layers first.

    Attributes:
        entities: by ref.
        instead: refs of those that take the places of deleted ones, by the ids of these.
        joined: how many of them each summary that is there got as members, by its id.
    """

    where: IndexInUse
    common: CommonWords
    away: Collection[str]
    vectors_of: VectorsOf
    summariser: Summariser
    entities: dict[str, LayerEntity] = field(default_factory=dict[str, LayerEntity])
    instead: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    links: list[SummaryLink] = field(default_factory=list[SummaryLink])
    cluster: dict[str, str] = field(default_factory=dict[str, str])
    joined: dict[str, int] = field(default_factory=lambda: defaultdict[str, int](int))
    _members: dict[str, LayerEntity] = field(default_factory=dict[str, LayerEntity])
    _cluster_of: dict[str, str] = field(default_factory=dict[str, str])

    def read_members(self, ids: Collection[str], now: Mapping[str, LayerEntity]) -> None:
        for row in self.where.rows("systems/hirag/some_entities", ids):
            self._members[row["id"]] = now.get(row["id"], entity_of(row))
            self._cluster_of[row["ref"]] = row["cluster"]

    def by_cluster(self, lost: Iterable[DeletedEntity]) -> list[list[DeletedEntity]]:
        """Deleted summaries of one cluster together, in the order of the first of each."""
        found = defaultdict[tuple[int, str], list[DeletedEntity]](list)
        for each in lost:
            stored = sorted(each.members & self._members.keys())
            cluster = self._cluster_of[self._members[stored[0]].ref] if stored else each.id
            found[each.layer, cluster].append(each)
        return list(found.values())

    def add(self, lost: Sequence[DeletedEntity]) -> bool:
        """Summarises what is left of the members of a cluster that lost its summaries, members of lower layers as they
        are now; False where the summary would be called like another of its layer."""
        ids = {id_ for each in lost for id_ in each.members}
        there = {self._members[id_].ref: self._members[id_] for id_ in ids if id_ in self._members}
        there |= {ref: self.entities[ref] for id_ in ids for ref in self.instead.get(id_, ())}
        if len(there) < 2:
            return True
        members = [there[ref] for ref in sorted(there)]
        group = Group(members, self.vectors_of([each.embedded for each in members]), self.common)
        cluster = cluster_of(members)
        (said,) = self.summariser.write([group])
        new = _layer_above(cluster, said)
        if self._taken(new.entities()):
            new = _layer_above(cluster, [rule_summary(group)])
            if self._taken(new.entities()):
                return False
        self.entities |= {each.ref: each for each in new.entities()}
        self.instead |= {each.id: [one.ref for one in new.entities()] for each in lost}
        self.links += new.links()
        names = [self._cluster_of[each.ref] for each in members if each.ref in self._cluster_of]
        unnamed = (each.ref for each in members if each.ref not in self._cluster_of)
        self.cluster |= dict.fromkeys(unnamed, names[0] if names else members[0].ref)
        return True

    def _taken(self, new: Iterable[LayerEntity]) -> bool:
        """Whether an entity that is stored, or was made now, is called like one of these."""
        refs = {each.ref for each in new}
        ids = set(map(self.where.id, refs))
        return not refs.isdisjoint(self.entities) or any(self.where.rows("systems/hirag/some_entities", ids))

    def join_summaries(self, clusters: Iterable[Sequence[DeletedEntity]], above: Mapping[str, Row]) -> None:
        """Joins new summaries to the summaries that those had whose places they take.

        Args:
            above: of these `systems/hirag/members_of`.
        """
        for lost in clusters:
            had = {id_ for each in lost for id_ in each.summaries}
            for ref in self.instead.get(lost[0].id, ()):
                if ref in self.cluster:
                    continue
                self.cluster[ref] = ref
                (vector,) = self.vectors_of([self.entities[ref].embedded])
                for id_ in sorted(had & above.keys()):
                    others = self.still_there(above[id_])
                    vectors = np.array([vector, *(other for _, _, other in others)], dtype=np.float32)
                    weight = as_weight(float(to_mean(vectors)[0]))
                    self.links.append(SummaryLink(ref, above[id_]["summary"], weight))
                    self.joined[id_] += 1
                    if others:
                        self.cluster[ref] = others[0][1]

    def still_there(self, row: Row) -> list[tuple[str, str, Sequence[float]]]:
        """Id, cluster and vector of the members of a summary that are not about to be removed."""
        return [member for member in row["members"] if member[0] not in self.away]


def _layer_above(members: Cluster, summaries: Sequence[Summary]) -> LayerAbove:
    above = LayerAbove(members.layer + 1)
    above.add(members, summaries)
    return above


def _same(
    where: IndexInUse, entities: Sequence[LayerEntity], now: Mapping[str, LayerEntity], away: Collection[str]
) -> list[tuple[str, str]]:
    """New summaries that are called like an entity of the layer below, with it, and those above that are called like
    them."""
    wanted = {
        pair
        for each in entities
        for pair in (
            (each.ref, ref_of(each.layer - 1, each.key)),
            (ref_of(each.layer + 1, each.key), each.ref),
        )
    }
    refs = {ref for pair in wanted for ref in pair}
    stored = {
        row["ref"]
        for row in where.rows("systems/hirag/some_entities", {where.id(ref) for ref in refs}.difference(away))
    }
    there = stored | {each.ref for each in (*entities, *now.values())}
    return sorted(pair for pair in wanted if there.issuperset(pair))
