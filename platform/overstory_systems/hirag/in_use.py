"""The index of a corpus that questions are asked of now, as what is read and written of a part of it needs it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from overstory.graph import Corpus, GraphClient, batches
from overstory.graph.client import Row
from overstory_systems.hirag.knowledge_graph import LayerEntity
from overstory_systems.hirag.names import entity_id

HIRAG_IDS_A_STATEMENT = 1_000
_SAMPLED_ENTITIES = 1_000
"""Entities that tell which words are common everywhere."""


@dataclass(frozen=True, slots=True)
class IndexInUse:
    """Where an index is stored.

    Attributes:
        index: the vector index over its entities, "" where it has none.
        flat: whether it has no summary layers.
        levels, root: of the tree of communities.
    """

    graph: GraphClient
    corpus: Corpus
    generation: int
    index: str
    flat: bool
    levels: int
    root: str

    def id(self, ref: str) -> str:
        """Of the node of an entity."""
        return entity_id(self.corpus.label, self.generation, ref)

    def rows(self, statement: str, ids: Collection[str], **parameters: object) -> Iterable[Row]:
        """Of a statement that takes `$ids`, so many at a time."""
        for some in batches(sorted(ids), HIRAG_IDS_A_STATEMENT):
            yield from self.graph.run(statement, self.corpus.label, read=True, ids=some, **parameters)

    def sampled(self) -> list[LayerEntity]:
        """Entities from all over layer 0."""
        rows = self.graph.run(
            "systems/hirag/sample", self.corpus.label, read=True, generation=self.generation, limit=_SAMPLED_ENTITIES
        )
        return [LayerEntity(0, row["key"], row["name"], "", row["text"], ()) for row in rows]
