"""The oracle itself, against numbers that are known or worked out by hand."""

from __future__ import annotations

from math import log2

import pytest
from tests.unit.entropy import oracle

TWO_PAIRS = [(0, 1, 2.0), (2, 3, 2.0), (1, 2, 1.0)]


def test_the_entropy_of_two_pairs_is_what_the_definition_gives_by_hand() -> None:
    flat = 2 * (2 / 10 * log2(10 / 2) + 3 / 10 * log2(10 / 3))
    paired = 2 * (1 / 10 * log2(10 / 5) + 2 / 10 * log2(5 / 2) + 3 / 10 * log2(5 / 3))
    assert oracle.entropy(4, TWO_PAIRS, [4, 4, 4, 4, -1]) == pytest.approx(flat)
    assert oracle.entropy(4, TWO_PAIRS, [4, 4, 5, 5, 6, 6, -1]) == pytest.approx(paired)


def test_a_loop_adds_to_the_volume_and_never_leaves() -> None:
    assert oracle.volume([(0, 0, 1.5), (0, 1, 1.0)], {0}) == 4.0
    assert oracle.cut([(0, 0, 1.5), (0, 1, 1.0)], {0}) == 1.0


@pytest.mark.parametrize(("items", "bell"), [(0, 1), (1, 1), (4, 15), (8, 4140)])
def test_there_are_as_many_partitions_as_bell_counted(items: int, bell: int) -> None:
    assert len({tuple(groups) for groups in oracle.partitions(items)}) == bell


@pytest.mark.parametrize(("vertices", "levels", "chains"), [(3, 0, 1), (3, 1, 5), (3, 2, 12), (4, 2, 60), (4, 3, 154)])
def test_there_are_as_many_chains_of_partitions_as_the_literature_counts(
    vertices: int, levels: int, chains: int
) -> None:
    assert len({tuple(parents) for parents in oracle.level_trees(vertices, levels)}) == chains


@pytest.mark.parametrize(("vertices", "schroeder"), [(1, 1), (2, 1), (3, 4), (4, 26), (6, 2752)])
def test_there_are_as_many_hierarchies_as_schroeder_counted(vertices: int, schroeder: int) -> None:
    assert len({tuple(parents) for parents in oracle.trees(vertices)}) == schroeder


def test_every_tree_of_some_levels_has_all_its_leaves_that_deep() -> None:
    for parents in oracle.level_trees(4, 2):
        for vertex in range(4):
            assert parents[parents[parents[vertex]]] == len(parents) - 1


@pytest.mark.parametrize("levels", [0, 1, 2, None])
def test_the_least_entropy_is_that_of_some_tree_scored_one_by_one(levels: int | None) -> None:
    every = oracle.trees(4) if levels is None else oracle.level_trees(4, levels)
    least = min(oracle.entropy(4, TWO_PAIRS, parents) for parents in every)
    assert oracle.least_entropy(4, TWO_PAIRS, levels) == pytest.approx(least, abs=1e-12)
