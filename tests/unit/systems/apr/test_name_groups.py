"""Groups of names around a medoid."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from overstory.protocols import Vectors
from overstory_systems.apr.consolidation import SymbolName, aliases


def at(*degrees: float) -> Vectors:
    """Unit vectors at angles."""
    angles = np.radians(degrees)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def alike(one: str, other: str) -> bool:
    return one[0] == other[0]


def alone(*texts: str) -> list[SymbolName]:
    return [SymbolName(text, text, text) for text in texts]


def test_the_name_in_the_middle_stands_for_the_others() -> None:
    found = aliases(alone("a1", "a2", "a3"), at(0, 10, 20), 0.9, alike)
    assert {(alias.id, alias.representative) for alias in found} == {("a1", "a2"), ("a3", "a2")}
    assert [alias.cosine for alias in found] == pytest.approx([np.cos(np.radians(10))] * 2, abs=1e-6)


def test_of_two_the_shorter_stands_for_the_other() -> None:
    (alias,) = aliases(alone("a long one", "a1"), at(0, 5), 0.9, alike)
    assert (alias.id, alias.representative) == ("a long one", "a1")


def test_near_names_of_other_kinds_and_far_ones_of_a_kind_stay_apart() -> None:
    assert not aliases(alone("a1", "b1"), at(0, 1), 0.9, alike)
    assert not aliases(alone("a1", "a2"), at(0, 60), 0.9, alike)


def test_a_chain_of_small_steps_does_not_join_its_ends() -> None:
    names = alone("a1", "a2", "a3", "a4", "a5")
    vectors = at(0, 20, 40, 60, 80)
    found = aliases(names, vectors, 0.9, alike)
    place = {name.id: place for place, name in enumerate(names)}
    assert found
    for alias in found:
        assert vectors[place[alias.id]] @ vectors[place[alias.representative]] >= 0.9
    assert not {alias.id for alias in found} & {alias.representative for alias in found}


def test_the_order_of_the_names_does_not_matter() -> None:
    names, vectors = alone("a1", "a2", "b1", "a33", "b2"), at(0, 8, 9, 14, 12)
    wanted = sorted(aliases(names, vectors, 0.95, alike))
    for order in itertools.permutations(range(5)):
        shuffled = aliases([names[place] for place in order], vectors[list(order)], 0.95, alike)
        assert [each[:2] for each in sorted(shuffled)] == [each[:2] for each in wanted]


def test_one_and_its_representative_stay_together() -> None:
    names = [SymbolName("a1", "a1", "a1"), SymbolName("b1", "b1", "a1")]
    (alias,) = aliases(names, at(0, 5), 0.9, alike)
    assert {alias.id, alias.representative} == {"a1", "b1"}
