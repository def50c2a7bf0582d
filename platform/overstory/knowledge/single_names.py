"""Names one at a time: what the corpus says of each."""

from __future__ import annotations

from overstory.errors import QuestionError
from overstory.filters import Where
from overstory.knowledge.connection import CorpusConnection
from overstory.model.name_facts import NameFacts, NamePassages
from overstory.retrieve.context import one_question
from overstory.retrieve.name_facts import find_name_facts
from overstory.retrieve.name_passages import find_name_passages

MOST_NAME_FACTS = 100
"""Facts of a name that are returned, and names that are related to it."""
MOST_NAME_PASSAGES = 100
"""Passages of a name that are returned."""


class SingleNames(CorpusConnection):
    """Names one at a time."""

    @one_question()
    def name(self, name: str, *, limit: int = 20, where: Where | None = None) -> NameFacts:
        """What the corpus says of a name: its type and spellings, its facts with the sentences that state them, and the
        names that facts tie to it.

        Args:
            name: as texts write it; case, accents and punctuation do not matter.
            limit: the most facts, and the most names, 1 to 100.
            where: a filter on the metadata of documents, as of `search`: passages, spellings and facts of others are
                not told, and a name that only they mention is unknown. What type a name has is decided by all
                documents.

        Raises:
            QuestionError: the name is empty, or `limit` is out of bounds.
            NameNotFound: no passage mentions it; `suggestions` has the most similar names.
            FilterError, MetadataNotFound: `where` cannot be read, or asks for a key that no document has.
            IndexMissing: the corpus has no names yet.
            CorpusNotFound, DatabaseError: the corpus is not there, or cannot be read.
        """
        if not 1 <= limit <= MOST_NAME_FACTS:
            raise QuestionError(f"limit is {limit}.", remedy=f"Ask for 1 to {MOST_NAME_FACTS} facts.")
        among = self._among_enabled(where)
        return find_name_facts(self.graph, self.corpus_name, name, limit=limit, among=among)

    @one_question()
    def name_passages(self, name: str, *, first: int = 0, limit: int = 20, where: Where | None = None) -> NamePassages:
        """The passages that mention a name, or are about it, a page at a time.

        Args:
            name: as texts write it; case, accents and punctuation do not matter.
            first: how many are left out before the others, to go on from a page.
            limit: the most, 1 to 100.
            where: as of `name`.

        Raises:
            QuestionError: the name is empty, or `first` or `limit` is out of bounds.
            NameNotFound, FilterError, MetadataNotFound, IndexMissing, CorpusNotFound, DatabaseError: as `name`.
        """
        if not 1 <= limit <= MOST_NAME_PASSAGES or first < 0:
            raise QuestionError(
                f"first is {first} and limit {limit}.", remedy=f"Ask for 1 to {MOST_NAME_PASSAGES} passages from 0 on."
            )
        among = self._among_enabled(where)
        return find_name_passages(self.graph, self.corpus_name, name, first=first, limit=limit, among=among)
