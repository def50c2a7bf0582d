"""Reading of what a stage has to look at, a page ahead of what it writes: client and server work at the same time."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from overstory.graph import GraphClient, batches

T = TypeVar("T")

_MOST_IDS_HELD = 20_000
"""Ids that are held in memory."""


def one_ahead(pages: Iterator[T]) -> Generator[T]:
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
