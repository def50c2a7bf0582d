"""Contributions of the installed systems to Neo4j Browser."""

from __future__ import annotations

from typing import Any

from overstory.browser import Contribution
from overstory.systems.base import System
from overstory.systems.registry import installed_systems


def contributions() -> list[Contribution]:
    """One per installed system."""
    return [_of(system) for system in installed_systems()]


def _of(system: System[Any, Any]) -> Contribution:
    owns = system.owns
    return Contribution(
        name=system.name,
        title=system.title,
        queries=owns.saved_queries,
        labels=owns.labels,
        marks=owns.marks,
        slotted=owns.vector_indexes if owns.generations else (),
        examples=owns.examples,
        style=owns.style.read_text(encoding="utf-8") if owns.style else "",
    )
