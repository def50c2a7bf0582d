"""Creates and rebuilds the vector indexes over the nodes of systems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from overstory.graph import Corpus, Writer, schema
from overstory.graph.generations import slot_of
from overstory.graph.ids import Slot, derived_label
from overstory.systems.base import System, SystemRun
from overstory.systems.state import read_state

SCANNED = "scanned"
"""Key in `IndexState.details`. Its value lists the kinds of nodes that are too few to need a vector index."""


@dataclass(frozen=True, slots=True)
class SystemIndex:
    """A vector index over the nodes of a system.

    Attributes:
        title: Title of the system.
        corpus: Corpus label.
        slot: Slot of the generation that readers use; None if the system has no generations.
    """

    title: str
    corpus: str
    kind: str
    slot: Slot | None

    @property
    def name(self) -> str:
        return schema.derived_index(self.corpus, self.kind, self.slot)

    @property
    def label(self) -> str:
        return derived_label(self.corpus, self.kind, self.slot)


def indexed_generation(run: SystemRun[Any], kind: str, nodes: int, generation: int) -> dict[str, object]:
    """Create a vector index over one kind of node in a generation, if there are enough nodes of this kind.

    An existing index is kept even if only a few nodes are left.

    Args:
        nodes: Number of nodes of this kind in the generation.

    Returns:
        A dictionary with the key `SCANNED`, to be added to `IndexState.details`.
    """
    before = run.before
    had_index = before is not None and before.generation == generation and kind not in before.details.get(SCANNED, ())
    if nodes < schema.VECTOR_INDEX_FROM and not had_index:
        return {SCANNED: [kind]}
    dimension = run.context.embedder.dimension
    schema.create_derived_index(run.graph, run.corpus.label, kind, dimension=dimension, slot=slot_of(generation))
    return {SCANNED: []}


def indexes_of(corpus: Corpus, systems: Iterable[System[Any, Any]]) -> Iterator[SystemIndex]:
    """Yield the vector indexes that a corpus should have for those systems whose indexes have been built."""
    for system in systems:
        state = read_state(system, corpus)
        if state is None or not state.built:
            continue
        slot = slot_of(state.generation) if state.generation else None
        scanned = state.details.get(SCANNED, ())
        for kind in (each for each in system.owns.vector_indexes if each not in scanned):
            yield SystemIndex(system.title, corpus.label, kind, slot)


def rebuild(writer: Writer, index: SystemIndex) -> None:
    """Drop a vector index, and create it again over the existing nodes."""
    dimension = writer.corpus.dimension
    schema.drop_index(writer.graph, index.name)
    schema.create_derived_index(writer.graph, index.corpus, index.kind, dimension=dimension, slot=index.slot)
