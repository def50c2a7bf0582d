"""Improves a tree by moving nodes, sets of nodes and communities until no move lowers the entropy."""

from __future__ import annotations

import numpy as np

from overstory_entropy.compile import Flags, Floats, Ints, kernel
from overstory_entropy.problem import (
    FREE_LEVEL,
    ROOT_SLOT,
    Levels,
    PlacementProblem,
    aggregate,
    logarithm,
    nested_labels,
    place,
)

_VISITS_A_NODE = 4
"""Maximum number of visits per node in one call. The few remaining moves are faster in a later round of sets."""

WORTHWHILE_GAIN = 1e-11
"""Minimum gain of a move in bits × weight, per unit of the node's volume. It prevents endless moves due to rounding."""


@kernel
def relocate(problem: PlacementProblem, levels: Levels, depth: int, waiting: Ints) -> float:
    """Visit nodes and move each to the place that saves most. Return the total gain in bits × weight.

    A node may move to a lowest-level community that contains one of its neighbours. It may also move to a new community
    below the root, or below any community that contains a neighbour. After a move, its neighbours in other communities
    are visited again. The time is proportional to the number of edges of the visited nodes.

    Args:
        levels: Communities above the nodes, in `depth` levels. They are changed in place.
        depth: Number of levels, ≥ 1.
        waiting: Distinct nodes to visit first, in this order.
    """
    # The four steps are deliberately in one kernel. Separate kernels were 15 % slower at 20 edges per vertex.
    indptr, neighbours, weights, volumes, inside, _ = problem
    home, parent, level, _, volume, own = levels
    nodes, slots = len(home), len(parent)
    free, free_count = _free_slots(level)
    queue, queued = np.empty(nodes, dtype=np.int64), np.zeros(nodes, dtype=np.bool_)
    for index in range(len(waiting)):  # a slice assignment would take 2 s longer to compile
        queue[index] = waiting[index]
        queued[waiting[index]] = True
    first, queue_length = 0, len(waiting)
    # Each of these three arrays has one value per community: log2 of its volume without the visited node, log2 of its
    # volume with the node, and the cost of placing the node directly below it. The cost is that of the node's edges and
    # of the communities that the node would enlarge, in bits × weight.
    log_volume = _logarithms(volume)
    log_joined, cost = log_volume.copy(), np.zeros(slots)
    # `toward` is the weight of the edges from the node into each community. `touched` lists the communities for which
    # it is positive, lowest level first; those of level l are touched[ends[l + 1] : ends[l]]. `path` lists the
    # communities that contain the node.
    toward = np.zeros(slots)
    touched = np.empty(slots, dtype=np.int64)
    ends = np.zeros(depth + 2, dtype=np.int64)
    path = np.zeros(depth + 1, dtype=np.int64)
    visits, gained = 0, 0.0
    while queue_length > 0 and visits < _VISITS_A_NODE * nodes:
        visits += 1
        node = int(queue[first])
        first = first + 1 if first + 1 < nodes else 0
        queue_length -= 1
        queued[node] = False
        mass = float(volumes[node])

        # For each community that contains a neighbour, sum the weight of the edges from the node into it.
        count = 0
        for entry in range(indptr[node], indptr[node + 1]):
            slot = home[neighbours[entry]]
            if toward[slot] == 0.0:
                touched[count] = slot
                count += 1
            toward[slot] += weights[entry]
        ends[depth] = count
        for distance in range(depth, 1, -1):
            for index in range(ends[distance + 1], ends[distance]):
                above = parent[touched[index]]
                if toward[above] == 0.0:
                    touched[count] = above
                    count += 1
                toward[above] += toward[touched[index]]
            ends[distance - 1] = count
        strength = 0.0
        for index in range(ends[2], ends[1]):
            strength += toward[touched[index]]

        # Remove the node from the communities that contain it.
        slot, paid_below = int(home[node]), -0.5 * inside[node]
        for distance in range(depth, 0, -1):
            path[distance] = slot
            volume[slot] -= mass
            own[slot] -= 2.0 * (toward[slot] - paid_below)
            log_volume[slot] = logarithm(float(volume[slot]))
            paid_below = toward[slot]
            slot = int(parent[slot])

        # Find the cheapest place for the node.
        cost[ROOT_SLOT] = 2.0 * strength * log_volume[ROOT_SLOT]
        for distance in range(1, depth + 1):
            _price(int(path[distance]), mass, parent, volume, own, log_volume, toward, log_joined, cost)
        staying = cost[path[depth]] + inside[node] * log_joined[path[depth]]
        least, place = staying - WORTHWHILE_GAIN * mass, int(path[depth])
        log_mass = logarithm(mass)
        apart = inside[node] * log_mass
        if cost[ROOT_SLOT] + apart < least:
            least, place = cost[ROOT_SLOT] + apart, ROOT_SLOT
        for distance in range(1, depth + 1):
            for index in range(ends[distance + 1], ends[distance]):
                slot = int(touched[index])
                if slot == path[depth]:
                    continue
                if distance == depth:
                    above = parent[slot]
                    bound = cost[above] - 2.0 * toward[slot] * (log_joined[above] - log_volume[slot])
                    if bound + inside[node] * log_volume[slot] >= least:
                        continue
                _price(slot, mass, parent, volume, own, log_volume, toward, log_joined, cost)
                here = cost[slot] + (inside[node] * log_joined[slot] if distance == depth else apart)
                if here < least:
                    least, place = here, slot

        # Put the node in the cheapest place, or back where it was.
        moves = place != path[depth]
        if moves:
            gained += float(staying - least)
            free_count = _leave(levels, path, free, free_count)
            place, free_count = _opened(levels, depth, place, log_mass, log_joined, free, free_count)
            home[node] = place
        slot, paid_below = place, -0.5 * inside[node]
        while slot != ROOT_SLOT:
            volume[slot] += mass
            own[slot] += 2.0 * (toward[slot] - paid_below)
            log_volume[slot] = log_joined[slot]
            paid_below = toward[slot]
            slot = int(parent[slot])
        for index in range(count):
            toward[touched[index]] = 0.0
        if moves:
            queue_length = _queue_neighbours(problem, home, node, queue, queued, first, queue_length)
    return gained


