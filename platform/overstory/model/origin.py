"""Origins: the document, passage and page that a value comes from."""

from __future__ import annotations

from dataclasses import dataclass

from overstory.display import origin


class HasOrigin:
    """Base class of values that come from a document. Subclasses declare the fields that they know."""

    __slots__ = ()

    source: str
    source_key: str
    page: int | None = None
    corpus: str = ""

    @property
    def origin(self) -> str:
        """Source, key and page as far as known, and the corpus if several were searched."""
        place = origin(self.source, self.source_key, self.page)
        return f"{place} in {self.corpus}" if self.corpus else place


@dataclass(frozen=True, slots=True)
class PassagePlace(HasOrigin):
    """Base class of values that identify a passage."""

    chunk_id: str
    document_id: str
    source: str
    source_key: str
    title: str


@dataclass(frozen=True, slots=True)
class OfPassage(PassagePlace):
    """A passage with the path of its headings."""

    heading: str
