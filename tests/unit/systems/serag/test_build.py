"""Edges as differences to what is stored."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from overstory_entropy.compile import Floats, Ints
from overstory_systems.serag.build import _SAME_WEIGHT_DIFFERENCE, LinkChanges, Links, StoredLinks, link_changes


class Weights(NamedTuple):
    """In the fused graph and in that of meaning alone."""

    fused: float | None
    semantic: float | None = None


LinkWeights = dict[tuple[str, str], Weights]
CHUNKS = "abcd"
PAIRS = [(one, other) for one in CHUNKS for other in CHUNKS if one < other]

weight = st.sampled_from([None, 0.25, 0.5, 0.75])
link_weights = st.dictionaries(st.sampled_from(PAIRS), st.builds(Weights, weight, weight))


def arrays(weights: LinkWeights) -> tuple[Ints, Floats]:
    ends = np.array([[CHUNKS.index(id_) for id_ in pair] for pair in weights], dtype=np.int64).reshape(-1, 2)
    return ends, np.array(list(weights.values()), dtype=np.float64).reshape(-1, 2)  # NaN for None


def links(weights: LinkWeights) -> Links:
    return Links(CHUNKS, *arrays(dict(sorted(weights.items()))), np.zeros((len(weights), 3), dtype=np.float32))


def changed(wanted: LinkWeights, stored: LinkWeights) -> LinkChanges:
    return link_changes(links(wanted), StoredLinks(*arrays(stored), []))


def pairs(changes: LinkChanges) -> set[tuple[str, str]]:
    """The edges that are new, gone or of another weight."""
    return {(row["source"], row["target"]) for rows in (changes.new, changes.gone) for row in rows}


def applied(changes: LinkChanges, stored: LinkWeights) -> LinkWeights:
    """The stored edges after the changes."""
    after = dict(stored)
    for row in changes.gone:
        del after[row["source"], row["target"]]
    return after | {
        (row["source"], row["target"]): Weights(*map(row["properties"].get, ("weight", "semantic_weight")))
        for row in changes.new
    }


@given(link_weights, link_weights)
def test_after_the_changes_exactly_the_wanted_edges_are_stored(wanted: LinkWeights, stored: LinkWeights) -> None:
    changes = changed(wanted, stored)
    assert applied(changes, stored) == wanted
    assert pairs(changes) == {pair for pair in PAIRS if wanted.get(pair) != stored.get(pair)}
    gone = [(row["source"], row["target"]) for row in changes.gone]
    assert len(gone) == len(set(gone))
    written = {(row["source"], row["target"]) for row in changes.new}
    assert written & stored.keys() <= set(gone)  # or an edge would be there twice
    again = changed(wanted, applied(changes, stored))
    assert (len(again.new), len(again.gone)) == (0, 0)
    assert (list(again.new), list(again.gone)) == ([], [])


def test_what_differs_by_rounding_is_the_same_edge() -> None:
    stored = {("a", "b"): Weights(0.5), ("a", "c"): Weights(0.5), ("b", "c"): Weights(0.5, 0.5)}
    wanted = {
        ("a", "b"): Weights(0.5 + _SAME_WEIGHT_DIFFERENCE / 2),
        ("a", "c"): Weights(0.5 + 2 * _SAME_WEIGHT_DIFFERENCE),
        ("b", "c"): Weights(0.5, 0.5 + 2 * _SAME_WEIGHT_DIFFERENCE),
    }
    changes = changed(wanted, stored)
    assert pairs(changes) == {("a", "c"), ("b", "c")}
    assert applied(changes, stored)["a", "b"] == Weights(0.5)


def test_edges_of_passages_that_are_no_longer_read_are_deleted() -> None:
    stored = StoredLinks(*arrays({("a", "b"): Weights(0.5), ("b", "c"): Weights(0.25)}), [("a", "z"), ("y", "z")])
    changes = link_changes(links({("a", "b"): Weights(0.5)}), stored)
    assert pairs(changes) == {("b", "c"), ("a", "z"), ("y", "z")}
    assert len(changes.gone) == 3


def test_an_edge_stored_the_other_way_round_is_replaced() -> None:
    changes = changed({("a", "b"): Weights(0.5)}, {("b", "a"): Weights(0.5)})
    assert [(row["source"], row["target"]) for row in changes.gone] == [("b", "a")]
    assert [(row["source"], row["target"]) for row in changes.new] == [("a", "b")]
