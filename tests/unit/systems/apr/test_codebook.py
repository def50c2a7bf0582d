from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from overstory.protocols import Vectors
from overstory_systems.apr.codebook import _LONGEST_SYMBOL_CHARACTERS, Ends, Triple, coded, edge_vectors, segment

LABEL = "Corpus_0123456789abcdef"


def test_the_same_names_are_the_same_symbols_and_the_same_triple_is_one_edge() -> None:
    first, second = coded(
        LABEL,
        [
            Triple("The Danube", "flow through", "Ulm", 0),
            Triple("danube", "Flow  Through", "Ulm", 3),
            Triple("Ulm", "be on", "the Danube", 4),
        ],
    )
    assert (first.head.text, first.sentence) == ("The Danube", 0)
    assert second.tail.id == first.head.id
    assert second.head.id == first.tail.id
    assert first.relation.id != second.relation.id


def test_a_relation_is_no_entity_of_the_same_words_and_corpora_share_no_symbol() -> None:
    (edge,) = coded(LABEL, [Triple("love", "love", "love")])
    assert edge.head.id == edge.tail.id != edge.relation.id
    (other,) = coded("Corpus_fedcba9876543210", [Triple("love", "love", "love")])
    assert other.head.id != edge.head.id
    assert other.id != edge.id


@pytest.mark.parametrize("words", [("", "be", "city"), ("Ulm", " ", "city"), ("Ulm", "be", "")])
def test_a_triple_with_a_part_that_says_nothing_is_left_out(words: tuple[str, str, str]) -> None:
    assert coded(LABEL, [Triple(*words)]) == []


def test_what_is_too_long_for_a_name_is_cut() -> None:
    (edge,) = coded(LABEL, [Triple("Ulm", "be", "word " * 1_000)])
    assert len(edge.tail.text) <= _LONGEST_SYMBOL_CHARACTERS


def test_the_vector_of_an_edge_is_the_direction_of_the_sum_of_its_symbols() -> None:
    edges = coded(LABEL, [Triple("a1", "r1", "b1"), Triple("b1", "r1", "a1")])
    axes = np.eye(3, dtype=np.float32)
    head, relation, tail = edges[0].symbols
    vectors = edge_vectors(edges, {head.id: axes[0], relation.id: axes[1], tail.id: axes[2]}, 3)
    assert vectors == pytest.approx(np.full((2, 3), 3**-0.5))
    assert edge_vectors([], {}, 3).shape == (0, 3)


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
