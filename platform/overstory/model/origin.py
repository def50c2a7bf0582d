"""The place that something comes from: a document of a source, a passage of it, a page."""

from __future__ import annotations

from dataclasses import dataclass

from overstory.display import origin


class HasOrigin:
    """Base of everything that comes from a document. Derived classes make fields of what they know of the place."""

    __slots__ = ()

    source: str
    source_key: str
    page: int | None = None
    corpus: str = ""

    @property
    def origin(self) -> str:
        """Source, key and page, as far as known; and the corpus, if several were searched."""
        place = origin(self.source, self.source_key, self.page)
        return f"{place} in {self.corpus}" if self.corpus else place


@dataclass(frozen=True, slots=True)
class PassagePlace(HasOrigin):
    """Base of everything that is a passage, or stands for one."""

    chunk_id: str
    document_id: str
    source: str
    source_key: str
    title: str


@dataclass(frozen=True, slots=True)
class OfPassage(PassagePlace):
    """As `PassagePlace`, with the path of headings above the passage."""

    heading: str
