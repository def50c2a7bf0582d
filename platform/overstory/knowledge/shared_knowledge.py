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
    """Corpus and database of a retriever; missing values come from the settings or the environment."""

    corpus: str | None = None
    uri: str | None = None
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    database: str | None = None
    settings: Settings | None = None


_open: weakref.WeakValueDictionary[tuple[str, Settings], Knowledge] = weakref.WeakValueDictionary()
_opening = threading.Lock()


def shared_knowledge(place: CorpusPlace) -> Knowledge:
    """Return the shared `Knowledge` of a place. It closes when no retriever references it any more.

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
    """Arguments of `Knowledge.search` that retrievers of other libraries set."""

    k: int
    retriever: str
    where: Where | None
    enrich: str | HitStatement | None


class SharesKnowledge(Closable):
    """Base class of retrievers for other libraries.

    Those on the same corpus with the same settings share a connection and a model.
    """

    _opened: tuple[CorpusPlace, Knowledge] | None

    @abstractmethod
    def _place(self) -> CorpusPlace: ...

    @property
    def knowledge(self) -> Knowledge:
        """The `Knowledge` that this retriever shares.

        Raises:
            SettingsError: as for `Knowledge`.
        """
        place, opened = self._place(), self._opened
        if opened is None or opened[0] != place:
            opened = self._opened = (place, shared_knowledge(place))
        return opened[1]

    def close(self) -> None:
        """Release the connection, which closes if no other retriever uses it. A later question opens a new one."""
        self._opened = None
        close_forgotten()
