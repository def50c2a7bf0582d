"""Systems by name, found through the entry-point group `overstory.systems`: ours and third-party ones."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

from overstory import plugins
from overstory.errors import SettingsError
from overstory.graph import Corpus
from overstory.graph.statements import add_statements
from overstory.systems.base import System
from overstory.systems.lifecycle import Wish
from overstory.systems.settings import SettingsClass, refuse_class

GROUP = "overstory.systems"

_LOADED: dict[str, System[Any, Any]] = {}
_LOADING = threading.RLock()  # each is made once, whoever asks first


def system_names() -> list[str]:
    """The names of all installed systems, sorted."""
    return plugins.names(GROUP)


def find_system(name: str) -> System[Any, Any]:
    with _LOADING:
        if name not in _LOADED:
            _LOADED[name] = _loaded(name)
        return _LOADED[name]


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
    """The systems whose indexes a corpus has, by name; systems no longer installed are left out."""
    names = set(system_names())
    return [find_system(name) for name in sorted(corpus.systems) if name in names]


def missing_systems(corpus: Corpus) -> list[str]:
    """The names of systems whose indexes a corpus has and whose packages are not installed."""
    return sorted(corpus.systems.keys() - set(system_names()))


def wishes(
    systems: str | SettingsClass | Sequence[str | SettingsClass], model: str | None = None
) -> dict[str, Wish[Any]]:
    """The requests for systems, by name; every option is checked.

    Args:
        systems: names, with options after a colon ("serag:levels=3"), or settings objects of a system's index.
        model: the language model that they read with.
    """
    found: dict[str, Wish[Any]] = {}
    for each in systems if isinstance(systems, Sequence) and not isinstance(systems, str) else [systems]:
        wish = _wish(each, model)
        wish.check()
        if found.setdefault(wish.system.name, wish) != wish:
            raise SettingsError(
                f"The system {wish.system.name!r} is named twice, with different options.",
                remedy="Name it once, with all options.",
            )
    return found


def all_wishes(corpus: Corpus, wished: Mapping[str, Wish[Any]], model: str | None) -> dict[str, Wish[Any]]:
    """The requests, and one for each other system that the corpus has, its settings unchanged.

    Args:
        model: for those that are named, or for all where none is.
    """
    kept = {each.name: Wish(each, model=None if wished else model) for each in systems_of(corpus)}
    if model is not None and not (wished or kept):
        raise SettingsError(
            f"No system of corpus {corpus.name!r} reads with a language model.",
            remedy=f"Name a system, too: {', '.join(system_names())} (--system NAME, or systems=[…] in Python).",
        )
    return {**wished, **{name: wish for name, wish in kept.items() if name not in wished}}


def _wish(wanted: str | SettingsClass, model: str | None) -> Wish[Any]:
    if isinstance(wanted, str):
        name, _, options = wanted.partition(":")
        if "," in name:
            each = " ".join(f"--system {one.strip()}" for one in name.split(","))
            raise SettingsError(f"{name!r} is not one system.", remedy=f"Name each of several by itself: {each}")
        return Wish(find_system(name), options, None, model)
    refuse_class(wanted)
    for system in installed_systems():
        if type(wanted) is system.settings:
            return Wish(system, "", wanted, model)
    raise SettingsError(
        f"{type(wanted).__name__} is not the settings class of any system's index.",
        remedy=f"Give the name of a system, or its settings: {', '.join(system_names())}.",
    )


def _loaded(name: str) -> System[Any, Any]:
    made = plugins.make(GROUP, name, error=SettingsError, requires=["name"])
    if not isinstance(made, System) or made.name != name:
        raise SettingsError(
            f"The entry point {name!r} of {GROUP} gives {type(made).__name__}, which is no system of this name.",
            remedy="Report this to the makers of the package that has it.",
        )
    if made.statements is not None:
        add_statements(made.statements)
    return made
