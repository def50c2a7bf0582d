"""Shared `Knowledge` objects for LangChain and LlamaIndex retrievers on the same corpus with the same settings."""

from __future__ import annotations

import threading
import weakref
from abc import abstractmethod
from dataclasses import dataclass, field
from typing import TypedDict

from overstory.closable import Closable
from overstory.filters import Where
from overstory.graph import close_forgotten
from overstory.knowledge.knowledge import Knowledge
from overstory.model import HitStatement
from overstory.settings import Settings


@dataclass(frozen=True, slots=True)
class CorpusPlace:
    """The corpus and the database that a retriever uses. Missing values come from the settings or the environment."""

    corpus: str | None = None
    uri: str | None = None
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    database: str | None = None
    settings: Settings | None = None


_open: weakref.WeakValueDictionary[tuple[str, Settings], Knowledge] = weakref.WeakValueDictionary()
_opening = threading.Lock()


def shared_knowledge(place: CorpusPlace) -> Knowledge:
    """Return the `Knowledge` that all retrievers with this corpus and these settings share.

    It closes when no retriever references it any more.

    Raises:
        SettingsError: as for `Knowledge`.
    """
    chosen = (place.settings or Settings.from_environment()).at(
        place.uri, user=place.user, password=place.password, database=place.database
    )
    with _opening:
        name = chosen.corpus if place.corpus is None else place.corpus
        knowledge = _open.get((name, chosen))
        if knowledge is None:
            knowledge = _open[name, chosen] = Knowledge(name, settings=chosen)
        return knowledge


class SearchArguments(TypedDict):
    """The arguments of `Knowledge.search` that our LangChain and LlamaIndex retrievers set."""

    k: int
    retriever: str
    where: Where | None
    enrich: str | HitStatement | None


class SharesKnowledge(Closable):
    """Base class of our LangChain and LlamaIndex retrievers.

    Retrievers that use the same corpus with the same settings share one connection and one embedder.
    """

    _opened: tuple[CorpusPlace, Knowledge] | None

    @abstractmethod
    def _place(self) -> CorpusPlace: ...

    @property
    def knowledge(self) -> Knowledge:
        """The `Knowledge` that this retriever shares with others.

        Raises:
            SettingsError: as for `Knowledge`.
        """
        place, opened = self._place(), self._opened
        if opened is None or opened[0] != place:
            opened = self._opened = (place, shared_knowledge(place))
        return opened[1]

    def close(self) -> None:
        """Release the connection. It closes if no other retriever uses it. The next question opens it again."""
        self._opened = None
        close_forgotten()
