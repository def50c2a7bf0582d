"""Update a tree over edges and texts: only the sets with changed vertices are made anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from overstory.entropy.compile import Flags, Floats, Ints
from overstory.entropy.encode import encode
from overstory.entropy.encoding_tree import EncodingTree
from overstory.entropy.graph import Graph
from overstory.entropy.semantic.blocks import Arrangement
from overstory.entropy.semantic.density import Density
from overstory.entropy.semantic.formula import check_weight, density_for, semantic_structural_entropy
from overstory.entropy.semantic.kernels import kernel_sums
from overstory.entropy.semantic.partition import Capped, Divider, partition_all
from overstory.entropy.semantic.prune import prune
from overstory.entropy.semantic.regulate import regulate
from overstory.entropy.semantic.remembered import RememberedDensity
from overstory.entropy.semantic.selection import best_selection, without_pass_throughs
from overstory.entropy.semantic.semantic_tree import SemanticTree
from overstory.errors import GraphError

LARGE = 0.5
"""Of a set with more than this share of all vertices, only the touched sets right below are made anew."""

ASKED_AT_ONCE = 512


def update_semantic(
    graph: Graph,
    vectors: Density | ArrayLike,
    labels: ArrayLike,
    touched: ArrayLike,
    *,
    height: int = 4,
    weight: float = 1.0,
    structure: bool = True,
    seed: int = 0,
) -> SemanticTree:
    """The tree of a changed graph: the sets of the top level with a touched vertex are divided anew, the others stay.

    A touched vertex in no set joins the one to which it has the strongest edges; without edges, the one with the
    nearest texts; it stays below the root if there is none. Time follows the sizes of the touched sets, in addition to
    one pass over the graph. After many updates `encode_semantic` may find a lower entropy.

    Args:
        graph: n vertices, after the change.
        vectors: shape (n, d), or the density: of the same bandwidth as before, if the sets are to stay comparable.
        labels: shape (levels, n), levels < height: the set of each vertex before the change, at each level from the
            top; −1 for none, as for a new vertex. Sets of a level lie in sets of the level above.
        touched: shape (k,), vertices that are new, or whose text or edges changed; of a set that lost a vertex without
            edges, any other vertex.
        height: of the tree.
        weight: λ ≥ 0.
        structure: whether the edges count.
        seed: the same seed, the same tree.

    Returns:
        The tree; `redone` tells the vertices of sets that were divided anew. Entropies are computed when asked for,
        over all vertices.

    Raises:
        GraphError: inconsistent or invalid arguments.
    """
    check_weight(weight)
    density = density_for(graph, vectors, seed=seed)
    edges = graph if structure else Graph.from_edges(graph.vertices, np.empty((0, 2), dtype=np.int64))
    before = _tree_before(edges, labels, height)
    updating = _Updating(edges, density, before, _flags(graph.vertices, touched), height, weight, seed)
    tree = regulate(graph, without_pass_throughs(edges, updating.tree()), height)
    return SemanticTree(tree, edges, density, weight, updating.capped, updating.redone)


def _flags(vertices: int, touched: ArrayLike) -> Flags:
    given = np.asarray(touched, dtype=np.int64)
    if given.ndim != 1 or (given < 0).any() or (given >= vertices).any():
        raise GraphError(f"touched vertices have the shape {given.shape}; expected numbers from 0 to {vertices - 1}")
    flags = np.zeros(vertices, dtype=np.bool_)
    flags[given] = True
    return flags


def _tree_before(graph: Graph, labels: ArrayLike, height: int) -> EncodingTree:
    """The tree of the sets that the vertices were in, without pass-through nodes."""
    given = np.asarray(labels)
    if given.ndim != 2 or given.shape[1] != graph.vertices or given.dtype.kind not in "iu":
        raise GraphError(
            f"labels have the shape {given.shape} and type {given.dtype}; "
            f"expected (levels, {graph.vertices}) integers, −1 for none"
        )
    if len(given) >= height:
        raise GraphError(
            f"there are {len(given)} levels of labels, and a tree of height {height} has {max(height - 1, 0)}"
        )
    alone = given.max(initial=-1) + 1 + np.arange(graph.vertices)
    levels = [np.where(level < 0, alone, level).astype(np.int64) for level in given]
    return without_pass_throughs(graph, EncodingTree.from_labels(graph, *levels))


@dataclass(frozen=True, eq=False)
class _Part:
    """Vertices that are divided anew below a node; `node` is the set that they were, if they were one."""

    parent: int
    members: Ints
    node: int | None


class _Updating:
    """The tree before the change, and what becomes of it."""

    def __init__(
        self,
        graph: Graph,
        density: Density,
        before: EncodingTree,
        touched: Flags,
        height: int,
        weight: float,
        seed: int,
    ) -> None:
        self._graph, self._density, self._before, self._touched = graph, density, before, touched
        self._height, self._weight, self._seed = height, weight, seed
        self._above = before.parents[: before.leaves].copy()
        self.capped = Capped()
        self.redone = np.zeros(graph.vertices, dtype=np.bool_)

    def tree(self) -> EncodingTree:
        """The tree after the change."""
        parts = self._parts()
        parents = np.append(self._above, self._before.parents[self._before.leaves :]).tolist()
        gone = np.zeros(len(parents), dtype=np.bool_)
        for part in parts:
            self.redone[part.members] = True
            if part.node is not None:
                gone[[part.node, *_inner_below(self._before, part.node)]] = True
            self._graft(parents, part)
        kept = np.append(~gone, np.ones(len(parents) - len(gone), dtype=np.bool_))
        number = np.append(np.cumsum(kept) - 1, -1)
        return EncodingTree.from_parents(self._graph, number[np.array(parents)[kept]])

    def _parts(self) -> list[_Part]:
        """What is to be divided anew, in the order in which it is found from the root down."""
        tree, parts, waiting = self._before, list[_Part](), [self._before.root]
        while waiting:
            parent = waiting.pop()
            loose = np.flatnonzero(self._touched & (self._above == parent))
            sets = _inner(tree, parent)
            self._join(parent, sets, loose)
            for node in sets:
                old = tree.members(node)
                joined = loose[self._above[loose] == node]
                if not len(joined) and not self._touched[old].any():
                    continue
                if len(old) > LARGE * tree.leaves and len(_inner(tree, node)) > 1:
                    waiting.append(node)
                else:
                    parts.append(_Part(parent, np.union1d(old, joined), node))
            rest = loose[self._above[loose] == parent]
            if len(rest) > 1:
                parts.append(_Part(parent, rest, None))
        return parts

    def _join(self, parent: int, sets: Sequence[int], loose: Ints) -> None:
        """Put loose vertices below a node into its sets: those that edges lead to, then those of the nearest texts."""
        level = int(self._before.depths[parent]) + 1
        set_of = self._before.labels(level).copy()
        set_of[self._before.labels(level - 1) != parent] = -1
        set_of[set_of < self._before.leaves] = -1
        waiting = loose.tolist()
        while waiting:
            found = {vertex: self._strongest(set_of, vertex) for vertex in waiting}
            joined = {vertex: node for vertex, node in found.items() if node >= 0}
            for vertex, node in joined.items():
                set_of[vertex] = self._above[vertex] = node
            if not joined:
                break
            waiting = [vertex for vertex in waiting if vertex not in joined]
        if waiting and sets and self._weight > 0.0:
            self._join_by_text(sets, np.array(waiting))

    def _strongest(self, set_of: Ints, vertex: int) -> int:
        """The set with the greatest weight of edges to a vertex; −1 if no edge leads to one."""
        row = slice(int(self._graph.indptr[vertex]), int(self._graph.indptr[vertex + 1]))
        reached = set_of[self._graph.neighbours[row]]
        nodes, place = np.unique(reached[reached >= 0], return_inverse=True)
        if not len(nodes):
            return -1
        return int(nodes[np.bincount(place, self._graph.weights[row][reached >= 0]).argmax()])

    def _join_by_text(self, sets: Sequence[int], loose: Ints) -> None:
        """The set with the highest density at a vertex, if it is higher than among all vertices of the parent."""
        members = [self._before.members(node) for node in sets]
        size = np.array([len(part) for part in members])
        first = np.append(0, np.cumsum(size))
        for low, high in pairwise([*range(0, len(loose), ASKED_AT_ONCE), len(loose)]):
            asked = loose[low:high]
            sums = kernel_sums(self._density.points, asked, np.concatenate(members), first)
            means = sums / size[:, None]
            best = means.argmax(axis=0)
            near = means[best, np.arange(len(asked))] > sums.sum(axis=0) / size.sum()
            near |= len(sets) == 1
            self._above[asked[near]] = np.array(sets)[best[near]]

    def _graft(self, parents: list[int], part: _Part) -> None:
        """Divide a part anew and add its nodes."""
        local = _Local.of(self._graph, self._density, self._before, part, self._weight)
        low = self._best(local, part)
        new = {low.root: part.parent}
        for node in range(low.root - 1, low.leaves - 1, -1):
            new[node] = len(parents)
            parents.append(new[int(low.parents[node])])
        for place, vertex in enumerate(part.members.tolist()):
            parents[vertex] = new[int(low.parents[place])]

    def _best(self, local: _Local, part: _Part) -> EncodingTree:
        """The best low tree of a part: divided anew, as the structural engine would, or as it was."""
        height = self._height - int(self._before.depths[part.parent])
        random = np.random.default_rng([self._seed, int(part.members[0])])
        divider = Divider(local.graph, local.density, local.weight, random, capped=self.capped)
        high = [local.whole()]
        if part.node is not None:
            high.append(local.before(self._before, part.members, part.node))
        if local.graph.edges and height > 1:
            communities = _apart(local.graph, encode(local.graph, levels=1, seed=self._seed))
            divider.arrangement = Arrangement.of(local.density.points, communities)
            high.append(_apart(local.graph, encode(local.graph, levels=height - 1, seed=self._seed)))
        high[0] = partition_all(divider, high[0])
        best, least = EncodingTree.from_labels(local.graph), np.inf
        for tree in high:
            low = best_selection(local.graph, tree, local.density, height, local.weight)
            low = prune(local.graph, low, local.density, height=height, weight=local.weight, gaining=True).tree
            bits = semantic_structural_entropy(local.graph, low, local.density, weight=local.weight)
            if bits < least:
                best, least = low, bits
        return best


@dataclass(frozen=True, eq=False)
class _LocalDensity(RememberedDensity):
    """The density of the vertices of a part; the set of all has the density of the part's parent."""

    in_parent: Floats = field(default_factory=lambda: np.zeros(0))

    def surprise(self, members: Ints, asked: Ints | None = None) -> Floats:
        """As `Density.surprise`."""
        if len(members) == self.vertices:
            found: Floats = self.in_parent[members if asked is None else asked]
            return found
        return super().surprise(members, asked)


