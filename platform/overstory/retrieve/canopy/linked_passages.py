"""Passages as canopy asks them: with the links between their documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from overstory.model import HYPERLINK
from overstory.retrieve.canopy.links import MOST_CHUNKS_OF_A_LINKED_DOCUMENT, MOST_LINKS_OF_A_DOCUMENT
from overstory.retrieve.canopy.matching_names import MatchingNames
from overstory.retrieve.canopy.name_lookup import CorpusNames
from overstory.retrieve.canopy.scoring import DocumentLink
from overstory.retrieve.canopy.stored_names import StoredNames
from overstory.retrieve.edited_names import cached_edits
from overstory.retrieve.joined_corpora import OpenedCorpora
from overstory.retrieve.joined_passages import JoinedPassages
from overstory.retrieve.passages import CorpusPassages, Passages
from overstory.text.names.edits import EditedNames


class FoundLinks(NamedTuple):
    """The links of some chunks' documents; notes say which were not followed."""

    links: list[DocumentLink]
    notes: tuple[str, ...] = ()


class LinkedPassages(Passages, Protocol):
    """`Passages` with the links between their documents."""

    def document_links(self, sources: Sequence[str], found: Sequence[str]) -> FoundLinks:
        """The links of the documents of some chunks, in either direction.

        Args:
            found: ids of the documents to which a document with many links may lead.
        """
        ...


@dataclass(frozen=True, slots=True)
class LinkedCorpus(CorpusPassages):
    """`LinkedPassages` of a corpus in one transaction, and its names."""

    @property
    def names(self) -> CorpusNames:
        """Those that lead to the passages that may be found."""
        return StoredNames(self.tx, self.corpus) if self.among is None else MatchingNames(self.among)

    @property
    def edits(self) -> EditedNames:
        """What was made of names by hand."""
        return cached_edits(self.tx, self.corpus)

    def document_links(self, sources: Sequence[str], found: Sequence[str]) -> FoundLinks:
        """As `LinkedPassages.document_links`."""
        rows = self.tx.run(
            "retrieve/canopy_links",
            self.corpus.label,
            sources=list(sources),
            found=list(found),
            most=MOST_LINKS_OF_A_DOCUMENT,
            most_chunks=MOST_CHUNKS_OF_A_LINKED_DOCUMENT,
            hyperlink=HYPERLINK,
        )
        links = [DocumentLink(*each) for row in rows for each in row["links"]]
        if self.among is not None:
            links = [link for link in links if link.document in self.among.matching.documents]
            if self.among.matching.restricted:  # the number of links is that of all documents
                return FoundLinks(links)
        many = {row["title"]: row["degree"] for row in rows if row["degree"] > MOST_LINKS_OF_A_DOCUMENT}
        said = "links: only those to passages that were found otherwise were followed"
        return FoundLinks(links, tuple(f"{title!r} has {degree:,} {said}" for title, degree in many.items()))


class JoinedLinkedPassages(JoinedPassages):
    """`LinkedPassages` of several corpora; no link leads from one to another."""

    def __init__(self, corpora: OpenedCorpora[LinkedCorpus]) -> None:
        super().__init__(corpora)
        self._linked = corpora

    def document_links(self, sources: Sequence[str], found: Sequence[str]) -> FoundLinks:
        """As `LinkedPassages.document_links`."""
        of = self._linked.each_of(sources, lambda corpus, own: corpus.document_links(own, found))
        for title, each in of.items():
            self._linked.found_in(title, (link.first for link in each.links if link.first is not None))
        links = [link for each in of.values() for link in each.links]
        return FoundLinks(links, tuple(note for each in of.values() for note in each.notes))
