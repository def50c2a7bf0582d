"""Implements PARTITION, which divides a node into groups if that lowers the semantic–structural entropy."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from overstory_entropy.compile import Floats, Ids, Ints, kernel
from overstory_entropy.encoding_tree import EncodingTree
from overstory_entropy.errors import GraphError
from overstory_entropy.graph import Graph
from overstory_entropy.semantic import bisection
from overstory_entropy.semantic.bisection import LEAST_BISECTION_GAIN, BisectionProblem
from overstory_entropy.semantic.density import Arrangement, Density, kernel_sums, spread
from overstory_entropy.semantic.formula import Spans, check_weight, density_for, vertex_surprise

_POWER_STEPS = 200
_LLOYD_STEPS = 12
_LLOYD_STARTS = 3


@kernel
def components(indptr: Ints, neighbours: Ids) -> Ints:
    """Return the connected component of each block, shape (blocks,). Components are numbered by their first block.

    Args:
        indptr: Shape (blocks + 1,). Offset at which the row of each block starts.
        neighbours: Neighbouring blocks of each block.
    """
    label = np.full(len(indptr) - 1, -1, dtype=np.int64)
    waiting = np.empty(len(label), dtype=np.int64)
    found = 0
    for block in range(len(label)):
        if label[block] >= 0:
            continue
        label[block] = found
        waiting[0] = block
        length = 1
        while length > 0:
            length -= 1
            at = waiting[length]
            for entry in range(indptr[at], indptr[at + 1]):
                if label[neighbours[entry]] < 0:
                    label[neighbours[entry]] = found
                    waiting[length] = neighbours[entry]
                    length += 1
        found += 1
    return label


@kernel
def fiedler(indptr: Ints, neighbours: Ids, weights: Floats, inside: Floats, start: Floats) -> Floats:
    """Return an approximation of the second eigenvector of the random walk on the blocks, shape (blocks,).

    It is computed by power iteration on the lazy random walk. The first eigenvector is removed at each step. The result
    orders the blocks like the Fiedler vector of the normalised Laplacian. A block without edges has the value 0.

    Args:
        indptr: Shape (blocks + 1,). Offset at which the row of each block starts.
        neighbours: Neighbouring blocks of each block.
        weights: Weight of the edge to each of the `neighbours`.
        inside: Shape (blocks,). Twice the weight of the edges inside each block.
        start: Shape (blocks,). Vector with which the iteration starts.
    """
    degree = inside.copy()
    for block in range(len(degree)):
        for entry in range(indptr[block], indptr[block + 1]):
            degree[block] += weights[entry]
    root = np.sqrt(degree)
    inverse = np.zeros(len(root))
    for block in range(len(root)):
        if root[block] > 0.0:
            inverse[block] = 1.0 / root[block]
    total = degree.sum()
    vector = start.copy()
    for _ in range(_POWER_STEPS):
        vector -= root * ((root * vector).sum() / total)
        length = np.sqrt((vector * vector).sum())
        if length == 0.0:
            break
        vector /= length
        walked = vector.copy()
        for block in range(len(vector)):
            flow = inside[block] * inverse[block] * vector[block]
            for entry in range(indptr[block], indptr[block + 1]):
                flow += weights[entry] * inverse[neighbours[entry]] * vector[neighbours[entry]]
            walked[block] += inverse[block] * flow
        vector = walked
    return vector * inverse


def two_means(points: Floats, mass: Floats, rng: np.random.Generator) -> Ints:
    """Divide points into two clusters by 2-means, and return the cluster of each point, 0 or 1.

    The best result of several random starts is returned. If all points are equal, they are all in cluster 0.

    Args:
        mass: Weight of each point.
    """
    return _best_of_starts(points, mass, rng.random((_LLOYD_STARTS, 2)))


@kernel
def _best_of_starts(points: Floats, mass: Floats, drawn: Floats) -> Ints:
    best, least = np.zeros(len(points), dtype=np.int64), np.inf
    for start in range(len(drawn)):
        side = np.zeros(len(points), dtype=np.int64)
        squares = _lloyd(points, mass, _two_seeds(points, drawn[start]), side)
        if squares < least:
            best, least = side, squares
    return best


@kernel
def _two_seeds(points: Floats, drawn: Floats) -> Floats:
    """Choose two points as initial means, as in k-means++. Return their coordinates.

    The first point is chosen at random. The probability of choosing a second point is proportional to its squared
    distance from the first.
    """
    first = min(int(drawn[0] * len(points)), len(points) - 1)
    reach = np.zeros(len(points))
    total = 0.0
    for at in range(len(points)):
        total += _squared(points[at], points[first])
        reach[at] = total
    second = first
    if total > 0.0:
        second = min(int(np.searchsorted(reach, drawn[1] * total, side="right")), len(points) - 1)
    means = np.empty((2, points.shape[1]))
    means[0], means[1] = points[first], points[second]
    return means


@kernel
def _lloyd(points: Floats, mass: Floats, means: Floats, side: Ints) -> float:
    """Improve both means by Lloyd's algorithm, and write the nearer mean of each point to `side`.

    Returns:
        The weighted sum of the squared distances from the points to their nearer means.
    """
    squares = 0.0
    weight = np.zeros(2)
    for _ in range(_LLOYD_STEPS):
        squares, changed = 0.0, False
        weight[:] = 0.0
        for at in range(len(points)):
            apart, other = _squared(points[at], means[0]), _squared(points[at], means[1])
            nearer = 1 if other < apart else 0
            squares += mass[at] * min(apart, other)
            changed = changed or nearer != side[at]
            side[at] = nearer
            weight[nearer] += mass[at]
        if not changed or weight[0] == 0.0 or weight[1] == 0.0:
            break
        means[:] = 0.0
        for at in range(len(points)):
            for axis in range(points.shape[1]):
                means[side[at], axis] += points[at, axis] * mass[at] / weight[side[at]]
    return squares


@kernel
def _squared(one: Floats, other: Floats) -> float:
    squared = 0.0
    for axis in range(len(one)):
        apart = one[axis] - other[axis]
        squared += apart * apart
    return squared


MOST_KERNEL_ENTRIES = 4096 * 4096
"""Maximum number of entries in a kernel matrix, which then takes 128 MiB.

