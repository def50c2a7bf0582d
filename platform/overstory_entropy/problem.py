"""Defines the data structures of the search: nodes that can be moved, and the levels of communities above them."""

from __future__ import annotations

from math import floor, log2
from typing import NamedTuple

import numpy as np

from overstory_entropy.compile import Floats, Ids, Ints, kernel
from overstory_entropy.graph import Graph, row_sums

ROOT_SLOT = 0
FREE_LEVEL = -1
SHARE_UNITS = 2.0**50
DEKKER_SPLITTER = 2.0**19 + 1.0
"""x · DEKKER_SPLITTER − (x · DEKKER_SPLITTER − x) is x rounded to 53 − 19 binary digits (Dekker 1971)."""


class PlacementProblem(NamedTuple):
    """The nodes that must be placed in the communities of a tree, and the edges between them.

    A node is a vertex, or a set of vertices that moves as one. Let X(a) be twice the weight of the edges whose lowest
    common community is a, vol(a) the volume of a, V the volume of the graph, and H_flat the entropy of the tree without
    communities. Then

        H(T) = H_flat + 1/V · Σ_a X(a) · log2(vol(a)/V)

    This follows from the definition of H(T) by summing over edges instead of communities. An edge costs the logarithm
    of the volume of the lowest community that contains it. A move therefore changes X and vol only in the communities
    that the node leaves or joins, and in the communities above them.

    Attributes:
        indptr: Shape (n + 1,). Offset at which the row of each node starts, as in `Graph`.
        neighbours: Shape (entries,). Neighbours of each node. Within a row, they need not be sorted.
        weights: Shape (entries,). Weight of the edges to each of the `neighbours`.
        volumes: Shape (n,). Sum of the degrees of the vertices in each node.
        inside: Shape (n,). Twice the weight of the edges inside each node that are charged to the community above it.
            It is 0 for vertices, and for communities, which are themselves charged for the edges inside them.
        total: Volume of the root.
    """

    indptr: Ints
    neighbours: Ids
    weights: Floats
    volumes: Floats
    inside: Floats
    total: float


class Levels(NamedTuple):
    """The communities of a tree, which can be modified in place.

    Each node belongs to one community of the lowest level. Each community occupies a slot, which is a position in the
    arrays below. The slots of removed communities are reused. The root occupies slot 0.

    Attributes:
        home: Shape (n,). Slot of the lowest-level community of each node.
        parent: Shape (slots,). Slot of the parent.
        level: Shape (slots,). Distance from the root; −1 for a free slot.
        children: Shape (slots,). Number of communities or nodes directly below.
        volume: Shape (slots,). Volume of the community.
        own: Shape (slots,). Twice the weight of the edges whose lowest common community this is. It is not kept up to
            date for the root, where it costs nothing.
    """

    home: Ints
    parent: Ints
    level: Ints
    children: Ints
    volume: Floats
    own: Floats


def vertices_as_nodes(graph: Graph) -> PlacementProblem:
    """Return the problem whose nodes are the vertices of a graph. All its weights are integers.

    Weights are converted to multiples of V / 2^50, where V is the volume of the graph. Each is at least 1. Sums of
    integers below 2^53 are exact in float64. Rounding errors therefore do not accumulate while nodes move, and sums do
    not depend on the order of their terms.

    Before this conversion, the quotient of each weight and V is rounded to 34 binary digits. Multiplying all weights by
    a constant therefore leads to the same problem, in spite of the rounding errors of the products.
    """
    whole = graph.volume or 1.0
    weights = whole_shares(graph.weights, whole, 1.0)
    volumes = row_sums(graph.indptr, weights) + 2.0 * whole_shares(graph.loops, whole, 0.0)
    return PlacementProblem(
        graph.indptr, graph.neighbours, weights, volumes, np.zeros(graph.vertices), float(volumes.sum())
    )


@kernel
def whole_shares(weights: Floats, volume: float, least: float) -> Floats:
    """Return the weights as multiples of volume / 2^50, rounded to 34 binary digits and then to integers ≥ `least`."""
    shares = np.empty(len(weights))
    for index in range(len(weights)):
        share = weights[index] / volume
        larger = share * DEKKER_SPLITTER
        shares[index] = max(floor((larger - (larger - share)) * SHARE_UNITS + 0.5), least)
    return shares


@kernel
def logarithm(volume: float) -> float:
    """Return log2 of a volume, or 0.0 if the volume is 0.

    A community with volume 0 has no edges. The value of the logarithm therefore does not matter.
    """
    return log2(volume) if volume > 0.0 else 0.0


