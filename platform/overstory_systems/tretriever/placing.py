"""Where new vertices go in a part of the tree that stays as it is otherwise."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Collection, Mapping

import numpy as np

from overstory.systems.tree.build import TreeNodes
from overstory_entropy import EncodingTree, Graph
from overstory_entropy.semantic import distinct
from overstory_systems.tretriever.region import ReadRegion, Region
from overstory_systems.tretriever.store import StoredNode
from overstory_systems.tretriever.vertex_graph import Ints, VertexGraph

ROOT = -1


def region_changes(found: ReadRegion, region: Region) -> tuple[int, int]:
    """How many vertices of a region are new, say something else or have other edges, and how many are gone, wherever
    they were."""
    graph, leaves = found.read.graph, region.leaves
    changed = 0
    for id_, source, edges in zip(graph.ids, graph.sources, graph.edge_digests, strict=True):
        if id_ in found.inside:
            changed += id_ not in leaves or region.index.nodes[leaves[id_]] != StoredNode(source, edges)
    return changed, len(leaves.keys() - found.inside) + region.lost


def placed_figures(before: Mapping[str, float], nodes: TreeNodes, region: Region) -> dict[str, float]:
    """What the figures of the last build become by the nodes that a region now has. Bits, entropy and edges are counted
    where the whole is read."""
    leaves = len(nodes.units)
    now = Counter(nodes.levels[leaves:-1])
    was = Counter(node.level for node in region.tree.values() if node.vector and node.level)
    levels = {f"level_{level}_sets": now[level] - was[level] for level in now | was}
    changes = {"sets": len(nodes.ids) - leaves - 1 - was.total(), **levels}
    figures = {name: before.get(name, 0) + change for name, change in changes.items()}
    return figures | {"vertices": nodes.sizes[-1]}


def placed_tree(graph: VertexGraph, edges: Graph, inside: Collection[str], region: Region) -> EncodingTree:
    """The tree of a region with its new vertices, and without those that are gone; sets that stay have their members.

    A new vertex goes into the smallest set of the vertex that it has its strongest edge with; the strongest edges go
    first, of equal ones those of lower ids. Two that are in no set make one. A vertex without an edge into the region
    hangs from the root, as vertices right outside do.

    Args:
        edges: of `graph`, for the entropy engine.
        inside: the ids of vertices that belong to the region.
    """
    sets = {id_: at for at, id_ in enumerate(id_ for id_, node in region.tree.items() if node.level and node.vector)}
    above = [sets.get(region.tree[id_].parent, ROOT) for id_ in sets]
    leaves = region.leaves
    home = [sets.get(region.tree[leaves[id_]].parent, ROOT) if id_ in leaves else ROOT for id_ in graph.ids]
    belongs = [id_ in inside for id_ in graph.ids]
    waiting = {at for at, id_ in enumerate(graph.ids) if belongs[at] and id_ not in leaves}
    heap: list[tuple[float, int, int]] = []

    def offer(place: int) -> None:
        """The new neighbours of a vertex that has its place may go beside it."""
        row = slice(int(edges.indptr[place]), int(edges.indptr[place + 1]))
        for other, weight in zip(edges.neighbours[row].tolist(), edges.weights[row].tolist(), strict=True):
            if other in waiting:
                heapq.heappush(heap, (-weight, other, place))

    for place, belonging in enumerate(belongs):
        if belonging and place not in waiting:
            offer(place)
    while waiting:
        if heap:
            _, new, beside = heapq.heappop(heap)
            if new not in waiting:
                continue
            if home[beside] == ROOT:
                home[beside] = len(above)
                above.append(ROOT)
            home[new] = home[beside]
        else:
            new = min(waiting)
        waiting.remove(new)
        offer(new)
    return distinct(edges, EncodingTree.from_parents(edges, _numbered(home, above)))


def _numbered(home: list[int], above: list[int]) -> Ints:
    """Parents of leaves, then of the sets that hold some, then of the root.

    Args:
        home: the set of each leaf, above: that of each set; `ROOT` for the root.
    """
    held: set[int] = set()
    for place in home:
        while place != ROOT and place not in held:
            held.add(place)
            place = above[place]
    number = {place: len(home) + at for at, place in enumerate(sorted(held))}
    root = len(home) + len(held)
    parents = [number.get(place, root) for place in home]
    parents += [number.get(above[place], root) for place in sorted(held)]
    return np.array([*parents, -1], dtype=np.int64)


def within_whole(nodes: TreeNodes, inside: Collection[str], region: Region) -> TreeNodes:
    """The nodes of a region's tree as those of the whole: with its root, and without what is outside.

    The root keeps its vector: one vertex of many changes little.
    """
    leaves = len(nodes.units)
    kept = [at for at in range(len(nodes.ids)) if at >= leaves or nodes.units[at] in inside]
    root, old = region.tree[region.root], nodes.ids[-1]
    before = sum(1 for node in region.tree.values() if node.unit)
    own = [node for node in region.tree.values() if node.level == 1]
    now = [at for at in kept if nodes.parents[at] == old]
    volumes = nodes.volumes[kept].copy()
    volumes[-1] = max(0.0, root.volume + float(nodes.volumes[now].sum()) - sum(node.volume for node in own))
    sizes = [nodes.sizes[at] for at in kept]
    sizes[-1] = root.size - region.lost + sum(1 for at in kept if at < leaves) - before
    cuts = nodes.cuts[kept].copy()
    return TreeNodes(
        kind=nodes.kind,
        corpus=nodes.corpus,
        generation=nodes.generation,
        ids=[*(nodes.ids[at] for at in kept[:-1]), region.root],
        parents=[region.root if nodes.parents[at] == old else nodes.parents[at] for at in kept],
        levels=[nodes.levels[at] for at in kept],
        sizes=sizes,
        volumes=volumes,
        cuts=cuts,
        units=[unit for unit in nodes.units if unit in inside],
        vectors=[*nodes.vectors[:-1], root.vector],
    )
