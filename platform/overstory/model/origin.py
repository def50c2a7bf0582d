"""Base classes of values that come from a document or passage."""

from __future__ import annotations

from dataclasses import dataclass

from overstory.display import origin


class HasOrigin:
    """Base class of values that come from a document. Each subclass declares those of the fields that it has."""

    __slots__ = ()

    source: str
    source_key: str
    page: int | None = None
    corpus: str = ""

    @property
    def origin(self) -> str:
        """The source, with key and page if they are known, and the corpus if several corpora were searched."""
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
    """Base class of values that come from a passage.

    Attributes:
        heading: the headings above the passage, from the highest level down, such as "Setup › Linux".
    """

    heading: str
