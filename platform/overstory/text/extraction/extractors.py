"""Creation of extractors, and protocols for extractors that share their parses or read several languages."""

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
    """Return the extractor named in the settings, which is built in or registered by another package."""
    made = plugins.make(
        GROUP, settings.extractor, settings, error=ModelError, requires=["extract"], setting="OVERSTORY_EXTRACTOR"
    )
    return cast("Extractor", made)


class LanguageNote(NamedTuple):
    """A note that an extractor needs a further package for some languages, and how to install it."""

    missing: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.missing}. {self.remedy}"


@runtime_checkable
class SharesParses(Protocol):
    """An `Extractor` that shares its parses. With any other extractor, systems must parse the texts again."""

    def extract_sharing(self, chunks: Iterable[ChunkText], parsed: ParsedTexts) -> Iterator[Extraction]:
        """Extract as `Extractor.extract` does, and store the values of `parsed.readings` for each chunk in `parsed`."""
        ...


@runtime_checkable
class ReadsLanguages(Protocol):
    """An `Extractor` whose fingerprint does not cover how it reads some languages."""

    def reading_of(self, language: str) -> str:
        """Return a fingerprint for a language (ISO code), which changes whenever chunks may be read differently."""
        ...

    def language_notes(self, languages: Sequence[str]) -> tuple[LanguageNote, ...]:
        """Return a note for each package that is missing for texts in these languages."""
        ...
