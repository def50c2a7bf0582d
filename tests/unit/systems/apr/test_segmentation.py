from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from overstory.protocols import Vectors
from overstory_systems.apr.codebook import Ends, segment


def at(*degrees: float) -> Vectors:
    """Unit vectors of the plane."""
    angles = np.radians(np.array(degrees, np.float64))
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def apart(number: int) -> list[Ends]:
    """Ends of triples that share no name."""
    return [(f"h{place}", f"t{place}") for place in range(number)]


def test_a_run_ends_where_the_subject_changes() -> None:
    assert segment(at(0, 10, 5, 90, 95), apart(5), 0.7) == [range(3), range(3, 5)]


def test_no_triples_are_no_runs_and_one_is_one() -> None:
    assert segment(np.zeros((0, 2), np.float32), [], 0.7) == []
    assert segment(at(0), apart(1), 0.7) == [range(1)]


@pytest.mark.parametrize(
    ("ends", "cohesion", "runs"),
    [
        ([("a", "b"), ("c", "d")], 0.55, 2),  # cosine of 60 degrees is .5
        ([("a", "b"), ("a", "d")], 0.55, 1),  # a name again: .05
        ([("a", "b"), ("a", "d")], 0.56, 2),
        ([("a", "b"), ("b", "d")], 0.6, 1),  # goes on from the last, and is a name again: .1
        ([("a", "b"), ("b", "d")], 0.61, 2),
        ([("a", "b"), ("d", "b")], 0.6, 2),
    ],
)
def test_a_triple_that_goes_on_from_the_one_before_fits_better(ends: list[Ends], cohesion: float, runs: int) -> None:
    assert len(segment(at(0, 60), ends, cohesion - 1e-6)) == runs


def test_opposites_fit_no_worse_than_what_has_nothing_in_common() -> None:
    assert len(segment(at(0, 180), [("a", "b"), ("b", "a")], 0.1)) == 1


def test_a_cut_between_two_triples_that_fit_each_other_is_taken_back() -> None:
    drifting = at(0, 30, 60, 90)  # the last is 60 degrees from the centroid, and 30 from the one before it
    assert segment(drifting, apart(4), 0.7) == [range(4)]
    assert segment(at(0, 30, 60, 130), apart(4), 0.7) == [range(3), range(3, 4)]


@given(
    st.lists(st.tuples(st.floats(0, 360), st.integers(0, 5), st.integers(0, 5)), max_size=30),
    st.floats(0, 1),
)
def test_runs_hold_every_triple_once_in_order_and_their_ends_are_fixed_points(
    triples: list[tuple[float, int, int]], cohesion: float
) -> None:
    vectors = at(*(angle for angle, _, _ in triples)) if triples else np.zeros((0, 2), np.float32)
    ends = [(str(head), str(tail)) for _, head, tail in triples]
    runs = segment(vectors, ends, cohesion)
    assert [place for run in runs for place in run] == list(range(len(triples)))
    for run in runs[1:]:
        both = slice(run.start - 1, run.start + 1)
        assert len(segment(vectors[both], ends[both], cohesion)) == 2
