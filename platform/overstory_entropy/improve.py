"""The multilevel search: moves nodes, sets of nodes and communities until no move gains."""

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
"""Most visits per node in one call. The last few moves are faster in a later round that moves sets."""

WORTHWHILE_GAIN = 1e-11
"""Least gain of a move, as a share of the node's volume (bits × weight). Rounding errors would cause endless moves."""


@kernel
def relocate(problem: PlacementProblem, levels: Levels, depth: int, waiting: Ints) -> float:
    """Move queued nodes while moves gain, and return the gain (bits × weight). O(edges of the nodes visited).

    A node may move to a lowest community that contains one of its neighbours, or to a new community below the root or
    below any community with a neighbour. After a move, its neighbours in other communities are queued again.

    Args:
        levels: `depth` levels of communities above the nodes; changed in place.
        depth: Number of levels, ≥ 1.
        waiting: Shape (q,), nodes to visit first, in this order, each once.
    """
    # One kernel on purpose: separate kernels for the four steps were 15 % slower at 20 edges per vertex.
    indptr, neighbours, weights, volumes, inside, _ = problem
    home, parent, level, _, volume, own = levels
    nodes, slots = len(home), len(parent)
    free, free_count = _free_slots(level)
    queue, queued = np.empty(nodes, dtype=np.int64), np.zeros(nodes, dtype=np.bool_)
    for index in range(len(waiting)):  # slice assignment would add 2 s of compilation
        queue[index] = waiting[index]
        queued[waiting[index]] = True
    first, queue_length = 0, len(waiting)
    # Per community: log2 vol without the visited node, log2 vol with it, and the cost (bits × weight) of the node's
    # edges and of the communities that it would enlarge if it were directly below.
    log_volume = _logarithms(volume)
    log_joined, cost = log_volume.copy(), np.zeros(slots)
    # Weight from the node into each community; communities where it is above 0, lowest level first (level l is
    # touched[ends[l + 1] : ends[l]]); communities on the path of the node.
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

        # Add up the weight from the node into every community with a neighbour, level by level upwards.
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

        # Take the node out.
        slot, paid_below = int(home[node]), -0.5 * inside[node]
        for distance in range(depth, 0, -1):
            path[distance] = slot
            volume[slot] -= mass
            own[slot] -= 2.0 * (toward[slot] - paid_below)
            log_volume[slot] = logarithm(float(volume[slot]))
            paid_below = toward[slot]
            slot = int(parent[slot])

        # Find the cheapest place.
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

        # Put the node there, or back.
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
    """Fill in the cost of the node below a community, from its cost below the community's parent.

    2·toward costs log2 vol' of the community instead of its parent's, and X costs log2 vol' instead of log2 vol, where
    vol' includes the node.
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
    """Add a node below a place, creating communities as needed. Return its community and the number of free slots."""
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
    """Split every lowest community into sets of nodes, grown from single nodes; O(edges).

    A node that is still alone joins the set within its community with the largest gain, as if the sets were
    communities. This can split a community along lines that no move of single nodes finds. It is the refinement of
    Leiden (Traag, Waltman and van Eck 2019) with structural entropy in place of modularity.

    Args:
        levels: Communities of the nodes.
        order: Shape (n,), order of the visits.

    Returns:
        The set of each node, shape (n,), 0 … k−1, and k.
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
    """Renumber labels ≥ 0 as 0 … k−1 by first appearance, (n,) -> (n,) and k; n ≥ 1."""
    numbers = np.full(labels.max() + 1, -1, dtype=np.int64)
    renumbered = np.empty(len(labels), dtype=np.int64)
    count = 0
    for index in range(len(labels)):
        if numbers[labels[index]] < 0:
            numbers[labels[index]] = count
            count += 1
        renumbered[index] = numbers[labels[index]]
    return renumbered, count


CONVERGED_BITS = 1e-5  # the search stops after a round that gains fewer bits
_MOST_IMPROVING_ROUNDS = 12


def improve(
    problem: PlacementProblem,
    levels: Levels,
    depth: int,
    random: np.random.Generator,
    rounds: int = _MOST_IMPROVING_ROUNDS,
) -> float:
    """Move nodes, sets and communities until a round gains less than `CONVERGED_BITS`. Return the gain in bits.

    Args:
        levels: Initial communities; changed in place.
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
    """Move nodes, then larger and larger sets of nodes, between the existing communities, in one pass."""
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
    """Move the lowest communities as nodes of the levels above. Each pays for its own inner weight."""
    communities, count = numbered(levels.home)
    slots = levels.home[first_of_each(communities, count)]
    quotient = aggregate(problem, communities, count)._replace(inside=np.zeros(count))
    above = levels._replace(home=levels.parent[slots])
    gain = improve(quotient, above, depth - 1, random)
    levels.parent[slots] = above.home
    return gain


def first_of_each(labels: Ints, count: int) -> Ints:
    """Return the first index of each value 0 … count−1, (n,) -> (count,)."""
    first = np.empty(count, dtype=np.int64)
    first[labels[::-1]] = np.arange(len(labels) - 1, -1, -1)
    return first


def improved(
    problem: PlacementProblem, nested: Ints, random: np.random.Generator, rounds: int = _MOST_IMPROVING_ROUNDS
) -> Ints:
    """Return the labels after `improve`, (depth, n), coarsest level first."""
    levels = place(problem, nested)
    improve(problem, levels, len(nested), random, rounds)
    return nested_labels(levels, len(nested))


def _count_children(levels: Levels, depth: int) -> None:
    lowest = levels.level == depth
    levels.children[lowest] = np.bincount(levels.home, minlength=len(levels.level))[lowest]
