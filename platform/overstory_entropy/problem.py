"""Data structures of the local search: nodes with volumes and inner weight, and levels of communities above them."""

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
    """n nodes to be placed under the communities of a tree. A node is a vertex, or a set of vertices that moves as one.

    Let X(a) be twice the weight of the edges whose lowest common community is a. Then

        H(T) = H_flat + 1/V · Σ_a X(a) · log2(vol(a)/V)

    An edge costs the logarithm of the volume of the lowest community that contains it, so a move changes X and vol only
    in the communities left and joined and in those above them. The equation follows from the definition of H(T) by
    summing over edges instead of communities.

    Attributes:
        indptr: Shape (n + 1,), rows as in `Graph`, not necessarily ascending.
        neighbours: Shape (e,), neighbouring nodes.
        weights: Shape (e,), edge weights.
        volumes: Shape (n,), sum of the degrees of the vertices in each node.
        inside: Shape (n,), twice the weight inside each node that is charged to the community above it: 0 for vertices,
            and for communities that are charged for their own inner weight.
        total: Volume of the root.
    """

    indptr: Ints
    neighbours: Ids
    weights: Floats
    volumes: Floats
    inside: Floats
    total: float


class Levels(NamedTuple):
    """Communities in `depth` levels below the root, changed in place.

    Each node belongs to one community of the lowest level. Communities occupy slots, which are freed and reused. Slot 0
    is the root.

    Attributes:
        home: Shape (n,), slot of the lowest community of each node.
        parent: Shape (slots,), slot of the parent.
        level: Shape (slots,), distance from the root; −1 for a free slot.
        children: Shape (slots,), number of communities or nodes directly below.
        volume: Shape (slots,), vol.
        own: Shape (slots,), X; not maintained for the root, where it costs nothing.
    """

    home: Ints
    parent: Ints
    level: Ints
    children: Ints
    volume: Floats
    own: Floats


def vertices_as_nodes(graph: Graph) -> PlacementProblem:
    """Return the problem whose nodes are the vertices, with integer weights.

    Weights are counted in units of V / 2^50, each at least one unit. Sums of integers below 2^53 are exact in float64,
    so nothing drifts while nodes move, and sums do not depend on their order. Before that, each weight's share of V is
    rounded to 34 binary digits. This removes the rounding error of a common factor, so that multiplying all weights by
    a constant gives the same problem.
    """
    whole = graph.volume or 1.0
    weights = whole_shares(graph.weights, whole, 1.0)
    volumes = row_sums(graph.indptr, weights) + 2.0 * whole_shares(graph.loops, whole, 0.0)
    return PlacementProblem(
        graph.indptr, graph.neighbours, weights, volumes, np.zeros(graph.vertices), float(volumes.sum())
    )


@kernel
def whole_shares(weights: Floats, volume: float, least: float) -> Floats:
    """Return weights in units of volume / 2^50, rounded to 34 binary digits, then to integers ≥ `least`."""
    shares = np.empty(len(weights))
    for index in range(len(weights)):
        share = weights[index] / volume
        larger = share * DEKKER_SPLITTER
        shares[index] = max(floor((larger - (larger - share)) * SHARE_UNITS + 0.5), least)
    return shares


@kernel
def logarithm(volume: float) -> float:
    """Return log2, or 0.0 for 0: a community of isolated vertices has volume 0 and no edges to weight the logarithm."""
    return log2(volume) if volume > 0.0 else 0.0


@kernel
def place(problem: PlacementProblem, nested: Ints) -> Levels:
    """Create the communities of nested labels.

    Args:
        nested: Shape (depth, n), labels 0 … k−1 in each row: one partition per level, coarsest first, each refining the
            one above.

    Returns:
        Levels with enough slots for every node to be alone at every level.
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
    """Return the label of each node's community at every level, (depth, n), numbered by first appearance."""
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
    """Return Σ_a X(a) · log2(vol(a)/V) ≤ 0 over the communities, the difference to the flat tree (bits × weight)."""
    cost = 0.0
    for slot in range(1, len(levels.level)):
        if levels.level[slot] != FREE_LEVEL and levels.own[slot] > 0.0:
            cost += levels.own[slot] * log2(levels.volume[slot] / total)
    return cost


@kernel
def aggregate(problem: PlacementProblem, labels: Ints, count: int) -> PlacementProblem:
    """Merge the nodes with equal labels. Weights add up, and weight between merged nodes becomes `inside`.

    Args:
        labels: Shape (n,), 0 … count−1, each at least once.
        count: Number of nodes of the result.
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
