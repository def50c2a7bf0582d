"""Systems by name. Anybody's are found through the entry-point group `overstory.systems`, as are ours."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from overstory.errors import SettingsError
from overstory.graph import Corpus
from overstory.graph.statements import add_statements
from overstory.systems.base import System
from overstory.systems.lifecycle import Wish
from overstory.systems.settings import SettingsClass

GROUP = "overstory.systems"


def system_names() -> list[str]:
    """The names of all installed systems, sorted."""
    return sorted({point.name for point in entry_points(group=GROUP)})


def find_system(name: str) -> System[Any, Any]:
    """
    Raises:
        SettingsError: there is none of this name, or it cannot be loaded; the message says which.
    """
    for point in entry_points(group=GROUP):
        if point.name == name:
            return _loaded(point)
    raise SettingsError(f"There is no system {name!r}.", remedy=f"Use one of: {', '.join(system_names())}.")


def installed_systems() -> list[System[Any, Any]]:
    """All systems that can be loaded, by name."""
    found: list[System[Any, Any]] = []
    for name in system_names():
        try:
            found.append(find_system(name))
        except SettingsError:
            continue  # told when it is named
    return found


def systems_of(corpus: Corpus) -> list[System[Any, Any]]:
    """The systems whose indexes a corpus has, by name; one that is not installed any more is left out."""
    names = set(system_names())
    return [find_system(name) for name in sorted(corpus.systems) if name in names]


def wishes(systems: Sequence[str | SettingsClass], model: str | None = None) -> dict[str, Wish[Any]]:
    """What is wanted of which systems, by their names; every option is checked.

    Args:
        systems: names, with options after a colon ("serag:levels=3"), or settings objects of a system's index.
        model: the language model that they read with.

    Raises:
        SettingsError: there is no such system or option, a value is out of bounds, or one system is named twice with
            different options.
    """
    found: dict[str, Wish[Any]] = {}
    for each in [systems] if isinstance(systems, str) else systems:
        wish = _wish(each, model)
        wish.check()
        if found.setdefault(wish.system.name, wish) != wish:
            raise SettingsError(f"The system {wish.system.name!r} is named with two options.", remedy="Name it once.")
    return found


def _wish(wanted: str | SettingsClass, model: str | None) -> Wish[Any]:
    if isinstance(wanted, str):
        name, _, options = wanted.partition(":")
        return Wish(find_system(name), options, None, model)
    for system in installed_systems():
        if type(wanted) is system.settings:
            return Wish(system, "", wanted, model)
    raise SettingsError(
        f"{type(wanted).__name__} is not the settings class of any system's index.",
        remedy=f"Give the name of a system, or its settings: {', '.join(system_names())}.",
    )


@functools.cache
def _loaded(point: EntryPoint) -> System[Any, Any]:
    """The system of an entry point, made once a process.

    Raises:
        SettingsError: it cannot be imported, or is no system of this name.
    """
    try:
        made = point.load()()
    except Exception as error:  # whatever a third party's module raises
        raise SettingsError(
            f"The system {point.name!r} cannot be loaded: {error}",
            remedy="Reinstall or remove the package that has it.",
        ) from error
    if not isinstance(made, System) or made.name != point.name:
        raise SettingsError(
            f"The entry point {point.name!r} of {GROUP} gives {type(made).__name__}, which is no system of this name.",
            remedy="Report this to the makers of the package that has it.",
        )
    if made.statements is not None:
        add_statements(f"systems/{made.name}", made.statements)
    return made