@kernel
def _free_slots(level: Ints) -> tuple[Ints, int]:
    free = np.empty(len(level), dtype=np.int64)
    count = 0
    for slot in range(len(level) - 1, -1, -1):
        if level[slot] == FREE_LEVEL:
            free[count] = slot
            count += 1
    return free, count


@kernel
def _logarithms(volumes: Floats) -> Floats:
    logarithms = np.empty(len(volumes))
    for index in range(len(volumes)):
        logarithms[index] = logarithm(float(volumes[index]))
    return logarithms


@kernel
def _price(
    slot: int,
    mass: float,
    parent: Ints,
    volume: Floats,
    own: Floats,
    log_volume: Floats,
    toward: Floats,
    log_joined: Floats,
    cost: Floats,
) -> None:
    """Compute the cost of the node if it is placed below a community, given its cost below the community's parent.

    Let vol' be the volume of a community including the node. The edges from the node into the community are now charged
    log2 vol' of the community instead of log2 vol' of its parent. The edges whose lowest common community is this one
    are now charged log2 vol' instead of log2 vol.
    """
    above = parent[slot]
    log_joined[slot] = logarithm(float(volume[slot]) + mass)
    cost[slot] = (
        cost[above]
        - 2.0 * toward[slot] * (log_joined[above] - log_joined[slot])
        + own[slot] * (log_joined[slot] - log_volume[slot])
    )


