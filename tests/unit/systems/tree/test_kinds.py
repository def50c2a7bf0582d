"""Declarations of trees by systems, for display and removal."""

from __future__ import annotations

from collections import Counter

from overstory.systems import installed_systems
from overstory.systems.tree.kinds import TreeKind


def test_a_tree_is_stored_with_what_its_system_owns() -> None:
    kinds = [(system, kind) for system in installed_systems() for kind in system.trees]
    assert kinds
    for system, kind in kinds:
        assert kind.name.startswith(system.name)
        assert kind.label in system.owns.labels
        assert kind.structure in system.owns.generations
        assert not kind.reports or kind.reports in system.owns.labels


def test_a_statement_of_the_system_takes_the_place_of_the_shared_one_of_its_name() -> None:
    kind = TreeKind(
        "oak", "Oak", "entity", "Oak", "oak", statements=("systems/oak/levels", "systems/oak/old/about_entity")
    )
    assert kind.statement("systems/tree/levels") == "systems/oak/levels"
    assert kind.statement("about_entity") == "systems/oak/old/about_entity"
    assert kind.statement("systems/tree/children") == "systems/tree/children"


def test_two_trees_of_one_name_are_of_one_system_and_of_different_units() -> None:
    kinds = [(system.name, kind) for system in installed_systems() for kind in system.trees]
    assert set(Counter((kind.name, kind.unit) for _, kind in kinds).values()) == {1}
    assert set(Counter(name for name, _ in {(kind.name, system) for system, kind in kinds}).values()) == {1}
