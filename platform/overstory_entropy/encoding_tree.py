"""Defines the encoding tree: a hierarchy over the vertices of a graph, with the volume and the cut of each node."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from overstory_entropy.compile import Floats, Ids, Ints, kernel
from overstory_entropy.errors import GraphError
from overstory_entropy.graph import Graph


@kernel
def depths_of(parents: Ints) -> Ints:
    """Return the distance of each node from the root, shape (nodes,)."""
    depths = np.zeros(len(parents), dtype=np.int64)
    for node in range(len(parents) - 2, -1, -1):
        depths[node] = depths[parents[node]] + 1
    return depths


@kernel
def leaves_below(parents: Ints, leaves: int) -> Ints:
    """Return the number of leaves below each node, shape (nodes,). For a leaf, it is 1."""
    sizes = np.zeros(len(parents), dtype=np.int64)
    sizes[:leaves] = 1
    for node in range(len(parents) - 1):
        sizes[parents[node]] += sizes[node]
    return sizes


@kernel
def nodes_at_level(parents: Ints, depths: Ints, level: int) -> Ints:
    """Return each node's ancestor at depth `level`, or the node itself if it is not deeper. Shape (nodes,)."""
    above = np.arange(len(parents))
    for node in range(len(parents) - 1, -1, -1):
        if depths[node] > level:
            above[node] = above[parents[node]]
    return above


@kernel
def leaf_ranges(parents: Ints, sizes: Ints, leaves: int) -> tuple[Ints, Ints]:
    """Arrange the leaves in an order in which the leaves below each node are adjacent.

    Returns:
        The start of each node, shape (nodes,), and the order, shape (leaves,). The leaves below a node are
            order[start : start + size].
    """
    starts, free = np.zeros(len(parents), dtype=np.int64), np.zeros(len(parents), dtype=np.int64)
    order = np.empty(leaves, dtype=np.int64)
    for node in range(len(parents) - 2, -1, -1):
        above = parents[node]
        starts[node] = free[node] = free[above]
        free[above] += sizes[node]
        if node < leaves:
            order[starts[node]] = node
    return starts, order


@kernel
def heavy_paths(parents: Ints) -> Ints:
    """Return the topmost node of each node's heavy path, shape (nodes,).

    A heavy path continues from a node to the child with the largest subtree. The way from any node to the root
    therefore crosses at most log2(nodes) heavy paths, even in a tree with as many levels as vertices.
    """
    sizes = np.ones(len(parents), dtype=np.int64)
    heaviest = np.full(len(parents), -1, dtype=np.int64)
    for node in range(len(parents) - 1):
        above = parents[node]
        sizes[above] += sizes[node]
        if heaviest[above] < 0 or sizes[node] > sizes[heaviest[above]]:
            heaviest[above] = node
    tops = np.arange(len(parents))
    for node in range(len(parents) - 2, -1, -1):
        if heaviest[parents[node]] == node:
            tops[node] = tops[parents[node]]
    return tops


@kernel
def common_ancestor(one: int, other: int, parents: Ints, tops: Ints) -> int:
    """Return the lowest common ancestor of two nodes, in O(log nodes).

    Args:
        tops: Result of `heavy_paths`.
    """
    one, other = int(one), int(other)
    while tops[one] != tops[other]:
        # Parents have higher numbers than their children, so the ancestor is not on the path with the lower top.
        if tops[one] < tops[other]:
            one = int(parents[tops[one]])
        else:
            other = int(parents[tops[other]])
    return max(one, other)


_ROOT_HAS_NO_PARENT = -1

Array = TypeVar("Array", Ints, Floats)


