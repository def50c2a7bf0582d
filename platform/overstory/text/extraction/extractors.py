"""Creating extractors, and optional methods of extractors: sharing a parse, and reading several languages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol, cast, runtime_checkable

from overstory import plugins
from overstory.errors import ModelError
from overstory.model import ChunkText, Extraction
from overstory.protocols import Extractor
from overstory.settings import ExtractionSettings
from overstory.text.parsing.parsed_texts import ParsedTexts

GROUP = "overstory.extractors"


def make_extractor(settings: ExtractionSettings) -> Extractor:
    """Return the extractor that the settings name: a built-in one, or one that another package registers."""
    made = plugins.make(
        GROUP, settings.extractor, settings, error=ModelError, requires=["extract"], setting="OVERSTORY_EXTRACTOR"
    )
    return cast("Extractor", made)


class LanguageNote(NamedTuple):
    """A note that an extractor lacks a package for some languages, with the remedy."""

    missing: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.missing}. {self.remedy}"


@runtime_checkable
class SharesParses(Protocol):
    """An `Extractor` that shares its parses. With other extractors, systems parse the texts themselves."""

    def extract_sharing(self, chunks: Iterable[ChunkText], parsed: ParsedTexts) -> Iterator[Extraction]:
        """Extract as `Extractor.extract` does; also add the values of `parsed.readings` for each chunk's text."""
        ...


@runtime_checkable
class ReadsLanguages(Protocol):
    """An `Extractor` that reads some languages in other ways, which its fingerprint does not cover."""

    def reading_of(self, language: str) -> str:
        """Return a string that changes whenever a chunk in this language (ISO code) may give another extraction."""
        ...

    def language_notes(self, languages: Sequence[str]) -> tuple[LanguageNote, ...]:
        """Return what is missing for extracting from texts in these languages."""
        ...