A set of more than 4,096 vertices is divided by moving blocks of vertices.
"""

_DEEPEST_DIVIDED_LEVEL = 64
"""Nodes at this depth are not divided further. If every node is cut in half, 64 levels are enough for any graph."""


@dataclass(frozen=True)
class PartitionStep:
    """The result of an operation: the new tree, and the change in semantic–structural entropy in bits."""

    tree: EncodingTree
    change: float


@dataclass
class Capped:
    """Counts how often a search for a tree took shortcuts.

    Attributes:
        in_blocks: Number of nodes that were divided by moving blocks of vertices, because they were too large for a
            kernel matrix.
        too_deep: Number of nodes that were not divided because they were too deep in the tree.
    """

    in_blocks: int = 0
    too_deep: int = 0


@dataclass
class Divider:
    """Divides the nodes of trees over one graph.

    Attributes:
        graph: Graph with the edges that count.
        weight: Weight λ of the texts; see `semantic_structural_entropy`.
        arrangement: Order in which large sets are cut into blocks. By default, similar texts are close to each other.
    """

    graph: Graph
    density: Density
    weight: float
    rng: np.random.Generator
    arrangement: Arrangement | None = None
    kernel_entries: int = MOST_KERNEL_ENTRIES
    capped: Capped = field(default_factory=Capped)

    def __post_init__(self) -> None:
        self._local = np.full(self.graph.vertices, -1, dtype=np.int64)

    def divide(self, members: Ints, base: Floats, groups: int) -> tuple[list[Ints], list[Floats], float]:
        """Search for the best division of a node into groups of at least two vertices.

        Args:
            members: Shape (m,). Vertices of the node.
            base: Shape (m,). Mean surprise of each vertex in its current groups.
            groups: Number of groups that contain the vertices. The node counts if it is a group, but the root does not.

        Returns:
            The groups, the surprise of the vertices in each group, and the change in entropy in bits. If no division
                lowers the entropy, there are no groups, and the change is 0.0. Vertices in no group remain children of
                the node.
        """
        problem, ordered, spent = self._problem(members, base, groups)
        labels = self._best_labels(problem, ordered)
        vertex_labels = np.repeat(labels, problem.sizes)
        found = [np.flatnonzero(vertex_labels == label) for label in range(int(labels.max()) + 1)]
        found = [group for group in found if 1 < len(group) < len(ordered)]
        surprise = [self._surprise(ordered[group]) for group in found]
        change = sum(
            self._gain(problem, ordered[group], bits, spent[group]) for group, bits in zip(found, surprise, strict=True)
        )
        if change > -LEAST_BISECTION_GAIN:
            return [], [], 0.0
        return [ordered[group] for group in found], surprise, change

    def _problem(self, members: Ints, base: Floats, groups: int) -> tuple[BisectionProblem, Ints, Floats]:
        ordered, first, spent, asked = members, np.arange(len(members) + 1), base, len(members)
        most = math.isqrt(self.kernel_entries)
        if self.weight > 0.0 and most < len(members):
            ordered, first = self._arranged().blocks(members, max(2, most // 2))
            by_vertex = np.argsort(members)
            spent = base[by_vertex[np.searchsorted(members[by_vertex], ordered)]]
            asked = most
            self.capped.in_blocks += 1
        rate = self.weight / (self.graph.vertices * (groups + 1))
        return _problem(self.graph, self.density, ordered, first, asked, spent, rate, self._local), ordered, spent

    def _arranged(self) -> Arrangement:
        if self.arrangement is None:
            self.arrangement = Arrangement.of(self.density.points, None)
        return self.arrangement

    def _best_labels(self, problem: BisectionProblem, ordered: Ints) -> Ints:
        candidates: list[tuple[Ints, float]] = []
        component = components(problem.indptr, problem.neighbours)
        if component.any():
            gathered = _gathered(component, problem.sizes)
            candidates.append((gathered, bisection.score_of_groups(problem, gathered)))
        if len(problem.neighbours):
            start = self.rng.standard_normal(len(component))
            values = fiedler(problem.indptr, problem.neighbours, problem.weights, problem.inside, start)
            swept = bisection.best_sweep(problem, np.argsort(values, kind="stable"))
            candidates.append(bisection.improved(problem, swept))
        if problem.rate > 0.0:
            starts = np.cumsum(problem.sizes) - problem.sizes
            centres = np.add.reduceat(self.density.points[ordered], starts) / problem.sizes[:, None]
            nearer = two_means(centres, problem.sizes.astype(np.float64), self.rng)
            if nearer.any():
                candidates.append(bisection.improved(problem, nearer))
        whole = (np.zeros_like(component), 0.0)
        return min(candidates, key=lambda candidate: candidate[1], default=whole)[0]

    def _surprise(self, members: Ints) -> Floats:
        return self.density.surprise(members) if self.weight > 0.0 else np.zeros(len(members))

    def _gain(self, problem: BisectionProblem, group: Ints, surprise: Floats, base: Floats) -> float:
        bits = problem.rate * float((surprise - base).sum())
        inside = _inside(self.graph, group, self._local)
        if inside > 0.0:
            bits -= inside / problem.total * float(np.log2(problem.whole / self.graph.degrees[group].sum()))
        return bits


def partition(
    graph: Graph,
    tree: EncodingTree,
    vectors: Density | ArrayLike,
    node: int,
    *,
    weight: float = 1.0,
    seed: int = 0,
    kernel_entries: int = MOST_KERNEL_ENTRIES,
) -> PartitionStep:
    """Divide a node whose children are leaves into groups, if that lowers the semantic–structural entropy.

    Three divisions are tried: into the connected components of the node, by a Fiedler sweep of its edges, and by
    2-means of its texts. The last two are improved by moving single vertices as long as this lowers the entropy. A
    vertex that would be alone in its group remains a child of the node.

    Args:
        vectors: Shape (n, d). Vectors of the texts, or a `Density` made from them.
        node: Internal node whose children are all leaves.
        weight: Weight λ of the texts, ≥ 0.
        seed: Random seed for the Fiedler sweep and 2-means.
        kernel_entries: Maximum number of entries in a kernel matrix. A node that would need a larger matrix is divided
            by moving blocks of vertices.

    Returns:
        The new tree, and the change in entropy in bits, which is ≤ 0. If no division lowers the entropy, return the
            same tree and 0.0.

    Raises:
        GraphError: The arguments do not fit together, or the node cannot be divided.

    Source: T-Retriever Def. 1 and Eq. 7.
    """
    check_weight(weight)
    density = density_for(graph, vectors)
    if not tree.leaves <= node < len(tree) or (tree.children(node) >= tree.leaves).any():
        raise GraphError(f"node {node} cannot be divided: it has internal children or no vertices of its own")
    spans = Spans.of(tree)
    members = spans.members(node)
    if len(members) < 3:
        return PartitionStep(tree, 0.0)
    base, groups = np.zeros(len(members)), 0
    if weight > 0.0:
        _, counts, mean = vertex_surprise(tree, density)
        base, groups = mean[spans.slice(node)], int(counts[spans.start[node]])
    divider = Divider(graph, density, weight, np.random.default_rng(seed), kernel_entries=kernel_entries)
    found, _, change = divider.divide(members, base, groups)
    if not found:
        return PartitionStep(tree, 0.0)
    parents = np.append(tree.parents, np.full(len(found), node))
    for new, group in enumerate(found):
        parents[group] = len(tree) + new
    return PartitionStep(EncodingTree.from_parents(graph, parents), change)


def partition_all(divider: Divider, tree: EncodingTree | None = None) -> EncodingTree:
    """Apply PARTITION until no division of any node lowers the entropy. The resulting tree may have any height.

    Args:
        tree: Initial tree. Its nodes whose children are all leaves are divided. By default, the root is divided.
    """
    graph = divider.graph
    start = EncodingTree.from_labels(graph) if tree is None else tree
    parents: list[int] = start.parents.tolist()
    waiting = _undivided(divider, start)
    while waiting:
        node = waiting.pop()
        if node.depth == _DEEPEST_DIVIDED_LEVEL:
            divider.capped.too_deep += 1
            continue
        found, surprise, _ = divider.divide(node.members, node.base, node.groups)
        position = np.argsort(node.members)
        for group, bits in zip(found, surprise, strict=True):
            for vertex in group.tolist():
                parents[vertex] = len(parents)
            parents.append(node.number)
            if len(group) < 3:
                continue
            spent = node.base[position[np.searchsorted(node.members[position], group)]]
            base = (spent * node.groups + bits) / (node.groups + 1)
            waiting.append(_Undivided(len(parents) - 1, group, base, node.groups + 1, node.depth + 1))
    return EncodingTree.from_parents(graph, np.array(parents))


@dataclass(frozen=True, eq=False)
class _Undivided:
    """A node that has not been divided yet.

    Attributes:
        base: Mean surprise of each vertex in its current groups.
        groups: Number of groups that contain the vertices. The node counts if it is a group, but the root does not.
    """

    number: int
    members: Ints
    base: Floats
    groups: int
    depth: int


def _undivided(divider: Divider, tree: EncodingTree) -> list[_Undivided]:
    spans = Spans.of(tree)
    groups, mean = np.zeros(tree.leaves, dtype=np.int64), np.zeros(tree.leaves)
    if divider.weight > 0.0:
        _, groups, mean = vertex_surprise(tree, divider.density)
    found: list[_Undivided] = []
    for node in np.flatnonzero(tree.sizes > 2).tolist():
        span = spans.slice(node)
        if (tree.children(node) < tree.leaves).all():
            counted = int(groups[span.start])
            found.append(_Undivided(node, spans.order[span], mean[span], counted, int(tree.depths[node])))
    return found


def _gathered(component: Ints, sizes: Ints) -> Ints:
    """Merge all components that consist of one vertex, because they may be divided later by their texts."""
    alone = np.bincount(component, weights=sizes) < 2
    number = np.cumsum(~alone) - 1
    number[alone] = (~alone).sum()
    return number[component]


def _problem(
    graph: Graph, density: Density, ordered: Ints, first: Ints, asked: int, base: Floats, rate: float, local: Ints
) -> BisectionProblem:
    sizes = np.diff(first)
    indptr, neighbours, weights, inside = _between_blocks(
        graph.indptr, graph.neighbours, graph.weights, ordered, first, np.repeat(np.arange(len(sizes)), sizes), local
    )
    volume = np.add.reduceat(graph.degrees[ordered], first[:-1])
    whole = float(graph.degrees[ordered].sum())
    chosen = spread(len(ordered), asked)
    places = np.searchsorted(chosen, first)
    scale = len(ordered) / len(chosen)
    sums, spent = np.zeros((0, 0)), np.zeros(len(sizes))
    if rate > 0.0:
        sums = _sampled_sums(density.points, ordered, first, chosen, places)
        of_block = np.repeat(np.arange(len(sizes)), np.diff(places))
        spent = np.bincount(of_block, base[chosen], len(sizes)).astype(np.float64)
    return BisectionProblem(
        sums, places, sizes, scale, indptr, neighbours, weights, inside, volume, spent, graph.volume, whole, rate
    )


def _sampled_sums(points: Floats, ordered: Ints, first: Ints, chosen: Ints, places: Ints) -> Floats:
    """Return the sum of the kernels between each of m sampled vertices and each block, shape (blocks, m).

    For the vertex's own block, the sum is exact. For each other block, it is estimated from the sampled vertices.
    """
    asked = ordered[chosen]
    sums = kernel_sums(points, asked, asked, places)
    if len(chosen) == len(ordered):
        return sums
    sums *= len(ordered) / len(chosen)
    for block in np.flatnonzero(np.diff(places)).tolist():
        own, members = asked[places[block] : places[block + 1]], ordered[first[block] : first[block + 1]]
        sums[block, places[block] : places[block + 1]] = kernel_sums(points, own, members, np.array([0, len(members)]))[
            0
        ]
    return sums


@kernel
def _between_blocks(
    indptr: Ints, neighbours: Ids, weights: Floats, ordered: Ints, first: Ints, block_of: Ints, local: Ints
) -> tuple[Ints, Ids, Floats, Floats]:
    """Return the edges between blocks of vertices, and twice the weight of the edges inside each block.

    The edges are returned as offsets, neighbours and weights of rows. Parallel edges are not merged.

    Args:
        ordered: Vertices of all blocks, block by block.
        first: Start of each block in `ordered`, followed by the end of the last block.
        block_of: Block of each of the vertices in `ordered`.
        local: Working memory, shape (n,). It must contain −1 for every vertex, and does so again afterwards.
    """
    entries = 0
    for at in range(len(ordered)):
        local[ordered[at]] = block_of[at]
        entries += indptr[ordered[at] + 1] - indptr[ordered[at]]
    starts = np.zeros(len(first), dtype=np.int64)
    inside = np.zeros(len(first) - 1)
    ends = np.empty(entries, dtype=np.int32)
    mass = np.empty(entries)
    filled = 0
    for at in range(len(ordered)):
        for entry in range(indptr[ordered[at]], indptr[ordered[at] + 1]):
            other = local[neighbours[entry]]
            if other == block_of[at]:
                inside[other] += weights[entry]
            elif other >= 0:
                ends[filled] = other
                mass[filled] = weights[entry]
                filled += 1
        starts[block_of[at] + 1] = filled
    for vertex in ordered:
        local[vertex] = -1
    return starts, ends[:filled], mass[:filled], inside


def _inside(graph: Graph, group: Ints, local: Ints) -> float:
    first, block_of = np.array([0, len(group)]), np.zeros(len(group), dtype=np.int64)
    return float(_between_blocks(graph.indptr, graph.neighbours, graph.weights, group, first, block_of, local)[3][0])