class EncodingTree:
    """A rooted tree whose leaves 0 … n−1 are the vertices of a graph.

    Each parent has a higher number than its children, and the root has the highest number. Internal nodes are numbered
    from the deepest level upwards and, within a level, by their smallest vertex. Two trees with the same communities
    therefore have the same numbering.
    """

    def __init__(self, parents: Ints, leaves: int, volume: Floats, cut: Floats) -> None:
        """Create a tree without checking the arguments. `from_parents` and `from_labels` check theirs."""
        self._parents, self._leaves, self._volume, self._cut = parents, leaves, volume, cut
        self._depths = depths_of(parents)

    @classmethod
    def from_parents(cls, graph: Graph, parents: ArrayLike) -> EncodingTree:
        """Build the tree in which node i has the parent `parents[i]`. Its internal nodes are renumbered.

        Args:
            graph: Graph with n vertices, which are the leaves 0 … n−1 of the tree. Volumes and cuts are computed from
                its edges.
            parents: Shape (nodes,). The parent of each node, as an integer; −1 for the root.

        Raises:
            GraphError: The parents do not form a tree over these leaves. They have no root or several roots, a parent
                is out of range, there is a cycle, a vertex has children, or an internal node has none.
        """
        given = np.asarray(parents)
        if given.ndim != 1 or given.dtype.kind not in "iu":
            raise GraphError(
                f"parents have the shape {given.shape} and type {given.dtype}; expected one integer per node"
            )
        return cls._over(graph, _checked_parents(graph.vertices, given.astype(np.int64)))

    @classmethod
    def from_labels(cls, graph: Graph, *labels: ArrayLike) -> EncodingTree:
        """Build a tree from nested partitions. Every leaf is at depth len(labels) + 1.

        Args:
            labels: One array of shape (n,) for each partition, coarsest partition first. It contains the community of
                each vertex; the communities may be any integers. Each partition must refine the one before it.

        Raises:
            GraphError: A shape or type is wrong, or the vertices of a community are in different communities of the
                level above.
        """
        partitions = [_checked_labels(graph.vertices, level, given) for level, given in enumerate(labels, start=1)]
        for level, (coarse, fine) in enumerate(pairwise(partitions), start=2):
            _check_refines(level, coarse, fine)
        return cls._over(graph, _stacked(graph.vertices, partitions))

    @classmethod
    def _over(cls, graph: Graph, parents: Ints) -> EncodingTree:
        numbered = canonical_parents(parents, graph.vertices)
        return cls(numbered, graph.vertices, *volumes_and_cuts(graph, numbered))

    @property
    def parents(self) -> Ints:
        """Parent of each node; −1 for the root. Shape (nodes,), read-only."""
        return _read_only(self._parents)

    @property
    def depths(self) -> Ints:
        """Distance of each node from the root. Shape (nodes,), read-only."""
        return _read_only(self._depths)

    @property
    def volume(self) -> Floats:
        """Volume of each node, which is the sum of its vertices' degrees. Shape (nodes,), read-only."""
        return _read_only(self._volume)

    @property
    def cut(self) -> Floats:
        """Cut of each node, which is the total weight of the edges that leave it. Shape (nodes,), read-only."""
        return _read_only(self._cut)

    @property
    def leaves(self) -> int:
        """Number of leaves, n. The leaves 0 … n−1 are the vertices of the graph."""
        return self._leaves

    @property
    def root(self) -> int:
        """The root, which is the node with the highest number."""
        return len(self._parents) - 1

    @property
    def height(self) -> int:
        """Depth of the deepest leaf."""
        return int(self._depths[: self._leaves].max(initial=0))

    def __len__(self) -> int:
        return len(self._parents)

    def __repr__(self) -> str:
        return f"EncodingTree({self.leaves} leaves, {len(self)} nodes, height {self.height}, {self.entropy:.4f} bits)"

    @cached_property
    def sizes(self) -> Ints:
        """Number of leaves below each node; 1 for a leaf. Shape (nodes,), read-only."""
        return _read_only(leaves_below(self._parents, self._leaves))

    @cached_property
    def node_entropy(self) -> Floats:
        """Contribution of each node to the structural entropy, in bits. Shape (nodes,), read-only.

        For a node with the cut g and the volume vol, it is −g/V · log2(vol/vol(parent)), where V is the volume of the
        graph. It is 0 if g = 0.
        """
        terms = np.zeros(len(self))
        entered = np.flatnonzero(self._cut[:-1] > 0.0)
        bits = _log_ratio(self._volume[self._parents[entered]], self._volume[entered])
        terms[entered] = self._cut[entered] / self._volume[-1] * bits
        return _read_only(terms)

    @cached_property
    def entropy(self) -> float:
        """Structural entropy of the graph under this tree, in bits."""
        return float(self.node_entropy.sum())

    def children(self, node: int) -> Ints:
        """Return the children of a node, in ascending order."""
        starts, nodes = self._children
        node = self._checked(node)
        return nodes[starts[node] : starts[node + 1]]

    def ancestors(self, node: int) -> Ints:
        """Return the nodes above a node, from its parent to the root."""
        path: list[int] = []
        above = int(self._parents[self._checked(node)])
        while above != _ROOT_HAS_NO_PARENT:
            path.append(above)
            above = int(self._parents[above])
        return np.array(path, dtype=np.int64)

    def members(self, node: int) -> Ints:
        """Return the vertices below a node, in ascending order. For a leaf, return the leaf itself."""
        starts, order = self._leaf_ranges
        start = starts[self._checked(node)]
        return np.sort(order[start : start + self.sizes[node]])

    def labels(self, level: int) -> Ints:
        """Return each vertex's ancestor at depth `level`, or the leaf itself if it is not deeper. Shape (n,)."""
        return nodes_at_level(self._parents, self._depths, level)[: self._leaves]

    def _checked(self, node: int) -> int:
        if not 0 <= node < len(self):
            raise GraphError(f"the tree has nodes 0 to {self.root}, but no node {node}")
        return node

    @cached_property
    def _children(self) -> tuple[Ints, Ints]:
        below_root = self._parents[:-1]
        starts = np.zeros(len(self) + 1, dtype=np.int64)
        np.cumsum(np.bincount(below_root, minlength=len(self)), out=starts[1:])
        return starts, _read_only(np.argsort(below_root, kind="stable"))

    @cached_property
    def _leaf_ranges(self) -> tuple[Ints, Ints]:
        return leaf_ranges(self._parents, leaves_below(self._parents, self._leaves), self._leaves)


