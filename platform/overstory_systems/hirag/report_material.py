"""What a report on a community is made from: its most central entities, its strongest relations, its parts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from overstory.systems.entity_graph import EntityRelation
from overstory.systems.texts.reports import RULES
from overstory_entropy import EncodingTree, Graph
from overstory_entropy.compile import Floats, Ints
from overstory_systems.hirag.knowledge_graph import LayeredGraph, LayerEntity

MOST_REPORT_ENTITIES = 12  # entities of a community that its report is made of
MOST_REPORT_RELATIONS = 24  # relations between them
_MOST_REPORT_PARTS = 10  # parts of a community whose reports are read, the largest
_MOST_DIRECT_MEMBERS = 30
"""Members up to which a community with others below it is described by its own sentences, not by their reports."""
_NO_COMMON_COMMUNITY = -1
"""In place of a community: of a relation whose ends are in no community together."""


@dataclass(frozen=True, slots=True)
class Material:
    """A community as its report sees it: a bounded part of its content.

    Attributes:
        node: in the tree.
        key: a digest of all of its content, which the report is told by: members, their texts, and relations; no
            weights, which change everywhere when one document is added.
        size: members.
        inner: the weight of the relations among members.
        entities: the most central first, one of each name; summaries by rules last, which list other entities.
        relations: among members, with a description, the strongest first; of a community that is described by its parts
            only those that join these.
        ends: the ends of relations, by ref.
        parts: the communities by whose reports it is described, the largest first; none for a small one, or one that
            has no communities below it.
    """

    node: int
    key: str
    size: int
    inner: float
    entities: tuple[LayerEntity, ...]
    relations: tuple[EntityRelation, ...]
    ends: Mapping[str, LayerEntity]
    parts: tuple[int, ...]


class Materials:
    """The material of all communities of a tree. Time and memory: linear in entities and relations, for each level."""

    def __init__(self, tree: EncodingTree, graph: LayeredGraph) -> None:
        """
        Args:
            tree: over the entities of the graph, all leaves at one depth.
        """
        self._tree = tree
        self._graph = graph
        self._joined = graph.as_graph()
        self._same_as = only_children(tree)
        ends = _ends(graph)
        self._home = _lowest_common(tree, ends)
        self._keys = self._digests(_texts_of_entities(graph))
        self._joining, self._strongest = self._strongest_relations()

    def levels(self) -> Iterator[dict[int, str]]:
        """The keys of communities, the deepest level first, without those that are the same as their child."""
        for depth in range(self._tree.height - 1, 0, -1):
            nodes = np.unique(self._tree.labels(depth)).tolist()
            yield {node: self._keys[node] for node in nodes if self._same_as[node] == node}

    def of(self, communities: Collection[int]) -> Iterator[Material]:
        """The material of some communities of one level, ascending."""
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
            yield Material(
                node=node,
                key=self._keys[node],
                size=size,
                inner=float(tree.volume[node] - tree.cut[node]) / 2.0,
                entities=_named_once(entities[place] for place in first),
                relations=tuple(relations),
                ends={ref: entities[number[ref]] for each in relations for ref in (each.source, each.target)},
                parts=parts,
            )

    def _parts(self, node: int) -> tuple[int, ...]:
        children = self._tree.children(node)
        largest = children[np.argsort(-self._tree.sizes[children], kind="stable")[:_MOST_REPORT_PARTS]]
        return tuple(self.bottom(int(child)) for child in largest)

    def bottom(self, node: int) -> int:
        """The deepest community with the members of this one."""
        while (below := int(self._same_as[node])) != node:
            node = below
        return node

    def _digests(self, texts: Sequence[bytes]) -> dict[int, str]:
        """The key of each community: of its members' digests and of those of relations among them, each taken once, at
        the deepest community that has both ends."""
        tree, leaves = self._tree, self._tree.leaves
        known: dict[int, bytes] = dict(enumerate(texts))
        relations = _texts_of_relations(self._graph)
        order = np.argsort(self._home, kind="stable")
        homes, starts = np.unique(self._home[order], return_index=True)
        bounds = [*starts.tolist(), len(order)]
        inside = {
            int(home): order[bounds[place] : bounds[place + 1]].tolist() for place, home in enumerate(homes.tolist())
        }
        keys: dict[int, str] = {}
        for node in range(leaves, tree.root):
            child = int(self._same_as[node])
            if child != node:
                known[node], keys[node] = known[child], keys[child]
                continue
            digest = sha256()
            for part in sorted(known[child] for child in tree.children(node).tolist()):
                digest.update(part)
            for text in sorted(relations[place] for place in inside.get(node, ())):
                digest.update(text)
            known[node] = digest.digest()
            keys[node] = digest.hexdigest()[:32]
        return keys

    def _strongest_relations(self) -> tuple[dict[int, list[EntityRelation]], dict[int, list[EntityRelation]]]:
        """Of each community the strongest relations with a description: of those that are in no community below it,
        and of all among its members."""
        tree, relations = self._tree, self._graph.relations
        own: dict[int, list[EntityRelation]] = {}
        for place in np.argsort(-np.array([each.weight for each in relations]), kind="stable").tolist():
            home = int(self._home[place])
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
    """Shape (nodes,): of a community with one community below it that child, of all other nodes the node itself."""
    same = np.arange(len(tree))
    inner = np.arange(tree.leaves, tree.root)
    alone = inner[tree.sizes[inner] == tree.sizes[tree.parents[inner]]]
    above = tree.parents[alone]
    same[above] = alone
    same[tree.root] = tree.root
    return same


def is_list(entity: LayerEntity) -> bool:
    """Whether it is a summary by rules, which lists other entities and says little of its own."""
    return entity.layer > 0 and entity.by == RULES


def by_centrality(graph: LayeredGraph, joined: Graph, labels: Ints) -> Ints:
    """Shape (n,): the entities group by group, of each group the most central first, summaries by rules last.

    Args:
        joined: `graph.as_graph()`.
    """
    lists = np.array([is_list(entity) for entity in graph.entities], dtype=np.bool_)
    order: Ints = np.lexsort((-centrality(joined, labels), lists, labels))
    return order


def centrality(graph: Graph, labels: Ints) -> Floats:
    """Shape (n,): how central each vertex is in its group: the weight of its edges within the group, times the share
    of its edges that this is, so that what joins everything with everything is central nowhere."""
    sources = np.repeat(np.arange(graph.vertices), np.diff(graph.indptr))
    within = labels[sources] == labels[graph.neighbours]
    inner = np.bincount(sources[within], weights=graph.weights[within], minlength=graph.vertices)
    central: Floats = inner * inner / np.maximum(graph.degrees, np.finfo(np.float64).tiny)
    return central


def _texts_of_entities(graph: LayeredGraph) -> list[bytes]:
    """A digest of each entity: its name, and what is said of it by which passages."""
    return [
        _digest(each.ref, each.name, each.type, each.source, each.description, *each.chunks) for each in graph.entities
    ]


def _texts_of_relations(graph: LayeredGraph) -> list[bytes]:
    """A digest of each relation, in the order of `_ends`; of its passages that of the description alone, for others
    say nothing in a report."""
    found = [_digest(each.source, each.target, each.description, *each.chunks[:1]) for each in graph.relations]
    found += [_digest(each.member, each.summary, each.description) for each in graph.links]
    found += [_digest(one, other) for one, other in graph.same]
    return found


def _digest(*parts: str) -> bytes:
    return sha256("\0".join(parts).encode()).digest()


def _ends(graph: LayeredGraph) -> Ints:
    """Shape (relations, 2): the ends of relations, links between layers and same names, in this order."""
    number = graph.number
    ends = [(number[each.source], number[each.target]) for each in graph.relations]
    ends += [(number[each.member], number[each.summary]) for each in graph.links]
    ends += [(number[one], number[other]) for one, other in graph.same]
    return np.asarray(ends, dtype=np.int64).reshape(-1, 2)


def _lowest_common(tree: EncodingTree, ends: Ints) -> Ints:
    """Shape (relations,): the deepest community that has both ends; _NO_COMMON_COMMUNITY if none has."""
    found = np.full(len(ends), _NO_COMMON_COMMUNITY, dtype=np.int64)
    for depth in range(1, tree.height):
        labels = tree.labels(depth)
        together = labels[ends[:, 0]] == labels[ends[:, 1]]
        found[together] = labels[ends[together, 0]]
    return found


def _named_once(entities: Iterable[LayerEntity]) -> tuple[LayerEntity, ...]:
    """One entity of each name, in the order of first ones: of a summary and a member with its name, the member."""
    by_name: dict[str, LayerEntity] = {}
    for entity in entities:
        first = by_name.setdefault(entity.key, entity)
        if entity.layer < first.layer:
            by_name[entity.key] = entity
    return tuple(by_name.values())[:MOST_REPORT_ENTITIES]
