"""The trees of a corpus by name, among those of all systems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from overstory.display import index_command
from overstory.errors import IndexMissing, SettingsError
from overstory.graph import Corpus
from overstory.model.units import PLURAL
from overstory.systems.base import System
from overstory.systems.settings import SettingsClass
from overstory.systems.state import IndexState, index_missing, read_state, require_state, with_options
from overstory.systems.tree.kinds import TreeKind

S = TypeVar("S", bound=SettingsClass)


@dataclass(frozen=True, slots=True)
class FoundTree:
    """A tree that a corpus has, and the state of the index that it belongs to."""

    system: System[Any, Any]
    kind: TreeKind
    state: IndexState[Any]


def find_tree(systems: Sequence[System[Any, Any]], corpus: Corpus, name: str = "") -> FoundTree:
    """The tree of a name; without one the first that the corpus has.

    Args:
        systems: whose trees are looked at, in this order.

    Raises:
        SettingsError: no system has a tree of this name; the remedy names those there are, and what builds the others.
        IndexMissing: the corpus does not have it, or has no tree at all.
    """
    offered = [(system, kind) for system in systems for kind in system.trees]
    for system, kind in offered:
        if kind.name == name:
            return FoundTree(system, kind, require_tree(system, corpus, kind))
    if name:
        raise SettingsError(f"There is no tree {name!r}.", remedy=_choice(systems, corpus))
    found = next(_trees_of(systems, corpus), None)
    if found is not None:
        return found
    for system, _ in offered:
        if read_state(system, corpus) is not None:
            require_state(system, corpus)  # says what is wrong with it
    raise IndexMissing(f"Corpus {corpus.name!r} has no tree.", remedy=_choice(systems, corpus))


def require_tree(system: System[S, Any], corpus: Corpus, kind: TreeKind) -> IndexState[S]:
    """The state of an index that can be searched and has this tree.

    Raises:
        IndexMissing: it does not have it, or cannot be asked at all.
    """
    state = require_state(system, corpus)
    if not system.has_tree(kind, state):
        raise index_missing(system, corpus, f"has no {kind.title}", options=kind.options)
    return state


def _trees_of(systems: Sequence[System[Any, Any]], corpus: Corpus) -> Iterator[FoundTree]:
    """The trees of a corpus that can be searched."""
    for system in systems:
        for kind in system.trees:
            try:
                yield FoundTree(system, kind, require_tree(system, corpus, kind))
            except IndexMissing:
                continue


def _choice(systems: Sequence[System[Any, Any]], corpus: Corpus) -> str:
    """Names the trees that a corpus has, and for the others what builds them."""
    there = [found.kind for found in _trees_of(systems, corpus)]
    missing = [(system, kind) for system in systems for kind in system.trees if kind not in there]
    sentences: list[str] = []
    if there:
        named = ", ".join(f"{kind.name} ({_described(kind)})" for kind in there)
        sentences.append(f"Corpus {corpus.name!r} has: {named}.")
    for system, kind in missing:
        command = index_command(corpus.name, with_options(system, kind.options))
        sentences.append(f"To build {kind.name} ({_described(kind)}): {command}")
    return "\n  ".join(sentences) or "No system that is installed has trees."


def _described(kind: TreeKind) -> str:
    return f"{kind.title}, of {PLURAL[kind.unit]}"
