"""Reading ahead: the client reads the next batch while the server writes the current one."""

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
    """The statements with which a stage updates the entities that are marked for it.

    Attributes:
        ids: statement that returns the ids of marked entities, as for `marked`.
        read: statement that returns one row for $ids. Its column `entities` is a list of maps with `id`, `held` (False
            if nothing mentions the entity any more, so that it must be deleted) and the properties that `written`
            needs.
        parameters: parameters of `read` other than the ids.
        written: function that converts one of these maps to a row for `write`.
        write: statement that writes $rows and removes the marks of the entities.
        size: number of entities per transaction.
    """

    stage: str
    ids: str
    read: str
    parameters: Mapping[str, object]
    written: Callable[[Row], Row]
    write: str
    size: int

    def sync(self, writer: Writer) -> Iterator[tuple[int, int]]:
        """Update all marked entities. After each transaction, yield how many were written and how many were deleted."""
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
    """Yield each page while a thread already reads the next page. No page may be None."""
    with ThreadPoolExecutor(1, thread_name_prefix="overstory-ahead") as thread:
        following = thread.submit(next, pages, None)
        while (page := following.result()) is not None:
            following = thread.submit(next, pages, None)
            yield page


def marked(
    graph: GraphClient, label: str, statement: str, *, size: int, most: int = _MOST_IDS_HELD
) -> Iterator[list[str]]:
    """Yield lists of the ids of marked nodes. Each id is yielded once.

    The caller must remove the marks of the nodes in a list before it requests the list after the next one. It must not
    add marks.

    Args:
        statement: statement that returns, in one row, a list `ids` of at most $limit ids in any order. With one row per
            id, the driver would need ten times as long.
        size: maximum number of ids in a list.
        most: maximum number of ids to read from the database at a time.
    """
    before: set[str] = set()
    while True:
        (row,) = graph.run(statement, label, read=True, limit=most)
        listed: list[str] = row["ids"]
        # The caller may not have removed the marks of the last list yet, so its ids may be read again.
        yield from batches((id_ for id_ in listed if id_ not in before), size)
        if len(listed) < most:
            return
        before = set(listed)
