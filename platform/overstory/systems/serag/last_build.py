"""Data that a build leaves in memory for the next one (`systems.build_cache`)."""

from __future__ import annotations

from dataclasses import dataclass

from overstory.systems.serag.graph_reads import LinkWeights, ReadChunks
from overstory.systems.tree.stored import StoredTree
from overstory.vectors.nearest import Neighbours


@dataclass(frozen=True, slots=True)
class LastBuild:
    """A corpus as it was when its index was written, and what was written."""

    chunks: ReadChunks
    neighbours: Neighbours
    links: LinkWeights
    trees: dict[str, StoredTree]

    def is_still_stored(self, now: ReadChunks) -> bool:
        """Whether the edges and leaves of all chunks that are still there are as they were written.

        A chunk that was deleted and came back has the same id, but neither edges nor a leaf.
        """
        changed = {id_ for id_, known in zip(now.ids, now.known.tolist(), strict=True) if not known}
        return changed.isdisjoint(self.chunks.ids)
