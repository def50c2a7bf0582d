"""Communities of the graph of all layers, by Leiden in Graph Data Science.

Source: HiRAG, Section 4.1. The projection is ordered by ref, and Leiden has one thread and a fixed seed, so equal
graphs have equal communities, in whatever order they were stored. Leiden does not start from the communities of the
build before: on hotpotqa with one more document, 93 to 97 % of all communities stay the same without that; seeded with
the old ones, 90 to 94 % do, and modularity falls from .85 to .82.
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
# Source: HiRAG, Section 4.2 (Eq. 14 and 15), at index time: for people, and for questions about just these entities.

_BRIDGE_PARTNERS = 5
"""Communities that one is bridged with."""
_MOST_BRIDGED_COMMUNITIES = 1_000
_MOST_BRIDGE_SEARCH_WORK = 500_000_000
"""Communities times relations: a search may go through the whole graph, so a large one has fewer bridges."""
_MOST_BRIDGE_HOPS = 6
"""Longer ways lead through entities that are everywhere, and say nothing; a question is bridged as far."""
_BRIDGE_SOURCES_A_STATEMENT = 50


@dataclass(frozen=True, slots=True)
class CommunityBridge:
    """A path between the central entities of two communities of one level.

    Attributes:
        source, target: nodes of the tree, source < target.
        refs, names: of the entities on the way from source to target, both ends included.
        cost: the sum of 1 / weight.
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
        """For `systems/hirag/write_bridges`: from the lower id to the higher one.

        Args:
            ids: of the tree's nodes.
            entity_id: of an entity by its ref.
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
    """The bridges of a tree; iterate over it for them.

    Attributes:
        found: in order of source and target, at most `_BRIDGE_PARTNERS` times `communities`.
        communities: that were looked at: those of the coarsest levels.
        left_out: communities of finer levels, or of a level with too many, that were not.
        without: pairs of communities whose centres have no path of at most `_MOST_BRIDGE_HOPS` relations.
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
    """Paths between communities of one level, the coarsest levels first: of each community with those that it is most
    strongly joined with, and those whose vectors are nearest, `_BRIDGE_PARTNERS` together.

    Args:
        projected: the same graph in the memory of the server.
        tree: over the entities of the graph, all leaves at one depth.
        vectors: float32[n, d], of the entities.
        most: communities that are looked at.
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
    """The communities of a level that a path can leave, the largest first; without those that are the same as their
    parent, which is of a level before."""
    nodes = np.unique(tree.labels(depth))
    nodes = nodes[(tree.cut[nodes] > 0.0) & (tree.sizes[nodes] < tree.sizes[tree.parents[nodes]])]
    return nodes[np.argsort(-tree.sizes[nodes], kind="stable")]


def _centres(graph: LayeredGraph, joined: Graph, labels: Ints, nodes: Ints) -> dict[int, int]:
    """The most central entity of each community."""
    order = by_centrality(graph, joined, labels)
    groups, starts = np.unique(labels[order], return_index=True)
    first = order[starts[np.searchsorted(groups, nodes)]]
    return dict(zip(nodes.tolist(), first.tolist(), strict=True))


def pairs_to_bridge(joined: Graph, labels: Ints, nodes: Ints, vectors: Vectors) -> set[tuple[int, int]]:
    """Pairs of communities to bridge, each once, the lower node first.

    Args:
        nodes: shape (c,), of one level, ascending.
    """
    touching, near = _touching(joined, labels, nodes), _nearest(labels, nodes, vectors)
    found: set[tuple[int, int]] = set()
    for place in range(len(nodes)):
        in_turn = chain.from_iterable(zip_longest(touching.get(place, ()), near[place]))
        others = list(dict.fromkeys(other for other in in_turn if other is not None))[:_BRIDGE_PARTNERS]
        found.update((min(place, other), max(place, other)) for other in others)
    return {(int(nodes[one]), int(nodes[other])) for one, other in found}


def _touching(joined: Graph, labels: Ints, nodes: Ints) -> Mapping[int, list[int]]:
    """Places in `nodes` of the communities that each is most strongly joined with."""
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
    """Places in `nodes` of the communities with the nearest mean vectors, for each."""
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
    """The bridges of these pairs, without those that have no path or a long one. Communities within one another may
    share a centre: then the path is searched once."""
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
"""A finer level has at least so many times the communities of the next coarser one, or is left out: Leiden's last
levels differ by a handful, and each would need its reports."""


def require_gds(graph: GraphClient) -> None:
    """Check that communities can be found: for `build` and `check` to call before anything is done."""
    require_client(graph, TITLE, extra=NAME)


@dataclass(frozen=True)
class LayeredProjection:
    """The graph of all layers of one generation in the memory of the server.

    Attributes:
        name: of the in-memory graph; "" for a graph without relations, which is not projected.
        places: of the entities in the arrays, by ref.
        nodes: shape (n,), the server's numbers of the entities.
        levels: shape (n, levels), the communities of each entity as Leiden lists them, from fine to coarse.
    """

    graph: GraphClient
    name: str
    places: Mapping[str, int]
    nodes: Ints
    levels: Ints

    def communities(self, refs: Sequence[str]) -> list[Ints]:
        """Partitions of the entities, coarsest first, each within the one before; none where there are no entities.

        Without a relation, each entity is a community of its own.

        Args:
            refs: of all n entities.

        Returns:
            Arrays of shape (n,): the community of each entity, numbered from 0 by first member.
        """
        if not self.name:
            return [np.arange(len(refs))] if refs else []
        if len(refs) != len(self.places) or not self.places.keys() >= set(refs):
            raise GraphError(
                f"the projection has {len(self.places):,} entities, and communities of {len(refs):,} were asked for",
                remedy="Build the index again.",
            )
        return nested(self.levels[[self.places[ref] for ref in refs]].T)

    def cheapest_paths(self, wanted: Mapping[str, Sequence[str]]) -> list[Row]:
        """Paths by the relations' cost, one for each target that can be reached: rows with `cost` and `refs`, the
        entities on the way, both ends included.

        Args:
            wanted: the targets of each source, refs of the projection.
        """
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
    """The graph of all layers of a generation, projected with `weight` and `cost`, and its communities; the in-memory
    graph is dropped at the end.
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
    """Partitions of Leiden, from fine to coarse, as nested ones from coarse to fine.

    The coarsest stays as it is. Of a finer level, a community that lies in several coarser ones is split: Leiden lists
    communities before it refines them, and a refined part may move elsewhere on the next level.

    Args:
        levels: shape (levels, n).

    Returns:
        Arrays of shape (n,), numbered from 0 by first member. A level with hardly more communities than the one before
        is left out (`_LEAST_LEVEL_GROWTH`).
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
    """The projection with what Leiden found."""
    nodes = np.array(found["nodeId"].tolist(), dtype=np.int64)
    levels = np.array(found["intermediateCommunityIds"].tolist(), dtype=np.int64)
    places: dict[str, int] = {}
    for start in range(0, len(nodes), _COMMUNITY_ROWS_A_STATEMENT):
        some: list[int] = nodes[start : start + _COMMUNITY_ROWS_A_STATEMENT].tolist()
        for place, row in enumerate(graph.run("gds/refs", read=True, nodes=some), start=start):
            places[row["ref"]] = place
    return LayeredProjection(graph, name, places, nodes, levels)
