"""What an extractor may do besides `extract`: share its parse, and read languages in different ways."""

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
    """The extractor that the settings name, ours or one that another package registers."""
    made = plugins.make(
        GROUP, settings.extractor, settings, error=ModelError, requires=["extract"], setting="OVERSTORY_EXTRACTOR"
    )
    return cast("Extractor", made)


class LanguageNote(NamedTuple):
    """What an extractor lacks for some languages, and what to do."""

    missing: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.missing}. {self.remedy}"


@runtime_checkable
class SharesParses(Protocol):
    """Optional methods of an `Extractor` besides `extract`. Without them, systems parse the texts themselves."""

    def extract_sharing(self, chunks: Iterable[ChunkText], parsed: ParsedTexts) -> Iterator[Extraction]:
        """As `Extractor.extract`; also adds the values of `parsed.readings` for the text of each chunk."""
        ...


@runtime_checkable
class ReadsLanguages(Protocol):
    """Optional method of an `Extractor` that reads other languages in other ways, which its fingerprint does not
    cover."""

    def reading_of(self, language: str) -> str:
        """Changes whenever the same chunk in this language (an ISO code) may give another extraction."""
        ...

    def language_notes(self, languages: Sequence[str]) -> tuple[LanguageNote, ...]:
        """What to know of how it reads these languages."""
        ...
