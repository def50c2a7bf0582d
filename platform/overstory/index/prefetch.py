"""Reading of what a stage has to look at, a page ahead of what it writes: client and server work at the same time."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from overstory.graph import GraphClient, Transaction, Writer, batches
from overstory.graph.client import Row
from overstory.graph.corpora import count_deleted


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
        for held, dead in prefetch(self._pages(writer)):

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


T = TypeVar("T")

_MOST_IDS_HELD = 20_000
"""Ids that are held in memory."""


def prefetch(pages: Iterator[T]) -> Generator[T]:
    """The pages, each next one made in a thread while the caller works on one. None of them is None."""
    with ThreadPoolExecutor(1, thread_name_prefix="overstory-ahead") as thread:
        following = thread.submit(next, pages, None)
        while (page := following.result()) is not None:
            following = thread.submit(next, pages, None)
            yield page


def marked(
    graph: GraphClient, label: str, statement: str, *, size: int, most: int = _MOST_IDS_HELD
) -> Iterator[list[str]]:
    """Pages of ids of nodes that carry a mark, each once.

    The caller takes the mark off the nodes of a page, and sets it on none, before it asks for the page after the next.

    Args:
        statement: gives at most $limit `ids` in one row, in any order: rows of their own take the driver ten times as
            long.
        size: ids of a page.
        most: ids that are listed at a time.
    """
    before: set[str] = set()
    while True:
        (row,) = graph.run(statement, label, read=True, limit=most)
        listed: list[str] = row["ids"]
        yield from batches((id_ for id_ in listed if id_ not in before), size)  # the last page may still be marked
        if len(listed) < most:
            return
        before = set(listed)
