"""What canopy asks of the names of a corpus, and the chunks that their words and names lead to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from overstory.retrieve.canopy.names import QuestionNames
from overstory.retrieve.canopy.scoring import LinkingName
from overstory.retrieve.question import Question
from overstory.retrieve.question_entities import QuestionEntities
from overstory.retrieve.sections import FoundSection

MOST_CHUNKS_ABOUT_A_NAME = 100
"""Chunks about one name; thousands of documents may be called "Introduction"."""

CHUNKS_A_PHRASE = 10
"""The full-text index compares stems, so that more than the few that make a phrase rare are looked at."""


class ListedChunk(NamedTuple):
    """A chunk in one of the lists that canopy begins with."""

    chunk: str
    document: str
    key: str | None = None
    weight: float | None = None
    phrase: str | None = None
    text: str | None = None


class FoundByWords(NamedTuple):
    """The sections found by the words of a question, the chunks by its names and phrases; and whether documents have
    links."""

    sections: list[FoundSection]
    found: list[ListedChunk]
    has_links: bool


@dataclass(frozen=True, slots=True)
class NameLinks:
    """The names that some chunks mention and that lead somewhere, without `LinkingName.nearest`; and the documents of
    the chunks that they lead to."""

    links: list[LinkingName]
    documents: Mapping[str, str]


class LeadingName(NamedTuple):
    """Where a name leads in one corpus.

    Attributes:
        df: chunks that mention it.
        shared: those, if they are few, each with its first sentence that says the name, or `NO_SENTENCE`, and its
            document.
        about: chunks that are about it, each with the weight and its document, the surest first.
    """

    key: str
    name: str
    df: int
    shared: Sequence[tuple[str, int, str]]
    about: Sequence[tuple[str, float, str]]


class NameLookup(Protocol):
    """The names of a corpus and their links, for one question. All answers are of one version of the corpus."""

    def question_names(self, question: Question) -> QuestionNames:
        """The names that the question has."""
        ...

    def found(self, names: QuestionNames, depth: int) -> FoundByWords:
        """The sections that have words of the question, and the chunks that its names or phrases lead to.

        Args:
            depth: how many sections are found.
        """
        ...

    def links(self, sources: Sequence[str], asked: Sequence[str]) -> NameLinks:
        """Where the names lead that some chunks mention.

        Args:
            sources: ids of chunks.
            asked: keys of names that lead nowhere.
        """
        ...


class CorpusNames(Protocol):
    """The names of a corpus in one transaction, as they are put in common with those of others."""

    def entities(self, keys: Sequence[str], terms: Sequence[str]) -> QuestionEntities:
        """As `question_entities.LookUp`, without places in a question."""
        ...

    def found(self, names: QuestionNames, depth: int) -> FoundByWords:
        """As `NameLookup.found`; the names may be those of other corpora."""
        ...

    def mentioned(self, sources: Sequence[str]) -> dict[str, dict[str, int]]:
        """The keys of all names that some chunks mention, each with these chunks and its first sentence there."""
        ...

    def leading(self, keys: Sequence[str]) -> list[LeadingName]:
        """Where some names lead, as far as the corpus has them."""
        ...
