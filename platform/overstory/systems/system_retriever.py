"""The base class of all retrievers that belong to systems."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from overstory.graph import Corpus, Transaction
from overstory.model import Evidence
from overstory.retrieve import RetrievalContext
from overstory.retrieve.context import query_current_corpus
from overstory.systems.base import System
from overstory.systems.settings import SettingsClass
from overstory.systems.state import StaleNotes, generation_in_use

S = TypeVar("S", bound=SettingsClass)
R = TypeVar("R", bound=SettingsClass)


class SystemRetriever(Generic[S, R]):
    """A retriever that searches the index of a system."""

    def __init__(self, system: System[S, R], context: RetrievalContext, settings: R) -> None:
        self.name = system.name
        self._system = system
        self._context = context
        self._settings = settings
        self._stale = StaleNotes(system)

    def _query(self, query: Callable[[Transaction, Corpus], Evidence]) -> Evidence:
        """Run `query`. If the system publishes a new generation in the meantime, run it again."""

        def generation(corpus: Corpus) -> int:
            return generation_in_use(self._system, corpus)

        return query_current_corpus(
            self._context,
            f"retrieve/{self.name}",
            query,
            generation=generation if self._system.owns.generations else None,
        )