def structural_entropy(graph: Graph, tree: EncodingTree | ArrayLike) -> float:
    """Return the structural entropy of a graph under a tree, in bits.

    The entropy is H(T) = −Σ_{a ≠ root} g(a)/V · log2(vol(a)/vol(parent(a))). The sum runs over the nodes a except the
    root, g(a) is the cut of a node, vol(a) is its volume, and V is the volume of the graph. The entropy of a graph
    without edges is 0.0. It is computed from the edges and the parents, in O(edges · log n).

    Args:
        tree: Tree over the vertices of the graph, or an array of parents as in `EncodingTree.from_parents`.

    Raises:
        GraphError: The number of leaves differs from the number of vertices, or the parents do not form a tree.

    Source: Li and Pan 2016; SeRAG Eq. 1; T-Retriever Eq. 1.
    """
    parents = tree.parents if isinstance(tree, EncodingTree) else tree
    if isinstance(tree, EncodingTree) and tree.leaves != graph.vertices:
        raise GraphError(f"the tree has {tree.leaves} leaves, but the graph has {graph.vertices} vertices")
    return EncodingTree.from_parents(graph, parents).entropy


def flat_entropy(graph: Graph) -> float:
    """Return the structural entropy of a graph under the tree without communities, in bits.

    It is −Σ_v g(v)/V · log2(d_v/V) over the vertices v, where g(v) is the cut of a vertex, d_v is its degree, and V is
    the volume of the graph.
    """
    cut = graph.degrees - 2.0 * graph.loops
    entered = cut > 0.0
    if not entered.any():
        return 0.0
    return float(cut[entered] / graph.volume @ _log_ratio(np.array(graph.volume), graph.degrees[entered]))


def _log_ratio(above: Floats, volume: Floats) -> Floats:
    """Return log2(above / volume), with the correct value even if the quotient overflows float64."""
    with np.errstate(over="ignore"):
        ratio = above / volume
    return np.where(np.isfinite(ratio), np.log2(ratio), np.log2(above) - np.log2(volume))


def canonical_parents(parents: Ints, leaves: int) -> Ints:
    """Renumber the internal nodes as `EncodingTree` requires, and return the parent of each node."""
    depths = np.full(len(parents), -1, dtype=np.int64)
    smallest = np.full(len(parents), len(parents), dtype=np.int64)
    _depths_and_smallest_leaves(parents, leaves, depths, smallest)
    inner = np.arange(leaves, len(parents))
    order = np.concatenate([np.arange(leaves), inner[np.lexsort((smallest[inner], -depths[inner]))]])
    number = np.empty(len(parents), dtype=np.int64)
    number[order] = np.arange(len(parents))
    renumbered: Ints = parents[order]
    renumbered[:-1] = number[renumbered[:-1]]
    return renumbered


def volumes_and_cuts(graph: Graph, parents: Ints) -> tuple[Floats, Floats]:
    """Return the volume and the cut of every node, each of shape (nodes,).

    Parents must have higher numbers than their children.
    """
    return _volumes_and_cuts(graph.indptr, graph.neighbours, graph.weights, graph.degrees, parents)


def _read_only(array: Array) -> Array:
    view = array.view()
    view.flags.writeable = False
    return view


def _checked_labels(vertices: int, level: int, labels: ArrayLike) -> Ints:
    given = np.asarray(labels)
    if given.shape != (vertices,) or (vertices and given.dtype.kind not in "iu"):
        raise GraphError(
            f"labels of level {level} have the shape {given.shape} and type {given.dtype}; "
            f"expected ({vertices},) integers, one per vertex"
        )
    return np.unique(given, return_inverse=True)[1].astype(np.int64)


def _check_refines(level: int, coarse: Ints, fine: Ints) -> None:
    above_group = np.empty(_groups(fine), dtype=np.int64)
    above_group[fine] = coarse
    split = np.flatnonzero(above_group[fine] != coarse)
    if split.size:
        raise GraphError(
            f"vertex {split[0]} shares its group of level {level} with vertices of another group of level {level - 1}",
            remedy="Give partitions from the coarsest to the finest, each a refinement of the one before.",
        )


