"""What every system has to say of its trees so that they can be found, shown, and removed."""

from __future__ import annotations

from collections import Counter

from overstory.systems import installed_systems


def test_a_tree_is_stored_with_what_its_system_owns() -> None:
    kinds = [(system, kind) for system in installed_systems() for kind in system.trees]
    assert kinds
    for system, kind in kinds:
        assert kind.name.startswith(system.name)
        assert kind.label in system.owns.labels
        assert kind.structure in system.owns.generations


def test_no_two_trees_have_one_name() -> None:
    names = Counter(kind.name for system in installed_systems() for kind in system.trees)
    assert set(names.values()) == {1}
