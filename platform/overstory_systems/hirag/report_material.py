"""Prepares the input for reports on communities: central entities, strong relations, and reports on sub-communities."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from overstory.llm.digests import digest_of
from overstory.systems.entity_graph import EntityRelation
from overstory.systems.texts.reports import RULES, Report
from overstory_entropy import EncodingTree, Graph
from overstory_entropy.compile import Floats, Ints
from overstory_systems.hirag.knowledge_graph import LayeredGraph, LayerEntity

MOST_REPORT_ENTITIES = 12  # maximum number of entities in a report
MOST_REPORT_RELATIONS = 24  # maximum number of relations in a report
_MOST_REPORT_PARTS = 10  # maximum number of sub-communities whose reports are read
_MOST_DIRECT_MEMBERS = 30
"""Maximum size of a community that is described by its members instead of by reports on its sub-communities."""
_NO_COMMON_COMMUNITY = -1
"""Marks relations whose ends share no community."""


@dataclass(frozen=True, slots=True)
class Material:
    """The input for the report on one community.

    Attributes:
        key: Digest of everything that the report may show. Equal keys mean equal reports.
        size: Number of members.
        inner: Total weight of the relations among members.
        entities: Entities with distinct names, the most central first. Summaries by rules come last, because they
            merely list other entities.
        relations: Relations among members that have a description, the strongest first. If `parts` is not empty, only
            relations between parts.
        ends: The entities at the ends of the relations, by ref.
        parts: Reports on the largest sub-communities, the largest first. Empty for a small community.
    """

    key: str
    size: int
    inner: float
    entities: tuple[LayerEntity, ...]
    relations: tuple[EntityRelation, ...]
    ends: Mapping[str, LayerEntity]
    parts: tuple[Report, ...]


class Materials:
    """Prepares the input for the reports on all communities of a tree, in linear time and memory per level."""

    def __init__(self, tree: EncodingTree, graph: LayeredGraph, fingerprint: str) -> None:
        """Prepare for one tree.

        Args:
            tree: Tree over the entities of the graph, with all leaves at the same depth.
            fingerprint: Fingerprint of the writer of the reports.
        """
        self._tree = tree
        self._graph = graph
        self._fingerprint = fingerprint
        self._joined = graph.as_graph()
        self._same_as = only_children(tree)
        self._joining, self._strongest = self._strongest_relations()

    def levels(self) -> Iterator[list[int]]:
        """Yield the communities of each level, the deepest level first, skipping communities with a single child."""
        for depth in range(self._tree.height - 1, 0, -1):
            nodes = np.unique(self._tree.labels(depth))
            yield nodes[self._same_as[nodes] == nodes].tolist()

    def of(self, communities: Collection[int], reports: Mapping[int, Report]) -> Iterator[Material]:
        """Yield the input for reports on communities of one level, given the reports of deeper levels."""
        if not communities:
            return
        tree, entities, number = self._tree, self._graph.entities, self._graph.number
        wanted = frozenset(communities)
        depth = int(tree.depths[min(wanted)])
        labels = tree.labels(depth)
        order = by_centrality(self._graph, self._joined, labels)
        nodes, starts = np.unique(labels[order], return_index=True)
        for node, start in zip(nodes.tolist(), starts.tolist(), strict=True):
            if node not in wanted:
                continue
            size = int(tree.sizes[node])
            first = order[start : start + min(size, 2 * MOST_REPORT_ENTITIES)].tolist()
            parts = self._parts(node) if size > _MOST_DIRECT_MEMBERS and depth < tree.height - 1 else ()
            relations = (self._joining if parts else self._strongest).get(node, ())
            material = Material(
                key="",
                size=size,
                inner=float(tree.volume[node] - tree.cut[node]) / 2.0,
                entities=_named_once(entities[place] for place in first),
                relations=tuple(relations),
                ends={ref: entities[number[ref]] for each in relations for ref in (each.source, each.target)},
                parts=tuple(reports[part] for part in parts),
            )
            yield replace(material, key=_key(material, self._fingerprint))

    def _parts(self, node: int) -> tuple[int, ...]:
        children = self._tree.children(node)
        largest = children[np.argsort(-self._tree.sizes[children], kind="stable")[:_MOST_REPORT_PARTS]]
        return tuple(self.bottom(int(child)) for child in largest)

    def bottom(self, node: int) -> int:
        """Return the deepest community with the same members."""
        while (below := int(self._same_as[node])) != node:
            node = below
        return node

    def _strongest_relations(self) -> tuple[dict[int, list[EntityRelation]], dict[int, list[EntityRelation]]]:
        """Return the strongest described relations of each community: those in no sub-community, and all."""
        tree, relations = self._tree, self._graph.relations
        own: dict[int, list[EntityRelation]] = {}
        homes = _lowest_common(tree, self._graph)
        for place in np.argsort(-np.array([each.weight for each in relations]), kind="stable").tolist():
            home = int(homes[place])
            if home != _NO_COMMON_COMMUNITY and relations[place].description:
                listed = own.setdefault(home, [])
                if len(listed) < MOST_REPORT_RELATIONS:
                    listed.append(relations[place])
        every = dict(own)
        for node in range(tree.leaves, tree.root):
            above = int(tree.parents[node])
            if above != tree.root and node in every:
                merged = sorted([*every.get(above, ()), *every[node]], key=lambda each: -each.weight)
                every[above] = merged[:MOST_REPORT_RELATIONS]
        return own, every


def only_children(tree: EncodingTree) -> Ints:
    """Map each community with a single child to this child, and every other node to itself. Shape (nodes,)."""
    same = np.arange(len(tree))
    inner = np.arange(tree.leaves, tree.root)
    alone = inner[tree.sizes[inner] == tree.sizes[tree.parents[inner]]]
    above = tree.parents[alone]
    same[above] = alone
    same[tree.root] = tree.root
    return same


def is_list(entity: LayerEntity) -> bool:
    """Return True for a summary by rules, which mostly lists other entities."""
    return entity.layer > 0 and entity.by == RULES


def by_centrality(graph: LayeredGraph, joined: Graph, labels: Ints) -> Ints:
    """Sort entities by group. Within a group, the most central come first, summaries by rules last. Shape (n,)."""
    lists = np.array([is_list(entity) for entity in graph.entities], dtype=np.bool_)
    order: Ints = np.lexsort((-centrality(joined, labels), lists, labels))
    return order


def centrality(graph: Graph, labels: Ints) -> Floats:
    """Return the centrality of each vertex in its group, shape (n,).

    This is the weight of the vertex's edges within the group, times their fraction of the weight of all its edges.
    Therefore, a vertex that is connected to everything is central in no group.
    """
    sources = np.repeat(np.arange(graph.vertices), np.diff(graph.indptr))
    within = labels[sources] == labels[graph.neighbours]
    inner = np.bincount(sources[within], weights=graph.weights[within], minlength=graph.vertices)
    central: Floats = inner * inner / np.maximum(graph.degrees, np.finfo(np.float64).tiny)
    return central


def _key(material: Material, fingerprint: str) -> str:
    """Return a digest of the community's size and of the texts, names and passages that its report may show.

    It ignores weights, because one added document changes weights everywhere.
    """
    return digest_of(
        "hirag-report",
        fingerprint,
        material.size,
        [_content(entity) for entity in material.entities],
        [(each.source, each.target, each.description, each.chunks[:1]) for each in material.relations],
        [(ref, _content(end)) for ref, end in material.ends.items()],
        [part.key for part in material.parts],
    )


def _content(entity: LayerEntity) -> tuple[object, ...]:
    return entity.ref, entity.name, entity.type, entity.description, entity.chunks


def _lowest_common(tree: EncodingTree, graph: LayeredGraph) -> Ints:
    """For each relation, return the deepest community that contains both ends, or `_NO_COMMON_COMMUNITY`."""
    number = graph.number
    ends = np.asarray([(number[each.source], number[each.target]) for each in graph.relations], dtype=np.int64)
    ends = ends.reshape(-1, 2)
    found = np.full(len(ends), _NO_COMMON_COMMUNITY, dtype=np.int64)
    for depth in range(1, tree.height):
        labels = tree.labels(depth)
        together = labels[ends[:, 0]] == labels[ends[:, 1]]
        found[together] = labels[ends[together, 0]]
    return found


def _named_once(entities: Iterable[LayerEntity]) -> tuple[LayerEntity, ...]:
    """Keep one entity per name, preferring the lowest layer."""
    by_name: dict[str, LayerEntity] = {}
    for entity in entities:
        first = by_name.setdefault(entity.key, entity)
        if entity.layer < first.layer:
            by_name[entity.key] = entity
    return tuple(by_name.values())[:MOST_REPORT_ENTITIES]