def _groups(partition: Ints) -> int:
    return int(partition.max(initial=-1)) + 1


def _stacked(vertices: int, partitions: Sequence[Ints]) -> Ints:
    """Return the parents of the tree of nested partitions.

    The vertices are numbered first, then the communities from the finest partition to the coarsest, and then the root.
    """
    nodes = vertices + sum(map(_groups, partitions)) + 1
    parents = np.full(nodes, _ROOT_HAS_NO_PARENT, dtype=np.int64)
    node_of_vertex, first = np.arange(vertices), vertices
    for partition in reversed(partitions):
        parents[node_of_vertex] = first + partition
        node_of_vertex = first + partition
        first += _groups(partition)
    parents[node_of_vertex] = first
    return parents


def _checked_parents(leaves: int, parents: Ints) -> Ints:
    nodes = len(parents)
    roots = np.flatnonzero(parents == _ROOT_HAS_NO_PARENT)
    if len(roots) != 1 or roots[0] < leaves:
        raise GraphError(
            f"a tree needs exactly one root, an internal node; these parents have {len(roots)} ({roots[:5].tolist()})"
        )
    outside = (parents < _ROOT_HAS_NO_PARENT) | (parents >= nodes)
    if outside.any():
        node = int(np.argmax(outside))
        raise GraphError(f"the parent of node {node} is {parents[node]}, but the tree has {nodes} nodes")
    with_children = np.zeros(nodes, dtype=np.bool_)
    with_children[parents[parents != _ROOT_HAS_NO_PARENT]] = True
    if with_children[:leaves].any():
        raise GraphError(f"vertex {int(np.argmax(with_children[:leaves]))} has children, but vertices must be leaves")
    if not with_children[leaves:].all() and nodes > leaves + 1:
        raise GraphError(f"internal node {leaves + int(np.argmin(with_children[leaves:]))} has no children")
    depths = np.full(nodes, -1, dtype=np.int64)
    if not _depths_and_smallest_leaves(parents, leaves, depths, np.full(nodes, nodes, dtype=np.int64)):
        raise GraphError("the parents form a cycle")
    return parents


@kernel
def _depths_and_smallest_leaves(parents: Ints, leaves: int, depths: Ints, smallest: Ints) -> bool:
    """Return False if the parents form a cycle."""
    path = np.empty(len(parents), dtype=np.int64)
    for node in range(len(parents)):
        length = 0
        above = node
        while above != _ROOT_HAS_NO_PARENT and depths[above] < 0:
            if length == len(parents):
                return False
            path[length] = above
            length += 1
            above = parents[above]
        depth = -1 if above == _ROOT_HAS_NO_PARENT else depths[above]
        for step in range(length - 1, -1, -1):
            depth += 1
            depths[path[step]] = depth
    for leaf in range(leaves):
        above = leaf
        while above != _ROOT_HAS_NO_PARENT and smallest[above] > leaf:
            smallest[above] = leaf
            above = parents[above]
    return True


@kernel
def _volumes_and_cuts(
    indptr: Ints, neighbours: Ids, weights: Floats, degrees: Floats, parents: Ints
) -> tuple[Floats, Floats]:
    """Return the volume and the cut of each node, each of shape (nodes,), in O(nodes + edges · log nodes).

    The cut of a node is the sum of its children's cuts minus twice the weight of the edges between the children. The
    edges that leave a node are also counted. If there are none, its cut is set to exactly 0, because rounding errors
    might leave a small remainder.
    """
    paths = heavy_paths(parents)
    volume, cut, joined = np.zeros(len(parents)), np.zeros(len(parents)), np.zeros(len(parents))
    leaving = np.zeros(len(parents), dtype=np.int64)
    for vertex in range(len(degrees)):
        volume[vertex] = degrees[vertex]
        for entry in range(indptr[vertex], indptr[vertex + 1]):
            cut[vertex] += weights[entry]
            leaving[vertex] += 1
            if neighbours[entry] > vertex:
                lowest = common_ancestor(vertex, neighbours[entry], parents, paths)
                joined[lowest] += 2.0 * weights[entry]
                leaving[lowest] -= 2
    for node in range(len(parents) - 1):
        cut[node] = max(cut[node] - joined[node], 0.0) if leaving[node] > 0 else 0.0
        volume[parents[node]] += volume[node]
        cut[parents[node]] += cut[node]
        leaving[parents[node]] += leaving[node]
    cut[len(parents) - 1] = 0.0
    return volume, cut