@dataclass(frozen=True, eq=False)
class _Local:
    """A part as a graph of its own, in which one more vertex, the last, stands for everything outside.

    Volumes, cuts and densities are those of the whole graph, and `weight` makes the entropies proportional to it.
    """

    graph: Graph
    density: _LocalDensity
    weight: float

    @classmethod
    def of(cls, graph: Graph, density: Density, tree: EncodingTree, part: _Part, weight: float) -> _Local:
        members = part.members
        outside = len(members)
        number = np.full(graph.vertices, outside)
        number[members] = np.arange(outside)
        ends, weights = _rows(graph, members, number)
        volume = max(tree.volume[part.parent], graph.degrees[members].sum())
        left = volume - graph.degrees[members].sum() - weights[ends[:, 1] == outside].sum()
        loops = np.append(graph.loops[members], max(left, 0.0) / 2.0)
        around = np.repeat(np.arange(outside + 1), 2).reshape(-1, 2)
        local = Graph.from_edges(outside + 1, np.concatenate([ends, around]), np.append(weights, loops))
        share = (outside + 1) / graph.vertices * (graph.volume / local.volume if local.volume > 0.0 else 1.0)
        in_parent = np.zeros(outside + 1)
        if weight > 0.0:
            everyone = np.union1d(tree.members(part.parent), members)
            in_parent[:-1] = density.surprise(everyone, members)
        points = np.append(density.points[members], np.zeros((1, density.points.shape[1])), axis=0)
        around_density = _LocalDensity(points, density.bandwidth, density.exact_members, in_parent=in_parent)
        return cls(local, around_density, weight * share)

    def whole(self) -> EncodingTree:
        """All vertices of the part in one group."""
        outside = self.graph.vertices - 1
        parents = [outside + 1] * outside + [outside + 2] * 2 + [-1]
        return EncodingTree.from_parents(self.graph, parents)

    def before(self, tree: EncodingTree, members: Ints, node: int) -> EncodingTree:
        """The groups that the vertices of the part were in; one that joined it has none but the set itself."""
        inner = [node, *_inner_below(tree, node)]
        leaves = self.graph.vertices
        new = {group: leaves + place for place, group in enumerate(inner)}
        parents = [new.get(int(tree.parents[vertex]), leaves) for vertex in members.tolist()]
        parents.append(leaves + len(inner))
        parents += [new.get(int(tree.parents[group]), leaves + len(inner)) for group in inner]
        return EncodingTree.from_parents(self.graph, [*parents, -1])


