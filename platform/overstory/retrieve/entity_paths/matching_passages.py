"""The passages of names as far as a filter lets them through: what paths go by where there is one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from overstory.graph import Corpus, Transaction
from overstory.graph.client import Row
from overstory.index.stages.entities import most_frequent
from overstory.retrieve.among import Among
from overstory.retrieve.edited_names import cached_edits
from overstory.retrieve.matching import Matching
from overstory.text.names.subjects import OWN

LISTED_PASSAGES_OF_A_NAME = 5_000
"""Passages of a name, and facts, among which those are looked for that a filter lets through."""


@dataclass(frozen=True, slots=True)
class NamePlaces:
    """Where a name stands.

    Attributes:
        chunks: ids of the passages that mention it, or are about it by their own words: that "Holt" is short for a name
            which other documents have is nothing that these say.
        tied: ids of the names that a fact ties to it.
    """

    chunks: tuple[str, ...]
    tied: tuple[str, ...]


@dataclass(slots=True)
class MatchingPassages:
    """The passages of names of the documents that a filter lets through, in one transaction."""

    among: Among
    _known: dict[str, NamePlaces] = field(default_factory=dict[str, NamePlaces])

    @property
    def tx(self) -> Transaction:
        return self.among.tx

    @property
    def corpus(self) -> Corpus:
        return self.among.corpus

    @property
    def matching(self) -> Matching:
        return self.among.matching

    def of(self, names: Iterable[str]) -> dict[str, NamePlaces]:
        """Where some names stand, by their ids; those that stand nowhere are left out."""
        wanted = list(dict.fromkeys(names))
        if new := [name for name in wanted if name not in self._known]:
            documents = self.matching.documents
            for row in self.tx.run(
                "retrieve/path_passages",
                self.corpus.label,
                asked={"names": new},
                most=LISTED_PASSAGES_OF_A_NAME,
                own=OWN,
            ):
                self._known[row["id"]] = NamePlaces(
                    tuple(chunk for chunk, document in row["passages"] if document in documents),
                    tuple(dict.fromkeys(other for other, document in row["tied"] if document in documents)),
                )
        return {name: self._known[name] for name in wanted if name in self._known and self._known[name].chunks}

    def lets_through(self, row: Row) -> bool:
        """Whether the document of a row is one."""
        return row["document"] in self.matching.documents

    def named_in(self, chunks: Sequence[str]) -> list[tuple[str, str, str, int]]:
        """The names that some of these passages mention, or have as titles: id, key, how most of them write it, and how
        many have it. One that they do not spell out is written as its key, and not as other documents write it."""
        edits = cached_edits(self.tx, self.corpus)
        found: list[tuple[str, str, str, int]] = []
        for row in self.tx.run("retrieve/names_in_chunks", self.corpus.label, chunks=list(dict.fromkeys(chunks))):
            surfaces = edits.name_first(row["key"], spellings(row["surfaces"] or row["titled"]))
            found.append((row["id"], row["key"], surfaces[0] if surfaces else row["key"], row["chunks"]))
        return found


def spellings(written: Iterable[str]) -> list[str]:
    """How a name is written, the most frequent spelling first."""
    return most_frequent(list(Counter(written).items()))
