"""A `Knowledge` that notes the statements which it sends, by their names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from overstory.graph import GraphClient, Transaction
from overstory.graph.client import Row
from overstory.knowledge import Knowledge
from overstory.settings import Settings

T = TypeVar("T")


class CountingTransaction(Transaction):
    """Notes the names of its statements."""

    def __init__(self, counted: Transaction, sent: list[str]) -> None:
        self._counted = counted
        self._sent = sent

    def run(self, name: str, label: str | None = None, /, **parameters: object) -> list[Row]:
        self._sent.append(name)
        return self._counted.run(name, label, **parameters)


class CountingClient(GraphClient):
    """Notes the names of the statements that `run` and `reading` send."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        """As `GraphClient`."""
        self.sent: list[str] = []
        super().__init__(*arguments, **named)

    def run(self, name: str, label: str | None = None, /, *, read: bool = False, **parameters: object) -> list[Row]:
        self.sent.append(name)
        return super().run(name, label, read=read, **parameters)

    def reading(self, doing: str, work: Callable[[Transaction], T]) -> T:
        return super().reading(doing, lambda tx: work(CountingTransaction(tx, self.sent)))


class CountingKnowledge(Knowledge):
    """A `Knowledge` on a `CountingClient`."""

    def __init__(self, corpus: str, *, settings: Settings) -> None:
        super().__init__(corpus, settings=settings)
        self._connection.client = CountingClient

    @property
    def graph(self) -> CountingClient:
        graph = super().graph
        assert isinstance(graph, CountingClient)
        return graph

    def count(self, statement: str, doing: Callable[[], object]) -> int:
        """Count how often a statement is sent while `doing` runs."""
        sent = self.graph.sent
        sent.clear()
        doing()
        return sent.count(statement)
