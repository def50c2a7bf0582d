"""The vector indexes that systems have over nodes of a corpus."""

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
"""In the details of an index' state: the kinds of `Owned.vector_indexes` with so few nodes that they have no index."""


@dataclass(frozen=True, slots=True)
class SystemIndex:
    """A vector index that a system reads.

    Attributes:
        title: of the system.
        corpus: the label of the corpus.
        kind: of the nodes that it is over.
        slot: of the generation that is read, where there are generations.
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
        """What its nodes carry."""
        return derived_label(self.corpus, self.kind, self.slot)


def indexed_generation(run: SystemRun[Any], kind: str, nodes: int, generation: int) -> dict[str, object]:
    """Makes the vector index over one kind of a generation's nodes, where there are enough of them or it is there.

    Args:
        nodes: how many of the kind the generation has.

    Returns:
        `SCANNED`, for the details of the state.
    """
    before = run.before
    had_index = before is not None and before.generation == generation and kind not in before.details.get(SCANNED, ())
    if nodes < schema.VECTOR_INDEX_FROM and not had_index:
        return {SCANNED: [kind]}
    dimension = run.context.embedder.dimension
    schema.create_derived_index(run.graph, run.corpus.label, kind, dimension=dimension, slot=slot_of(generation))
    return {SCANNED: []}


def indexes_of(corpus: Corpus, systems: Iterable[System[Any, Any]]) -> Iterator[SystemIndex]:
    """The vector indexes that these systems should have of a corpus; none of one that is not built."""
    for system in systems:
        state = read_state(system, corpus)
        if state is None or not state.built:
            continue
        slot = slot_of(state.generation) if state.generation else None
        scanned = state.details.get(SCANNED, ())
        for kind in (each for each in system.owns.vector_indexes if each not in scanned):
            yield SystemIndex(system.title, corpus.label, kind, slot)


def rebuild(writer: Writer, index: SystemIndex) -> None:
    """Drops an index and makes it again from the nodes that are there."""
    dimension = writer.corpus.dimension
    schema.drop_index(writer.graph, index.name)
    schema.create_derived_index(writer.graph, index.corpus, index.kind, dimension=dimension, slot=index.slot)
