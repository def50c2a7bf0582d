"""Pages are made while the one before is written, and each node is in one of them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any, cast

import pytest

from overstory.graph import GraphClient
from overstory.index.prefetch import marked, prefetch


class MarkedNodes:
    """A graph with some marked nodes."""

    def __init__(self, number: int) -> None:
        self.ids = [f"n{i}" for i in range(number)]
        self.listings = 0

    def run(self, *_: object, limit: int, **__: object) -> list[dict[str, Any]]:
        self.listings += 1
        return [{"ids": self.ids[:limit]}]

    def pages(self, size: int) -> Iterator[list[str]]:
        return marked(cast("GraphClient", self), "Corpus", "ingest/changed_chunk_ids", size=size, most=4)


def test_the_next_page_is_made_while_one_is_used_and_no_other() -> None:
    made: list[int] = []
    second = threading.Event()

    def pages() -> Iterator[int]:
        for number in range(4):
            made.append(number)
            if number == 1:
                second.set()
            yield number

    used: list[int] = []
    for page in prefetch(pages()):
        if page == 0:
            assert second.wait(10)
        used.append(page)
        assert len(made) <= page + 2
    assert used == made == [0, 1, 2, 3]


def test_pages_before_an_error_are_used() -> None:
    def pages() -> Iterator[int]:
        yield 1
        raise ValueError("no more")

    used: list[int] = []
    with pytest.raises(ValueError, match="no more"):
        used.extend(prefetch(pages()))
    assert used == [1]


@pytest.mark.parametrize("number", [0, 1, 2, 3, 4, 5, 9, 12])
def test_a_node_is_in_one_page_though_its_mark_goes_only_after_the_next_is_made(number: int) -> None:
    graph = MarkedNodes(number)
    found: list[str] = []
    for page in prefetch(graph.pages(2)):
        assert len(page) <= 2
        found += page
        graph.ids = [id_ for id_ in graph.ids if id_ not in page]
    assert found == [f"n{i}" for i in range(number)]


def test_few_nodes_are_listed_once() -> None:
    graph = MarkedNodes(3)
    assert list(graph.pages(2)) == [["n0", "n1"], ["n2"]]
    assert graph.listings == 1
