"""One `Knowledge` for all retrievers of other libraries that ask the same corpus with the same settings."""

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
    """Which corpus, and where; what is None comes from the settings, and these from the environment."""

    corpus: str | None = None
    uri: str | None = None
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    database: str | None = None
    settings: Settings | None = None


_open: weakref.WeakValueDictionary[tuple[str, Settings], Knowledge] = weakref.WeakValueDictionary()
_opening = threading.Lock()


def shared_knowledge(place: CorpusPlace) -> Knowledge:
    """The one of a place, which is closed when nobody has it any more.

    Raises:
        SettingsError: as `Knowledge`.
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
    """What retrievers of other libraries ask `Knowledge.search` for."""

    k: int
    retriever: str
    where: Where | None
    enrich: str | HitStatement | None


class SharesKnowledge(Closable):
    """What retrievers of other libraries have in common: those over the same corpus with the same settings share a
    connection and a model."""

    _opened: tuple[CorpusPlace, Knowledge] | None

    @abstractmethod
    def _place(self) -> CorpusPlace: ...

    @property
    def knowledge(self) -> Knowledge:
        """The corpus, which retrievers like this one share.

        Raises:
            SettingsError: as `Knowledge`.
        """
        place, opened = self._place(), self._opened
        if opened is None or opened[0] != place:
            opened = self._opened = (place, shared_knowledge(place))
        return opened[1]

    def close(self) -> None:
        """Gives the connection back; it is closed when no other retriever uses it. A later question opens another."""
        self._opened = None
        close_forgotten()