def _rows(graph: Graph, members: Ints, number: Ints) -> tuple[Ints, Floats]:
    """The edges of some vertices in other numbers: shape (k, 2) and (k,); each edge between two of them once."""
    counts = graph.indptr[members + 1] - graph.indptr[members]
    entries = np.arange(counts.sum()) + np.repeat(graph.indptr[members] - (np.cumsum(counts) - counts), counts)
    ends = np.stack([np.repeat(number[members], counts), number[graph.neighbours[entries]]], axis=1)
    once = ends[:, 0] < ends[:, 1]
    return ends[once], graph.weights[entries][once]


def _apart(graph: Graph, tree: EncodingTree) -> EncodingTree:
    """The tree with the last vertex, which stands for everything outside, directly below the root."""
    parents = tree.parents.copy()
    parents[tree.leaves - 1] = tree.root
    children = np.bincount(parents[:-1], minlength=len(parents))
    node = int(tree.parents[tree.leaves - 1])
    kept = np.ones(len(parents), dtype=np.bool_)
    while children[node] == 0:
        kept[node] = False
        node = int(parents[node])
        children[node] -= 1
    number = np.append(np.cumsum(kept) - 1, -1)
    return without_pass_throughs(graph, EncodingTree.from_parents(graph, number[parents[kept]]))


def _inner(tree: EncodingTree, node: int) -> list[int]:
    children = tree.children(node)
    inner: list[int] = children[children >= tree.leaves].tolist()
    return inner


def _inner_below(tree: EncodingTree, node: int) -> list[int]:
    """The internal nodes below a node."""
    found: list[int] = []
    waiting = _inner(tree, node)
    while waiting:
        below = waiting.pop()
        found.append(below)
        waiting.extend(_inner(tree, below))
    return found
