"""Extractors that share their parse with those who read the same texts later in an index run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol, runtime_checkable

from overstory.model import ChunkText, Extraction
from overstory.text.parsing.parsed_texts import ParsedTexts


@runtime_checkable
class SharesParses(Protocol):
    """Optional methods of an `Extractor` besides `extract`. Without them, systems parse the texts themselves."""

    def extract_sharing(self, chunks: Iterable[ChunkText], parsed: ParsedTexts) -> Iterator[Extraction]:
        """As `Extractor.extract`; also adds the values of `parsed.readings` for the text of each chunk."""
        ...
