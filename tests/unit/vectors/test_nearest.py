"""The nearest neighbours of every chunk, compared with an exhaustive search in plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from overstory.protocols import Vectors
from overstory.vectors.nearest import NO_NEIGHBOUR, Neighbours, nearest, similar_pairs

Row = tuple[float, ...]

SIXTEEN: list[Row] = [(x, y, z, w) for x in (0.5, -0.5) for y in (0.5, -0.5) for z in (0.5, -0.5) for w in (0.5, -0.5)]
"""Unit vectors with exact products in float32, in any order of summation, and many ties."""

exact_vectors = st.lists(st.sampled_from(SIXTEEN), max_size=12)


def as_vectors(rows: list[Row]) -> Vectors:
    return np.array(rows, dtype=np.float32).reshape(-1, 4)


def by_brute_force(vectors: Vectors, k: int) -> Neighbours:
    ids = np.full((len(vectors), k), NO_NEIGHBOUR, dtype=np.int32)
    scores = np.full((len(vectors), k), -np.inf, dtype=np.float32)
    for one in range(len(vectors)):
        others = [(-float(vectors[one] @ vectors[other]), other) for other in range(len(vectors)) if other != one]
        for place, (score, other) in enumerate(sorted(others)[:k]):
            ids[one, place], scores[one, place] = other, -score
    return Neighbours(ids, scores)


def assert_same(found: Neighbours, expected: Neighbours) -> None:
    np.testing.assert_array_equal(found.ids, expected.ids)
    np.testing.assert_array_equal(found.scores, expected.scores)


@given(exact_vectors, st.integers(1, 5))
def test_the_nearest_are_those_of_a_search_through_all_pairs_ties_by_number(rows: list[Row], k: int) -> None:
    assert_same(nearest(as_vectors(rows), k), by_brute_force(as_vectors(rows), k))


def test_vectors_of_no_order_have_the_neighbours_of_a_search_in_float64() -> None:
    drawn = np.random.default_rng(3).standard_normal((200, 32))
    unit = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    cosines = unit @ unit.T
    np.fill_diagonal(cosines, -np.inf)
    found = nearest(unit.astype(np.float32), 9, block_bytes=4 * 200 * 7)  # seven rows at a time
    best = np.sort(cosines, axis=1)[:, ::-1][:, :9]
    np.testing.assert_allclose(found.scores, best, atol=2e-6)
    np.testing.assert_allclose(np.take_along_axis(cosines, found.ids.astype(np.int64), axis=1), best, atol=2e-6)


def test_equal_texts_are_each_others_nearest_in_order_of_number_and_nobody_is_near_himself() -> None:
    same = as_vectors([SIXTEEN[0]] * 4)
    found = nearest(same, 2)
    assert found.ids.tolist() == [[1, 2], [0, 2], [0, 1], [0, 1]]
    assert found.scores.min() == found.scores.max() == 1.0


@pytest.mark.parametrize(("rows", "ids"), [(0, []), (1, [[-1, -1]]), (2, [[1, -1], [0, -1]])])
def test_where_there_are_too_few_the_places_stay_empty(rows: int, ids: list[list[int]]) -> None:
    found = nearest(as_vectors(SIXTEEN[:rows]), 2)
    assert found.ids.shape == found.scores.shape == (rows, 2)
    assert found.ids.tolist() == ids
    assert (found.scores[found.ids == NO_NEIGHBOUR] == -np.inf).all()


def lists(ids: list[list[int]], scores: list[list[float]]) -> Neighbours:
    return Neighbours(np.array(ids, dtype=np.int32), np.array(scores, dtype=np.float32))


def test_one_that_is_in_the_others_list_makes_a_pair_once_and_what_points_away_makes_none() -> None:
    found = lists([[1, 2], [0, -1], [3, -1], [2, 0]], [[0.9, 0.4], [0.9, -np.inf], [0.0, -np.inf], [0.0, -0.2]])
    keys, weights = similar_pairs(found)
    assert [divmod(key, 4) for key in keys.tolist()] == [(0, 1), (0, 2)]
    np.testing.assert_array_equal(weights, np.array([0.9, 0.4], dtype=np.float32))


@pytest.mark.parametrize("chunks", [0, 1])
def test_nobody_alone_is_like_anybody(chunks: int) -> None:
    keys, weights = similar_pairs(nearest(as_vectors(SIXTEEN[:chunks]), 3))
    assert (len(keys), len(weights)) == (0, 0)


def test_it_is_told_after_each_block_for_how_many_more_neighbours_are_found() -> None:
    told: list[int] = []
    nearest(as_vectors(SIXTEEN), 2, block_bytes=4 * 16 * 7, on_found=told.append)  # seven rows at a time
    assert told == [7, 7, 2]
