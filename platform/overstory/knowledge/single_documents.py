"""Single documents of the corpus: what they are, and their text by passages."""

from __future__ import annotations

from overstory.errors import QuestionError
from overstory.filters import Where
from overstory.graph import read_corpus
from overstory.index import StoredDocument
from overstory.index.document_passages import DocumentPassage, document_by_id, document_passages, passage_position
from overstory.knowledge.connection import CorpusConnection

_MOST_PASSAGES_READ = 1_000


class SingleDocuments(CorpusConnection):
    """Documents by their ids."""

    def document(self, document: str) -> StoredDocument:
        """The document that has an id, as hits and `documents` name it.

        Raises:
            DocumentNotFound: there is none.
            CorpusNotFound, DatabaseError: the corpus is not there, or cannot be read.
        """
        return document_by_id(self.graph, read_corpus(self.graph, self.corpus_name), document)

    def document_passages(
        self, document: str, *, first: int = 0, limit: int = 100, around: str = ""
    ) -> list[DocumentPassage]:
        """The text of a document: its passages in reading order; they may overlap, as `start` and `end` say.

        Args:
            first: how many passages are left out before.
            limit: the most that are returned, 1 to 1,000.
            around: the id of one of its passages: those before and after it, in place of `first`.

        Raises:
            QuestionError: `first` or `limit` is out of bounds.
            DocumentNotFound: there is no such document, or no passage `around` in it.
            CorpusNotFound, DatabaseError: as `document`.
        """
        if first < 0 or not 1 <= limit <= _MOST_PASSAGES_READ:
            raise QuestionError(
                f"first is {first}, and limit {limit}.",
                remedy=f"Leave out 0 or more passages, and ask for 1 to {_MOST_PASSAGES_READ:,}.",
            )
        corpus = read_corpus(self.graph, self.corpus_name)
        if around:
            first = max(0, passage_position(self.graph, corpus, document, around) - limit // 2)
        found = document_passages(self.graph, corpus, document, first=first, limit=limit)
        if not found:
            document_by_id(self.graph, corpus, document)
        return found

    def fulfils(self, document: str, where: Where) -> bool:
        """Whether a document is there, and its metadata fulfil a filter.

        Raises:
            FilterError, MetadataNotFound, CorpusNotFound, DatabaseError: as `documents`.
        """
        matching = self._matching(where)
        return matching is not None and document in matching
