"""Systems by name."""

from __future__ import annotations

from overstory.errors import SettingsError
from overstory.retrieve import retriever_names
from overstory.systems.base import System
from overstory.systems.serag.index import SeRag
from overstory.systems.slimrag.index import SlimRag

_SYSTEMS: tuple[System, ...] = (SeRag(), SlimRag())


def system_names() -> list[str]:
    """The names of all systems that have an index of their own."""
    return sorted(system.name for system in _SYSTEMS)


def retrievers_without_system() -> list[str]:
    """The names of all retrievers that need no index but the one that every corpus has, sorted."""
    return [name for name in retriever_names() if name not in system_names()]


def find_system(name: str) -> System:
    """
    Raises:
        SettingsError: there is none of this name; the message lists those there are.
    """
    for system in _SYSTEMS:
        if system.name == name:
            return system
    raise SettingsError(f"There is no system {name!r}.", remedy=f"Use one of: {', '.join(system_names())}.")
