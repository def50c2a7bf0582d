"""One `Knowledge` for all retrievers of other libraries that ask the same corpus with the same settings."""

from __future__ import annotations

import threading
import weakref
from dataclasses import dataclass, field

from overstory.knowledge.knowledge import Knowledge
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
