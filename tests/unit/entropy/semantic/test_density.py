"""Principal components, bandwidth, and densities among any of the vertices."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from tests.unit.entropy.semantic import oracle
from tests.unit.entropy.semantic.planted import Attributed, attributed
from tests.unit.entropy.speed import compiled_only

from overstory_entropy import EncodingTree, Graph
from overstory_entropy.compile import Floats
from overstory_entropy.errors import GraphError
from overstory_entropy.semantic import Density
from overstory_entropy.semantic.density import Arrangement, likeliest_bandwidth, principal_components
from overstory_entropy.semantic.encode import RememberedDensity


@given(attributed())
def test_the_surprise_of_a_vertex_is_that_of_the_definition(case: Attributed) -> None:
    points = case.density.points.tolist()
    everything = frozenset(range(len(points)))
    expected = [oracle.surprise(points, vertex, everything) if len(points) > 1 else 0.0 for vertex in everything]
    assert case.density.surprise(np.arange(len(points))) == pytest.approx(expected, abs=1e-9)


def test_copies_of_one_text_do_not_surprise_and_the_farthest_text_has_128_bits() -> None:
    density = Density.from_vectors([[0.0], [0.0], [1e9]], bandwidth=1.0)
    assert density.surprise(np.array([0, 1])).tolist() == [0.0, 0.0]
    assert density.surprise(np.array([0, 2])).tolist() == [128.0, 128.0]


def test_one_vertex_alone_does_not_surprise() -> None:
    assert Density.from_vectors([[1.0, 2.0]]).surprise(np.array([0])).tolist() == [0.0]


def test_a_set_that_the_sample_holds_whole_is_exact_and_every_order_gives_the_same_estimate() -> None:
    exact = Density.from_vectors(np.random.default_rng(0).standard_normal((300, 1)), bandwidth=0.3)
    estimate = replace(exact, exact_members=100)
    everyone = np.arange(300)
    assert estimate.surprise(everyone) == pytest.approx(exact.surprise(everyone), abs=1e-9)
    shuffled = np.random.default_rng(1).permutation(300)
    assert estimate.surprise(shuffled).tolist() == estimate.surprise(everyone)[shuffled].tolist()
    assert estimate.surprise(everyone, shuffled[:9]).tolist() == estimate.surprise(everyone)[shuffled[:9]].tolist()


@compiled_only
def test_a_sample_of_a_large_set_stands_for_the_rest() -> None:
    density = Density.from_vectors(np.random.default_rng(0).standard_normal((6000, 4)), bandwidth=0.5)
    everyone = np.arange(6000)
    exact = replace(density, exact_members=6000).surprise(everyone)
    assert np.abs(density.surprise(everyone) - exact).mean() < 0.1
    assert density.surprise(everyone).mean() == pytest.approx(exact.mean(), abs=0.02)


def test_a_remembered_set_has_the_same_surprise() -> None:
    density = Density.from_vectors(np.random.default_rng(0).standard_normal((20, 2)))
    remembered = RememberedDensity.of(density)
    for members in (np.arange(20), np.arange(3, 9), np.arange(8, 2, -1), np.arange(20)):
        assert remembered.surprise(members).tolist() == pytest.approx(density.surprise(members).tolist())
        assert remembered.surprise(members, members[:2]) == pytest.approx(density.surprise(members, members[:2]))


def test_vectors_that_are_all_equal_have_no_components_and_no_surprise() -> None:
    density = Density.from_vectors(np.full((5, 3), 7.0))
    assert density.points.shape == (5, 0)
    assert density.surprise(np.arange(5)).tolist() == [0.0] * 5


def test_components_hold_nine_tenths_of_the_variance_and_are_at_most_32() -> None:
    random = np.random.default_rng(0)
    narrow = random.standard_normal((300, 3)) * [10.0, 5.0, 0.1]
    assert principal_components(narrow).shape == (300, 2)
    assert principal_components(random.standard_normal((300, 100))).shape == (300, 32)
    assert principal_components(random.standard_normal((20, 100))).shape[1] < 20


@pytest.mark.parametrize("shape", [(60, 8), (8, 60)])
def test_components_keep_their_sign_when_rows_change_places(shape: tuple[int, int]) -> None:
    vectors = np.random.default_rng(1).standard_normal(shape)
    order = np.random.default_rng(2).permutation(shape[0])
    assert principal_components(vectors[order]) == pytest.approx(principal_components(vectors)[order], abs=1e-9)


def test_the_bandwidth_grows_with_the_vectors() -> None:
    points = np.random.default_rng(0).standard_normal((200, 3))
    assert likeliest_bandwidth(7.0 * points) == pytest.approx(7.0 * likeliest_bandwidth(points))


def test_copies_of_every_text_leave_the_bandwidth_as_it_was() -> None:
    points = np.random.default_rng(0).standard_normal((100, 2))
    assert likeliest_bandwidth(np.repeat(points, 3, axis=0)) == pytest.approx(likeliest_bandwidth(points))


def test_the_bandwidth_is_near_the_best_that_theory_knows_for_a_normal_distribution() -> None:
    points = np.random.default_rng(0).standard_normal((500, 1))
    assert 0.5 < likeliest_bandwidth(points) / (4.0 / (3.0 * 500.0)) ** 0.2 < 2.0


def test_a_large_corpus_is_judged_by_a_sample_that_the_seed_draws() -> None:
    points = np.random.default_rng(0).standard_normal((5000, 2))
    once, again = (likeliest_bandwidth(points, seed=3) for _ in range(2))
    assert once == again
    assert once == pytest.approx(likeliest_bandwidth(points[:1500]), rel=0.7)


@pytest.mark.parametrize("points", [np.zeros((4, 2)), np.zeros((1, 2)), np.zeros((0, 2)), np.zeros((4, 0))])
def test_where_no_two_points_differ_the_bandwidth_is_one(points: Floats) -> None:
    assert likeliest_bandwidth(points) == 1.0


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        ([[1.0], [float("nan")]], "row 1 of the vectors has nan in column 0"),
        ([[1.0, 2.0], [3.0, 4.0], [5.0, float("inf")]], "row 2 of the vectors has inf in column 1"),
        ([1.0, 2.0], r"shape \(2,\)"),
        (np.zeros((3, 0)), r"shape \(3, 0\)"),
        ([["a"], ["b"]], "expected numbers"),
    ],
)
def test_vectors_that_are_none_are_refused(vectors: ArrayLike, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        Density.from_vectors(vectors)


@pytest.mark.parametrize("bandwidth", [0.0, -1.0, float("nan"), float("inf")])
def test_a_bandwidth_that_is_none_is_refused(bandwidth: float) -> None:
    with pytest.raises(GraphError, match="bandwidth"):
        Density.from_vectors([[1.0], [2.0]], bandwidth=bandwidth)


EDGELESS = Graph.from_edges(12, [])


@given(st.integers(0, 1000), st.integers(2, 30), st.integers(2, 40))
def test_blocks_hold_every_member_once_and_are_at_most_as_many_as_asked_for(seed: int, size: int, most: int) -> None:
    random = np.random.default_rng(seed)
    arrangement = Arrangement.of(random.standard_normal((40, 2)), None)
    members = random.choice(40, size, replace=False)
    ordered, first = arrangement.blocks(members, most)
    assert sorted(ordered.tolist()) == sorted(members.tolist())
    assert 1 <= len(first) - 1 <= max(most, 2)
    assert (np.diff(first) > 0).all()
    assert (first[0], first[-1]) == (0, size)


def test_groups_of_the_tree_stand_together_and_blocks_end_with_them() -> None:
    group = np.array([2, 0, 1] * 4)
    arrangement = Arrangement.of(np.zeros((12, 1)), EncodingTree.from_labels(EDGELESS, group))
    ordered, first = arrangement.blocks(np.arange(12), 4)
    assert [len(set(group[part].tolist())) for part in np.split(ordered, first[1:-1])] == [1] * (len(first) - 1)


def test_without_a_tree_neighbours_in_the_text_stand_together() -> None:
    points = np.arange(32.0)[np.random.default_rng(0).permutation(32), None]
    ordered, _ = Arrangement.of(points, None).blocks(np.arange(32), 4)
    assert np.abs(np.diff(points[ordered, 0])).max() <= 16
    assert {int(value) // 8 for value in points[ordered[:8], 0]} == {0}
