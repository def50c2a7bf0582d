"""Where something was read: a source, and the key of a document in it."""

from __future__ import annotations

from dataclasses import dataclass

from overstory.display import origin


class HasOrigin:
    """Anything with a source and a source key, which say where it comes from."""

    __slots__ = ()

    source: str
    source_key: str

    @property
    def origin(self) -> str:
        """Where it comes from: source, and key if there is one."""
        return origin(self.source, self.source_key)


class HasPage(HasOrigin):
    """Anything that comes from a place in a document, which may have pages."""

    __slots__ = ()

    page: int | None
    corpus: str = ""

    @property
    def origin(self) -> str:
        """Where it comes from: source, and key and page if there are; and the corpus, where several were asked."""
        place = origin(self.source, self.source_key, self.page)
        return f"{place} in {self.corpus}" if self.corpus else place


@dataclass(frozen=True, slots=True)
class OfPassage(HasOrigin):
    """Anything that is a passage, or stands for one."""

    chunk_id: str
    document_id: str
    source: str
    source_key: str
    title: str
    heading: str