@kernel
def _leave(levels: Levels, path: Ints, free: Ints, free_count: int) -> int:
    distance = len(path) - 1
    levels.children[path[distance]] -= 1
    while levels.children[path[distance]] == 0:
        levels.level[path[distance]] = FREE_LEVEL
        free[free_count] = path[distance]
        free_count += 1
        distance -= 1
        levels.children[path[distance]] -= 1
    return free_count


@kernel
def _opened(
    levels: Levels, depth: int, place: int, log_mass: float, log_joined: Floats, free: Ints, free_count: int
) -> tuple[int, int]:
    """Add a node below a community, and create the communities of lower levels that it needs.

    Returns:
        The slot of the lowest community that contains the node, and the number of slots that are still free.
    """
    while levels.level[place] < depth:
        free_count -= 1
        slot = int(free[free_count])
        levels.parent[slot], levels.level[slot], levels.children[slot] = place, levels.level[place] + 1, 0
        levels.volume[slot], levels.own[slot], log_joined[slot] = 0.0, 0.0, log_mass
        levels.children[place] += 1
        place = slot
    levels.children[place] += 1
    return place, free_count


@kernel
def _queue_neighbours(
    problem: PlacementProblem, home: Ints, node: int, queue: Ints, queued: Flags, first: int, queue_length: int
) -> int:
    for entry in range(problem.indptr[node], problem.indptr[node + 1]):
        other = problem.neighbours[entry]
        if not queued[other] and home[other] != home[node]:
            queued[other] = True
            last = first + queue_length
            queue[last if last < len(queue) else last - len(queue)] = other
            queue_length += 1
    return queue_length


@kernel
def refine(problem: PlacementProblem, levels: Levels, order: Ints) -> tuple[Ints, int]:
    """Split every lowest-level community into sets of nodes that grow from single nodes, in O(edges).

    Each node that is still alone joins the set in its community that gains most, as if sets were communities. This can
    split a community in ways that moves of single nodes never find. It is the refinement step of the Leiden algorithm
    (Traag, Waltman and van Eck 2019), with structural entropy instead of modularity.

    Args:
        order: Shape (n,). Order in which the nodes are visited.

    Returns:
        The set of each node as a label 0 … k−1, shape (n,), and the number of sets k.
    """
    indptr, neighbours, weights, volumes, inside, _ = problem
    home, parent = levels.home, levels.parent
    nodes = len(home)
    group = np.arange(nodes)
    size = np.ones(nodes, dtype=np.int64)
    volume, own = volumes.copy(), inside.copy()
    log_volume = np.zeros(nodes)
    for node in range(nodes):
        log_volume[node] = logarithm(float(volumes[node]))
    toward = np.zeros(nodes)
    touched = np.empty(nodes, dtype=np.int64)
    for node in order:
        if size[node] != 1 or indptr[node] == indptr[node + 1]:
            continue
        count = 0
        for entry in range(indptr[node], indptr[node + 1]):
            if home[neighbours[entry]] == home[node]:
                candidate = group[neighbours[entry]]
                if toward[candidate] == 0.0:
                    touched[count] = candidate
                    count += 1
                toward[candidate] += weights[entry]
        most, chosen = WORTHWHILE_GAIN * volumes[node], node
        log_above = logarithm(float(levels.volume[parent[home[node]]]))
        for index in range(count):
            candidate = touched[index]
            if 2.0 * toward[candidate] * (log_above - log_volume[candidate]) <= most:
                continue
            log_joined = logarithm(float(volume[candidate] + volumes[node]))
            gain = 2.0 * toward[candidate] * (log_above - log_joined)
            gain -= own[candidate] * (log_joined - log_volume[candidate])
            gain -= inside[node] * (log_joined - log_volume[node])
            if gain > most:
                most, chosen = gain, candidate
        if chosen != node:
            group[node] = chosen
            size[node] = 0
            size[chosen] += 1
            volume[chosen] += volumes[node]
            own[chosen] += inside[node] + 2.0 * toward[chosen]
            log_volume[chosen] = logarithm(float(volume[chosen]))
        for index in range(count):
            toward[touched[index]] = 0.0
    return numbered(group)


