"""The passages that stand for most others."""

from __future__ import annotations

import numpy as np

from overstory.protocols import Vectors
from overstory.systems.global_questions import representatives


def around(axis: int, *leanings: float) -> list[list[float]]:
    """Vectors of length 1 near one of four axes, each leaning to the last one."""
    made: list[list[float]] = []
    for lean in leanings:
        vector = [0.0] * 4
        vector[axis], vector[3] = float(np.sqrt(1.0 - lean * lean)), lean
        made.append(vector)
    return made


def test_the_middle_of_the_largest_group_comes_first_then_that_of_the_next() -> None:
    vectors: Vectors = np.array([*around(0, -0.3, 0.0, 0.3), *around(1, 0.0, 0.2), *around(2, 0.0)], dtype=np.float32)
    found = representatives(vectors, [f"d{place}" for place in range(6)], 3)
    assert [place for place, _ in found] == [1, 3, 5]
    shares = [share for _, share in found]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) <= 1.0


def test_of_a_document_there_is_one_and_what_adds_nothing_is_left_out() -> None:
    vectors: Vectors = np.array([*around(0, 0.0, 0.1), *around(1, 0.0)], dtype=np.float32)
    assert [place for place, _ in representatives(vectors, ["d", "d", "d"], 3)] == [0]
    assert representatives(np.zeros((0, 4), dtype=np.float32), [], 3) == []
    equal: Vectors = np.array(around(0, 0.0, 0.0, 0.0), dtype=np.float32)
    assert len(representatives(equal, ["a", "b", "c"], 3)) == 1
