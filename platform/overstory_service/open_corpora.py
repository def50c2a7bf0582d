"""Keeps the corpora of a service open. For each corpus there is one `Knowledge` object, and all share the models."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from overstory.errors import CorpusNotFound, MetadataNotFound
from overstory.graph import read_corpus
from overstory.knowledge import Knowledge
from overstory.knowledge.restricted_knowledge import RestrictedKnowledge
from overstory.progress import OnStep
from overstory.settings import Settings

_MOST_OPEN_CORPORA = 32
"""Maximum number of corpora that are kept open, because each holds a connection and cached vectors.

If there are more, those that were not used for the longest time are closed.
"""


@dataclass(slots=True)
class _Open:
    """An open corpus.

    Attributes:
        users: number of requests that are using the corpus now.
        parts: map from the filters of tokens to views that contain only the matching documents.
    """

    knowledge: Knowledge
    users: int = 0
    parts: dict[str, RestrictedKnowledge] = field(default_factory=dict[str, RestrictedKnowledge])


class OpenCorpora:
    """A pool of open corpora, which several threads can share."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.base = Knowledge(settings=settings)
        """Object for calls that do not concern a particular corpus. The open corpora share its models."""
        self.address = ""
        """The URI of the database; "" before the first connection."""
        self._lock = threading.Lock()
        self._open: OrderedDict[str, _Open] = OrderedDict()

    @contextmanager
    def borrow(self, name: str) -> Generator[Knowledge]:
        """Provide the corpus with this name, which stays open at least until the end of the `with` block.

        Raises:
            CorpusNotFound, CorpusNameInvalid, DatabaseError: the corpus cannot be opened.
        """
        with self._lock:
            known = name in self._open
        if not known:
            read_corpus(self.base.graph, name, to_delete=True)  # raises if the corpus does not exist
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
        """Return a view of a borrowed corpus that contains only the documents that match a token's filter.

        Args:
            knowledge: the corpus, as returned by `borrow`.

        Raises:
            CorpusNotFound: the filter uses a metadata key that no document has. The view would be empty.
            FilterError, IndexMissing, DatabaseError: the corpus cannot be filtered.
        """
        with self._lock:
            each = self._open.get(name)
            part = None if each is None else each.parts.get(where)
        if part is None:
            try:
                part = knowledge.restricted_to(where)
            except MetadataNotFound:
                raise CorpusNotFound(f"No document of {name!r} matches the filter.") from None
            with self._lock:
                if each is not None:
                    each.parts[where] = part
        return part

    def new(self, name: str, progress: OnStep | None = None) -> Knowledge:
        """Return a new `Knowledge` object that uses the shared models. The caller must close it."""
        made = Knowledge(name, settings=self.settings, progress=progress)
        made.use(embedder=self.base.embedder, extractor=self.base.extractor)
        return made

    def warm(self) -> None:
        graph = self.base.graph
        graph.run("schema/read_version", read=True)
        self.address = graph.uri
        _ = self.base.embedder, self.base.extractor

    def close(self) -> None:
        with self._lock:
            opened = [each.knowledge for each in self._open.values()]
            self._open.clear()
        for knowledge in (*opened, self.base):
            knowledge.close()

    def _unused(self) -> list[Knowledge]:
        """Remove corpora from the pool until at most `_MOST_OPEN_CORPORA` are left, and return the removed ones.

        Corpora that were not used for the longest time are removed first. Corpora in use are kept.
        """
        out: list[Knowledge] = []
        for name, each in list(self._open.items()):
            if len(self._open) <= _MOST_OPEN_CORPORA:
                break
            if not each.users:
                out.append(self._open.pop(name).knowledge)
        return out

    def _forget(self, name: str) -> None:
        with self._lock:
            each = self._open.get(name)
            if each is not None and each.users <= 1:
                del self._open[name]
