"""Entities that carry a stage's mark: read a page ahead of what is written, deleted where nothing is left of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from overstory.graph import Transaction, Writer
from overstory.graph.client import Row
from overstory.graph.corpora import count_deleted
from overstory.index.one_ahead import marked, one_ahead


@dataclass(frozen=True, slots=True)
class MarkedEntities:
    """How a stage finds its entities, and what it writes of them.

    Attributes:
        stage: as errors and the server's log name it.
        ids: statement for `marked`.
        read: statement that gives `entities` for some $ids in one row: maps with an `id`, and whether something is
            `held`, left of the entity.
        parameters: of `read`, besides the ids.
        written: what is written of an entity that `read` gave.
        write: statement that writes these as $rows, and takes the mark off.
        size: entities of a page, which is one transaction.
    """

    stage: str
    ids: str
    read: str
    parameters: Mapping[str, object]
    written: Callable[[Row], Row]
    write: str
    size: int

    def sync(self, writer: Writer) -> Iterator[tuple[int, int]]:
        """Goes through all marked entities; after each page, how many were written and how many deleted."""
        label = writer.corpus.label
        for held, dead in one_ahead(self._pages(writer)):

            def write(tx: Transaction, held: list[Row] = held, dead: list[str] = dead) -> None:
                tx.run(self.write, label, rows=held)
                if dead:
                    tx.run("ingest/remove_entities", label, ids=dead)
                    count_deleted(tx, writer.corpus, entities=len(dead))

            writer.commit(self.stage, write)
            yield len(held), len(dead)

    def _pages(self, writer: Writer) -> Iterator[tuple[list[Row], list[str]]]:
        """What is written of the entities of each page, and the ids of those of which nothing is left."""
        graph, label = writer.graph, writer.corpus.label
        for ids in marked(graph, label, self.ids, size=self.size):
            (page,) = graph.run(self.read, label, read=True, ids=ids, **self.parameters)
            entities: list[Row] = page["entities"]
            held = [self.written(entity) for entity in entities if entity["held"]]
            yield held, [entity["id"] for entity in entities if not entity["held"]]
