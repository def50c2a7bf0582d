"""Prefetching: the client reads the next page while the server writes the current one."""

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
    """Statements by which a stage updates its marked entities.

    Attributes:
        stage: name of the stage in errors and the server log.
        ids: statement for `marked`.
        read: statement that returns `entities` for $ids in one row: maps with `id`, and `held` (True if the entity
            still exists).
        parameters: parameters of `read` other than the ids.
        written: converts an entity from `read` to a row for `write`.
        write: statement that writes $rows and removes their marks.
        size: entities per page, which is one transaction.
    """

    stage: str
    ids: str
    read: str
    parameters: Mapping[str, object]
    written: Callable[[Row], Row]
    write: str
    size: int

    def sync(self, writer: Writer) -> Iterator[tuple[int, int]]:
        """Update all marked entities; yield the numbers of written and deleted entities after each page."""
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
        graph, label = writer.graph, writer.corpus.label
        for ids in marked(graph, label, self.ids, size=self.size):
            (page,) = graph.run(self.read, label, read=True, ids=ids, **self.parameters)
            entities: list[Row] = page["entities"]
            held = [self.written(entity) for entity in entities if entity["held"]]
            yield held, [entity["id"] for entity in entities if not entity["held"]]


T = TypeVar("T")

_MOST_IDS_HELD = 20_000


def prefetch(pages: Iterator[T]) -> Generator[T]:
    """Yield pages while a thread reads the next one. No page may be None."""
    with ThreadPoolExecutor(1, thread_name_prefix="overstory-ahead") as thread:
        following = thread.submit(next, pages, None)
        while (page := following.result()) is not None:
            following = thread.submit(next, pages, None)
            yield page


def marked(
    graph: GraphClient, label: str, statement: str, *, size: int, most: int = _MOST_IDS_HELD
) -> Iterator[list[str]]:
    """Yield pages of ids of marked nodes, each id once.

    The caller removes the marks of a page, and adds none, before it requests the page after the next.

    Args:
        statement: returns at most $limit `ids` in one row, in any order; separate rows take the driver ten times as
            long.
        size: ids per page.
        most: ids read at a time.
    """
    before: set[str] = set()
    while True:
        (row,) = graph.run(statement, label, read=True, limit=most)
        listed: list[str] = row["ids"]
        # Nodes of the last page may still carry the mark.
        yield from batches((id_ for id_ in listed if id_ not in before), size)
        if len(listed) < most:
            return
        before = set(listed)
