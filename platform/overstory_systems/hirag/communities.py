"""Finds communities in the graph of all layers with the Leiden algorithm of Graph Data Science (GDS).

The projection is sorted by ref, and Leiden uses one thread and a fixed seed. Therefore, equal graphs have equal
communities, whatever their storage order. Leiden does not start from the previous communities, because that does not
help: with one more document in hotpotqa, 93 to 97 % of all communities remain the same. If Leiden starts from the
previous communities, 90 to 94 % remain the same, and modularity falls from 0.85 to 0.82.

Source: HiRAG paper, Section 4.1.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import TYPE_CHECKING

import numpy as np

from overstory.errors import GraphError
from overstory.graph import GraphClient, Writer, batches
from overstory.graph.client import Row
from overstory.graph.gds import gds_client, projected_by, require_client, require_memory
from overstory.protocols import Vectors
from overstory_entropy import EncodingTree, Graph
from overstory_entropy.compile import Floats, Ints
from overstory_systems.hirag.knowledge_graph import NAME, LayeredGraph
from overstory_systems.hirag.report_material import by_centrality

if TYPE_CHECKING:
    from pandas import DataFrame


# Bridges: the cheapest paths between the central entities of related communities.
#
# Source: HiRAG paper, Section 4.2 (Eq. 14 and 15). Here, they are found at index time, for display and for questions
# about these entities.

_BRIDGE_PARTNERS = 5
"""Maximum number of communities to which one community is bridged."""
_MOST_BRIDGED_COMMUNITIES = 1_000
_MOST_BRIDGE_SEARCH_WORK = 500_000_000
"""Limit of communities × relations. Searches may traverse the whole graph, so large graphs get fewer bridges."""
_MOST_BRIDGE_HOPS = 6
"""Maximum number of relations in a bridge. Longer paths lead through entities that are too common."""
_BRIDGE_SOURCES_A_STATEMENT = 50


@dataclass(frozen=True, slots=True)
class CommunityBridge:
    """A path between the central entities of two communities on the same level.

    Attributes:
        source, target: Tree nodes of the communities; source < target.
        refs, names: Entities along the path from source to target, including both ends.
        cost: Sum of 1 / weight over the relations.
    """

    source: int
    target: int
    refs: tuple[str, ...]
    names: tuple[str, ...]
    cost: float

    @property
    def hops(self) -> int:
        return len(self.refs) - 1

    def row(self, ids: Sequence[str], entity_id: Callable[[str], str]) -> Row:
        """Return the row for `systems/hirag/write_bridges`, oriented from the lower id to the higher one.

        Args:
            ids: Ids of the tree's nodes.
            entity_id: Returns the id of the entity with a ref.
        """
        ends, step = (ids[self.source], ids[self.target]), 1
        if ends[0] > ends[1]:
            ends, step = (ends[1], ends[0]), -1
        return {
            "from": ends[0],
            "to": ends[1],
            "names": list(self.names[::step]),
            "refs": list(self.refs[::step]),
            "entities": [entity_id(ref) for ref in self.refs[::step]],
            "cost": self.cost,
            "hops": self.hops,
        }


@dataclass(frozen=True, slots=True)
class Bridges:
    """The bridges of a tree, as an iterable.

    Attributes:
        found: Bridges sorted by source and target, at most `_BRIDGE_PARTNERS` times `communities`.
        communities: Number of communities examined, the coarsest levels first.
        left_out: Number of communities that were not examined because of the limits.
        without: Number of pairs of communities without a path of at most `_MOST_BRIDGE_HOPS` relations.
    """

    found: Sequence[CommunityBridge]
    communities: int
    left_out: int
    without: int

    def __len__(self) -> int:
        return len(self.found)

    def __iter__(self) -> Iterator[CommunityBridge]:
        return iter(self.found)


def find_bridges(
    projected: LayeredProjection,
    tree: EncodingTree,
    graph: LayeredGraph,
    vectors: Vectors,
    *,
    most: int = _MOST_BRIDGED_COMMUNITIES,
) -> Bridges:
    """Find paths between communities on the same level, the coarsest levels first.

    A community is bridged to up to `_BRIDGE_PARTNERS` others, taken alternately from those with the strongest relations
    to it and those with the nearest vectors.

    Args:
        projected: Projection of `graph` in the server's memory.
        tree: Tree over the entities of the graph, with all leaves at the same depth.
        vectors: float32[n, d], vectors of the entities.
        most: Maximum number of communities examined.
    """
    joined = graph.as_graph()
    room = min(most, max(1, _MOST_BRIDGE_SEARCH_WORK // max(joined.edges, 1)))
    centres: dict[int, int] = {}
    pairs: set[tuple[int, int]] = set()
    there = 0
    for depth in range(1, tree.height):
        nodes = _of_level(tree, depth)
        there += len(nodes)
        chosen = nodes[:room]
        room -= len(chosen)
        if len(chosen) > 1:
            labels = tree.labels(depth)
            centres |= _centres(graph, joined, labels, chosen)
            pairs |= pairs_to_bridge(joined, labels, np.sort(chosen), vectors)
        else:
            centres |= dict.fromkeys(chosen.tolist(), -1)
    found = _paths(projected, graph, sorted(pairs), centres)
    return Bridges(found, len(centres), there - len(centres), len(pairs) - len(found))


def _of_level(tree: EncodingTree, depth: int) -> Ints:
    """Return the communities of a level that have outgoing relations, the largest first.

    Communities equal to their parent are skipped, because they are handled at a coarser level.
    """
    nodes = np.unique(tree.labels(depth))
    nodes = nodes[(tree.cut[nodes] > 0.0) & (tree.sizes[nodes] < tree.sizes[tree.parents[nodes]])]
    return nodes[np.argsort(-tree.sizes[nodes], kind="stable")]


def _centres(graph: LayeredGraph, joined: Graph, labels: Ints, nodes: Ints) -> dict[int, int]:
    order = by_centrality(graph, joined, labels)
    groups, starts = np.unique(labels[order], return_index=True)
    first = order[starts[np.searchsorted(groups, nodes)]]
    return dict(zip(nodes.tolist(), first.tolist(), strict=True))


def pairs_to_bridge(joined: Graph, labels: Ints, nodes: Ints, vectors: Vectors) -> set[tuple[int, int]]:
    """Return the distinct pairs of communities to bridge on one level, the lower node first."""
    connected, near = _most_connected(joined, labels, nodes), _nearest(labels, nodes, vectors)
    found: set[tuple[int, int]] = set()
    for place in range(len(nodes)):
        in_turn = chain.from_iterable(zip_longest(connected.get(place, ()), near[place]))
        others = list(dict.fromkeys(other for other in in_turn if other is not None))[:_BRIDGE_PARTNERS]
        found.update((min(place, other), max(place, other)) for other in others)
    return {(int(nodes[one]), int(nodes[other])) for one, other in found}


def _most_connected(joined: Graph, labels: Ints, nodes: Ints) -> Mapping[int, list[int]]:
    """Map the position of each community in `nodes` to the positions of those with the strongest relations to it."""
    place = np.minimum(np.searchsorted(nodes, labels), len(nodes) - 1)
    place[nodes[place] != labels] = -1
    one = np.repeat(place, np.diff(joined.indptr))
    other = place[joined.neighbours]
    between = (one >= 0) & (other >= 0) & (one != other)
    keys, where = np.unique(one[between] * len(nodes) + other[between], return_inverse=True)
    strength = np.bincount(where, weights=joined.weights[between], minlength=len(keys))
    ones, others = np.divmod(keys, len(nodes))
    found: dict[int, list[int]] = defaultdict(list)
    for entry in np.lexsort((others, -strength, ones)).tolist():
        listed = found[int(ones[entry])]
        if len(listed) < _BRIDGE_PARTNERS:
            listed.append(int(others[entry]))
    return found


def _nearest(labels: Ints, nodes: Ints, vectors: Vectors) -> list[list[int]]:
    """For each community, return the positions in `nodes` of those with the nearest mean vectors."""
    order = np.argsort(labels, kind="stable")
    starts = np.searchsorted(labels[order], nodes, side="left").tolist()
    ends = np.searchsorted(labels[order], nodes, side="right").tolist()
    means: Floats = np.array(
        [vectors[order[start:end]].mean(axis=0, dtype=np.float64) for start, end in zip(starts, ends, strict=True)]
    )
    means /= np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-12)
    cosines = np.round(means @ means.T, 6)
    np.fill_diagonal(cosines, -np.inf)
    near = np.argsort(-cosines, axis=1, kind="stable")[:, : min(_BRIDGE_PARTNERS, len(nodes) - 1)]
    found: list[list[int]] = near.tolist()
    return found


def _paths(
    projected: LayeredProjection, graph: LayeredGraph, pairs: Sequence[tuple[int, int]], centres: Mapping[int, int]
) -> list[CommunityBridge]:
    """Return the bridges between pairs of communities, skipping pairs without a sufficiently short path.

    Nested communities may share a central entity, so a path between two entities is searched only once.
    """
    refs = graph.refs
    wanted: dict[str, dict[str, None]] = {}
    for one, other in pairs:
        wanted.setdefault(refs[centres[one]], {})[refs[centres[other]]] = None
    found: dict[tuple[str, str], tuple[float, list[str]]] = {}
    for some in batches(wanted.items(), _BRIDGE_SOURCES_A_STATEMENT):
        for row in projected.cheapest_paths({source: list(targets) for source, targets in some}):
            found[row["refs"][0], row["refs"][-1]] = row["cost"], row["refs"]
    bridges: list[CommunityBridge] = []
    for one, other in pairs:
        cost, way = found.get((refs[centres[one]], refs[centres[other]]), (0.0, []))
        if 0 < len(way) <= _MOST_BRIDGE_HOPS + 1:
            names = tuple(graph.entities[graph.number[ref]].name for ref in way)
            bridges.append(CommunityBridge(one, other, tuple(way), names, cost))
    return bridges


TITLE = "HiRAG"
_COMMUNITY_SEED = 20250310
_COMMUNITY_ROWS_A_STATEMENT = 10_000
_LEAST_LEVEL_GROWTH = 1.1
"""Minimum growth in the number of communities from one level to the next finer one. Other levels are dropped: Leiden's
last levels hardly differ, and each level needs its own reports."""


def require_gds(graph: GraphClient) -> None:
    """Raise an error if GDS is unavailable, before `build` or `check` starts to work."""
    require_client(graph, TITLE, extra=NAME)


@dataclass(frozen=True)
class LayeredProjection:
    """The graph of all layers of one generation, projected into the server's memory.

    Attributes:
        name: Name of the projection. "" for a graph without relations, which is not projected.
        places: Positions of the entities in the arrays, by ref.
        nodes: Shape (n,), node ids of the entities in the projection.
        levels: Shape (n, levels), the communities of each entity found by Leiden, from fine to coarse.
    """

    graph: GraphClient
    name: str
    places: Mapping[str, int]
    nodes: Ints
    levels: Ints

    def communities(self, refs: Sequence[str]) -> list[Ints]:
        """Return nested partitions of the entities, the coarsest first. Without entities, the list is empty.

        If the graph contains no relations, each entity is its own community.

        Args:
            refs: Refs of all n entities.

        Returns:
            Arrays of shape (n,) with the community of each entity, numbered from 0 by first member.
        """
        if not self.name:
            return [np.arange(len(refs))] if refs else []
        if len(refs) != len(self.places) or not self.places.keys() >= set(refs):
            raise GraphError(
                f"the projection has {len(self.places):,} entities, but communities were requested for {len(refs):,}",
                remedy="Build the index again.",
            )
        return nested(self.levels[[self.places[ref] for ref in refs]].T)

    def cheapest_paths(self, wanted: Mapping[str, Sequence[str]]) -> list[Row]:
        """Return the cheapest path from each source to each reachable target, as rows with `cost` and `refs`."""
        if not self.name:
            return []
        rows = [
            {"source": self._node(source), "targets": [self._node(target) for target in targets]}
            for source, targets in wanted.items()
        ]
        return self.graph.run("gds/paths", read=True, graph=self.name, rows=rows)

    def _node(self, ref: str) -> int:
        return int(self.nodes[self.places[ref]])


@contextmanager
def layered_projection(writer: Writer, generation: int) -> Generator[LayeredProjection]:
    """Project the graph of all layers with `weight` and `cost`, and find its communities.

    The projection is dropped at the end of the `with` block.
    """
    graph, label = writer.graph, writer.corpus.label
    require_gds(graph)
    (size,) = graph.run("systems/hirag/size", label, read=True, generation=generation)
    if not size["relations"]:
        yield LayeredProjection(graph, "", {}, np.zeros(0, np.int64), np.zeros((0, 0), np.int64))
        return
    client = gds_client(graph, TITLE, extra=NAME)
    require_memory(graph, client, size["entities"], size["relations"], properties=("weight", "cost"))
    with projected_by(writer, "gds/project_layers", stage=NAME, extra=NAME, generation=generation) as (gds, projected):
        found = gds.leiden.stream(
            projected,
            include_intermediate_communities=True,
            relationship_weight_property="weight",
            random_seed=_COMMUNITY_SEED,
            concurrency=1,
            log_progress=False,
        )
        yield _listed(graph, projected.name(), found)


def nested(levels: Ints) -> list[Ints]:
    """Convert Leiden's partitions, from fine to coarse, to nested partitions, from coarse to fine.

    The coarsest partition is unchanged. A finer community that overlaps several coarser communities is split. Overlaps
    occur because Leiden returns communities before refining them, and a refined part may move on the next level.

    Args:
        levels: Shape (levels, n).

    Returns:
        Arrays of shape (n,), numbered from 0 by first member. Levels with hardly more communities than the previous
        level are dropped (`_LEAST_LEVEL_GROWTH`).
    """
    found: list[Ints] = []
    for labels in levels[::-1]:
        groups = labels if not found else found[-1] * (int(labels.max()) + 1) + labels
        groups = _numbered_by_first_member(groups)
        if not found or _groups(groups) >= _LEAST_LEVEL_GROWTH * _groups(found[-1]):
            found.append(groups)
    return found


def _numbered_by_first_member(labels: Ints) -> Ints:
    _, first, group = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[group]


def _groups(labels: Ints) -> int:
    return int(labels.max(initial=-1)) + 1


def _listed(graph: GraphClient, name: str, found: DataFrame) -> LayeredProjection:
    nodes = np.array(found["nodeId"].tolist(), dtype=np.int64)
    levels = np.array(found["intermediateCommunityIds"].tolist(), dtype=np.int64)
    places: dict[str, int] = {}
    for start in range(0, len(nodes), _COMMUNITY_ROWS_A_STATEMENT):
        some: list[int] = nodes[start : start + _COMMUNITY_ROWS_A_STATEMENT].tolist()
        for place, row in enumerate(graph.run("gds/refs", read=True, nodes=some), start=start):
            places[row["ref"]] = place
    return LayeredProjection(graph, name, places, nodes, levels)
