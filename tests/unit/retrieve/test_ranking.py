from __future__ import annotations

from overstory.retrieve.ranking import best_of


def test_the_best_come_first_and_equal_ones_in_the_order_of_their_ids() -> None:
    assert best_of({"c": 1.0, "a": 1.0, "b": 2.0, "d": 0.0}, 3) == ["b", "a", "c"]
    assert best_of({"a": 1.0}, 3) == ["a"]
    assert best_of({}, 3) == []
