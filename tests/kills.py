"""A `Knowledge` that counts what it writes, and dies at one of its writes as a killed process does."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import pytest
from tests.passages import OpenCorpus

from overstory.graph import GraphClient, Transaction
from overstory.graph.client import Row
from overstory.knowledge import Knowledge
from overstory.settings import Settings

T = TypeVar("T")

LEASE = {"corpus/acquire_lease", "corpus/renew_lease", "corpus/release_lease"}
"""Not counted: the heartbeat comes at any moment, and this process, which holds the lease, lives on."""


class Killed(BaseException):
    """Ends a run as nothing else does."""


class KillableClient(GraphClient):
    """Counts transactions that write. From the fatal one on nothing is written; of that one the work is done, but not
    committed."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        """As `GraphClient`."""
        self._written: list[str] = []
        self._of = ""
        self._fatal = 0, ""
        self._dead = False
        super().__init__(*arguments, **named)

    def run(self, name: str, label: str | None = None, /, *, read: bool = False, **parameters: object) -> list[Row]:
        if not read and name not in LEASE and self._dies_at(_named(name, parameters)):
            raise Killed
        return super().run(name, label, read=read, **parameters)

    def run_in_batches(self, name: str, label: str | None = None, /, **parameters: object) -> None:
        if self._dies_at(name):
            raise Killed
        super().run_in_batches(name, label, **parameters)

    def transaction(self, doing: str, work: Callable[[Transaction], T]) -> T:
        def uncommitted(transaction: Transaction) -> T:
            work(transaction)
            raise Killed

        if self._dead:
            raise Killed
        return super().transaction(doing, uncommitted if self._dies_at(doing) else work)

    def _dies_at(self, what: str) -> bool:
        if self._written or not self._of or self._of in what.replace("/", " ").split():
            self._written.append(what)
            self._dead = self._dead or len(self._written) == self._fatal[0] or what == self._fatal[1]
        return self._dead

    @contextmanager
    def counted(self, of: str = "") -> Generator[list[str]]:
        """Yield the writes of the block, in order: names of statements or stages.

        Args:
            of: the stage or system whose first write starts the count; "" counts all writes.
        """
        self._written, self._of = [], of
        try:
            yield self._written
        finally:
            self._written = []

    @contextmanager
    def killed_at(self, write: int = 0, *, of: str = "", last: str = "") -> Generator[None]:
        """Kills the block at one of its writes; fails where the block lives on.

        Args:
            write: its number, the first being 1; 0 for that named `last`.
            of: as of `counted`.
            last: the name of a write at which the block is killed, where that comes first.
        """
        self._fatal = write, last
        try:
            with self.counted(of), pytest.raises(Killed):
                yield
        finally:
            self._fatal, self._dead = (0, ""), False


def _named(statement: str, parameters: Mapping[str, object]) -> str:
    """A statement, and of the ledger's the stage and what became of it."""
    properties = parameters.get("properties")
    status = properties.get("status", "") if isinstance(properties, Mapping) else ""
    return f"{statement} {parameters.get('name', '')} {status}"


class KillableKnowledge(Knowledge):
    """A `Knowledge` on a `KillableClient`."""

    def __init__(self, corpus: str, *, settings: Settings) -> None:
        super().__init__(corpus, settings=settings)
        self._connection.client = KillableClient

    @property
    def graph(self) -> KillableClient:
        graph = super().graph
        assert isinstance(graph, KillableClient)
        return graph


def open_killable(open_corpus: OpenCorpus, name: str = "corpus", **models: object) -> KillableKnowledge:
    """A corpus of the test's own, opened by what can be killed."""
    knowledge = open_corpus(name, kind=KillableKnowledge, **models)
    assert isinstance(knowledge, KillableKnowledge)
    return knowledge
