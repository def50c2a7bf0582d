"""Splitting of writes into transactions."""

from __future__ import annotations

from overstory.graph import batches, batches_by_size


def test_batches_have_a_size_at_most() -> None:
    assert list(batches(range(5), 2)) == [[0, 1], [2, 3], [4]]
    assert list(batches([], 2)) == []


def test_sizes_of_a_batch_add_up_to_so_many_at_most_and_what_is_larger_is_alone() -> None:
    assert list(batches_by_size([1, 2, 1, 9, 3, 1], lambda size: size, 4)) == [[1, 2, 1], [9], [3, 1]]
    assert list(batches_by_size([5, 5], lambda size: size, 4)) == [[5], [5]]
    assert list(batches_by_size([0, 0, 4, 0], lambda size: size, 4)) == [[0, 0, 4, 0]]
    assert list(batches_by_size(list[int](), lambda size: size, 4)) == []