@kernel
def numbered(labels: Ints) -> tuple[Ints, int]:
    """Renumber labels as 0 … k−1, in the order in which they first occur. Return the new labels and k.

    Args:
        labels: At least one label. All labels must be ≥ 0.
    """
    numbers = np.full(labels.max() + 1, -1, dtype=np.int64)
    renumbered = np.empty(len(labels), dtype=np.int64)
    count = 0
    for index in range(len(labels)):
        if numbers[labels[index]] < 0:
            numbers[labels[index]] = count
            count += 1
        renumbered[index] = numbers[labels[index]]
    return renumbered, count


CONVERGED_BITS = 1e-5  # the search ends after a round that gains less than this
_MOST_IMPROVING_ROUNDS = 12


def improve(
    problem: PlacementProblem,
    levels: Levels,
    depth: int,
    random: np.random.Generator,
    rounds: int = _MOST_IMPROVING_ROUNDS,
) -> float:
    """Move nodes, sets and communities until a round gains less than `CONVERGED_BITS`. Return the total gain in bits.

    Args:
        levels: Initial communities, which are changed in place.
        depth: Number of levels, ≥ 1.
    """
    gained = 0.0
    for _ in range(rounds):
        gain = _move_nodes_and_sets(problem, levels, depth, random)
        if depth > 1:
            gain += _move_communities(problem, levels, depth, random)
        gained += gain
        if gain < CONVERGED_BITS:
            break
    return gained


def _move_nodes_and_sets(problem: PlacementProblem, levels: Levels, depth: int, random: np.random.Generator) -> float:
    """Return the gain in bits."""
    nodes = len(levels.home)
    gain = relocate(problem, levels, depth, random.permutation(nodes)) / problem.total
    sets, count = refine(problem, levels, random.permutation(nodes))
    if count == nodes:
        return gain
    of_sets = levels._replace(home=levels.home[first_of_each(sets, count)])
    _count_children(of_sets, depth)
    gain += _move_nodes_and_sets(aggregate(problem, sets, count), of_sets, depth, random)
    levels.home[:] = of_sets.home[sets]
    _count_children(levels, depth)
    return gain


def _move_communities(problem: PlacementProblem, levels: Levels, depth: int, random: np.random.Generator) -> float:
    """Move the lowest-level communities as if they were nodes of the levels above them. Return the gain in bits.

    The weight inside these communities is ignored, because its cost does not depend on where they are.
    """
    communities, count = numbered(levels.home)
    slots = levels.home[first_of_each(communities, count)]
    quotient = aggregate(problem, communities, count)._replace(inside=np.zeros(count))
    above = levels._replace(home=levels.parent[slots])
    gain = improve(quotient, above, depth - 1, random)
    levels.parent[slots] = above.home
    return gain


def first_of_each(labels: Ints, count: int) -> Ints:
    """Return the index of the first occurrence of each label 0 … count−1, shape (count,)."""
    first = np.empty(count, dtype=np.int64)
    first[labels[::-1]] = np.arange(len(labels) - 1, -1, -1)
    return first


def improved(
    problem: PlacementProblem, nested: Ints, random: np.random.Generator, rounds: int = _MOST_IMPROVING_ROUNDS
) -> Ints:
    """Apply `improve` to a tree given by its labels, and return the new labels.

    Both arrays of labels have the shape (depth, n), with the coarsest level first.
    """
    levels = place(problem, nested)
    improve(problem, levels, len(nested), random, rounds)
    return nested_labels(levels, len(nested))


def _count_children(levels: Levels, depth: int) -> None:
    lowest = levels.level == depth
    levels.children[lowest] = np.bincount(levels.home, minlength=len(levels.level))[lowest]