@kernel
def place(problem: PlacementProblem, nested: Ints) -> Levels:
    """Create the communities that nested labels describe.

    Args:
        nested: Shape (depth, n). Each row contains labels 0 … k−1 and is the partition of one level, coarsest level
            first. Each partition must refine the one before it.

    Returns:
        The communities, with so many slots that every node can be alone in its community at every level.
    """
    depth, nodes = nested.shape
    slots = 1 + depth * (nodes + 1)
    home = np.zeros(nodes, dtype=np.int64)
    parent = np.zeros(slots, dtype=np.int64)
    level = np.full(slots, FREE_LEVEL, dtype=np.int64)
    children = np.zeros(slots, dtype=np.int64)
    volume, own = np.zeros(slots), np.zeros(slots)
    level[ROOT_SLOT], volume[ROOT_SLOT] = 0, problem.total
    offset = 1
    for distance in range(1, depth + 1):
        highest = -1
        for node in range(nodes):
            slot = offset + nested[distance - 1, node]
            highest = max(highest, slot)
            if level[slot] == FREE_LEVEL:
                level[slot], parent[slot] = distance, home[node]
                children[home[node]] += 1
            volume[slot] += problem.volumes[node]
            home[node] = slot
        offset = highest + 1
    for node in range(nodes):
        children[home[node]] += 1
        own[home[node]] += problem.inside[node]
        for entry in range(problem.indptr[node], problem.indptr[node + 1]):
            one, other = home[node], home[problem.neighbours[entry]]
            while one != other:
                one, other = parent[one], parent[other]
            own[one] += problem.weights[entry]
    return Levels(home, parent, level, children, volume, own)


@kernel
def nested_labels(levels: Levels, depth: int) -> Ints:
    """Return the label of each node's community at each level, shape (depth, n), coarsest level first.

    At each level, the labels are 0 … k−1, in the order in which they first occur.
    """
    nodes = len(levels.home)
    nested = np.empty((depth, nodes), dtype=np.int64)
    numbers = np.full(len(levels.parent), -1, dtype=np.int64)
    counts = np.zeros(depth, dtype=np.int64)
    for node in range(nodes):
        slot = levels.home[node]
        for row in range(depth - 1, -1, -1):
            if numbers[slot] < 0:
                numbers[slot] = counts[row]
                counts[row] += 1
            nested[row, node] = numbers[slot]
            slot = levels.parent[slot]
    return nested


@kernel
def spent(levels: Levels, total: float) -> float:
    """Return the cost compared with that of the tree without communities, in bits × weight. It is ≤ 0.

    It is the sum of X(a) · log2(vol(a)/V) over the communities a; see `PlacementProblem`.

    Args:
        total: Volume V of the graph.
    """
    cost = 0.0
    for slot in range(1, len(levels.level)):
        if levels.level[slot] != FREE_LEVEL and levels.own[slot] > 0.0:
            cost += levels.own[slot] * log2(levels.volume[slot] / total)
    return cost


@kernel
def aggregate(problem: PlacementProblem, labels: Ints, count: int) -> PlacementProblem:
    """Merge the nodes that have the same label.

    Weights of parallel edges are added up. Twice the weight of the edges between merged nodes is added to `inside`.

    Args:
        labels: Shape (n,). Labels 0 … count−1. Each must occur at least once.
        count: Number of nodes after merging.
    """
    indptr, neighbours, weights, volumes, inside, total = problem
    starts = np.zeros(count + 1, dtype=np.int64)
    for label in labels:
        starts[label + 1] += 1
    for label in range(count):
        starts[label + 1] += starts[label]
    members = np.empty(len(labels), dtype=np.int64)
    filled = starts[:-1].copy()
    for node in range(len(labels)):
        members[filled[labels[node]]] = node
        filled[labels[node]] += 1

    merged_volumes, merged_inside = np.zeros(count), np.zeros(count)
    merged_indptr = np.zeros(count + 1, dtype=np.int64)
    merged_neighbours = np.empty(len(neighbours), dtype=np.int32)
    merged_weights = np.empty(len(neighbours))
    toward = np.zeros(count)
    end = 0
    for label in range(count):
        begin = end
        for index in range(starts[label], starts[label + 1]):
            node = members[index]
            merged_volumes[label] += volumes[node]
            merged_inside[label] += inside[node]
            for entry in range(indptr[node], indptr[node + 1]):
                other = labels[neighbours[entry]]
                if other == label:
                    merged_inside[label] += weights[entry]
                else:
                    if toward[other] == 0.0:
                        merged_neighbours[end] = other
                        end += 1
                    toward[other] += weights[entry]
        for entry in range(begin, end):
            merged_weights[entry] = toward[merged_neighbours[entry]]
            toward[merged_neighbours[entry]] = 0.0
        merged_indptr[label + 1] = end
    return PlacementProblem(
        merged_indptr, merged_neighbours[:end].copy(), merged_weights[:end].copy(), merged_volumes, merged_inside, total
    )
