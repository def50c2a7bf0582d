"""The corpora that a service has open: one `Knowledge` each, which share their models."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from overstory.errors import CorpusNotFound, MetadataNotFound
from overstory.graph import read_corpus
from overstory.knowledge import Knowledge
from overstory.knowledge.restricted import RestrictedKnowledge
from overstory.progress import OnStep
from overstory.settings import Settings

_MOST_OPEN_CORPORA = 32
"""Corpora that stay open while nobody asks them; each holds a connection and cached vectors."""


@dataclass(slots=True)
class _Open:
    """A corpus that is open.

    Attributes:
        users: requests that have it now.
        parts: what tokens with a filter see of it, by the filter.
    """

    knowledge: Knowledge
    users: int = 0
    parts: dict[str, RestrictedKnowledge] = field(default_factory=dict[str, RestrictedKnowledge])


class OpenCorpora:
    """Lends the `Knowledge` of each corpus. Safe to share between threads."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.base = Knowledge(settings=settings)
        """For what belongs to no corpus; the others have their models from it."""
        self.address = ""
        """The URI of the database, once connected."""
        self._lock = threading.Lock()
        self._open: OrderedDict[str, _Open] = OrderedDict()

    @contextmanager
    def borrow(self, name: str) -> Generator[Knowledge]:
        """The corpus by this name, open until the block ends at least.

        Raises:
            CorpusNotFound, CorpusNameInvalid, DatabaseError: it cannot be opened.
        """
        with self._lock:
            known = name in self._open
        if not known:
            read_corpus(self.base.graph, name, to_delete=True)  # names of nothing take no place
        with self._lock:
            each = self._open.get(name)
            if each is None:
                each = self._open[name] = _Open(self.new(name))
            self._open.move_to_end(name)
            each.users += 1
            unused = self._unused()
        for knowledge in unused:
            knowledge.close()
        try:
            yield each.knowledge
        except CorpusNotFound:
            self._forget(name)
            raise
        finally:
            with self._lock:
                each.users -= 1

    def part(self, name: str, knowledge: Knowledge, where: str) -> RestrictedKnowledge:
        """What a token with a filter sees of a corpus that is lent.

        Raises:
            CorpusNotFound: no document has a key that the filter asks for, so that there is nothing to see.
            FilterError, IndexMissing, DatabaseError: the corpus cannot be filtered.
        """
        with self._lock:
            each = self._open.get(name)
            part = None if each is None else each.parts.get(where)
        if part is None:
            try:
                part = knowledge.restricted_to(where)
            except MetadataNotFound:
                raise CorpusNotFound(f"Nothing of {name!r} is seen by this filter.") from None
            with self._lock:
                if each is not None:
                    each.parts[where] = part
        return part

    def new(self, name: str, progress: OnStep | None = None) -> Knowledge:
        """Another `Knowledge` with the models that all share, which is the caller's to close."""
        made = Knowledge(name, settings=self.settings, progress=progress)
        made.use(embedder=self.base.embedder, extractor=self.base.extractor)
        return made

    def warm(self) -> None:
        """Loads the models, and connects."""
        graph = self.base.graph
        graph.run("schema/read_version", read=True)
        self.address = graph.uri
        _ = self.base.embedder, self.base.extractor

    def close(self) -> None:
        """Closes all; calls that are going on are cancelled."""
        with self._lock:
            opened = [each.knowledge for each in self._open.values()]
            self._open.clear()
        for knowledge in (*opened, self.base):
            knowledge.close()

    def _unused(self) -> list[Knowledge]:
        """Takes out those that were not asked for longest, while more are open than may be."""
        out: list[Knowledge] = []
        for name, each in list(self._open.items()):
            if len(self._open) <= _MOST_OPEN_CORPORA:
                break
            if not each.users:
                out.append(self._open.pop(name).knowledge)
        return out

    def _forget(self, name: str) -> None:
        """Of a corpus that was deleted."""
        with self._lock:
            each = self._open.get(name)
            if each is not None and each.users <= 1:
                del self._open[name]
