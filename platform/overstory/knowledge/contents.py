"""What the corpus holds: documents, communities, counts; and its export."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from overstory import index, transfer
from overstory.display import counted, data_frame
from overstory.errors import CorpusError, ModelError, QuestionError
from overstory.filters import Where
from overstory.graph import CorpusSize, list_corpora, read_corpus
from overstory.index import BoilerplateBlock, CorpusStatus, MetadataKeys, MetadataValues, StoredDocument
from overstory.knowledge.connection import CorpusConnection
from overstory.model import Evidence
from overstory.systems import lifecycle, systems_of

if TYPE_CHECKING:
    import pandas

MOST_BLOCKS_LISTED = 1_000
MOST_VALUES_LISTED = 50
"""Values of a key of metadata."""
PART_EXPORTED = (
    "left out: other documents, links to them, edits of names and vocabularies, which may name what only others do, "
    "and what systems made of passages, as always"
)
DOCUMENT_COLUMNS = ("id", "source", "source_key", "title", "chunks")


@dataclass(frozen=True, slots=True)
class ExportReport:
    """The result of an export: how many documents, and the digest of the corpus, "" for a part of it.

    Attributes:
        notes: what was left out of a part.
    """

    documents: int
    digest: str
    notes: tuple[str, ...] = ()


class CorpusContents(CorpusConnection):
    """What the corpus holds: documents, communities, counts; and its export."""

    def status(self, *, sizes: bool = True) -> CorpusStatus:
        """Reports what the corpus holds, what its index lacks, what each stage did, and who writes.

        Args:
            sizes: whether to count what it holds, for which every name is looked at. Without, `counts` is empty.

        Raises:
            CorpusNotFound, DatabaseError: the corpus is not there, or cannot be read.
        """
        corpus = read_corpus(self.graph, self.corpus_name)
        status = index.read_status(self.graph, corpus, sizes=sizes)
        systems = {each.name: lifecycle.pending(self.graph, corpus, each) for each in systems_of(corpus)}
        pending = status.pending | systems
        try:
            index_time = self._index_time(pending["embed"], pending["extract"], embedder=corpus.embedder)
        except ModelError:
            index_time = None  # `index` says what is wrong with the model
        return replace(status, pending=pending, index_time=index_time)

    def digest(self) -> str:
        """64 hexadecimal digits, equal for two corpora exactly if their contents are equal.

        Raises:
            CorpusNotFound, DatabaseError: the corpus is not there, or cannot be read.
        """
        return transfer.digest(self.graph, read_corpus(self.graph, self.corpus_name))

    def corpora(self) -> list[CorpusSize]:
        """All corpora of the database, by name."""
        return list_corpora(self.graph)

    def documents(
        self,
        *,
        source: str | Sequence[str] | None = None,
        where: Where | None = None,
        after: tuple[str, str] | None = None,
    ) -> Iterator[StoredDocument]:
        """The documents of the corpus in order of source and key, lazily.

        Args:
            source: only documents of this source, or of one of several: a source as documents have it; a file or
                folder, with everything below it; or a pattern of paths ("docs/*.html"), in which `**` stands for
                folders, too.
            where: only documents whose metadata fulfil this filter, as of `search`.
            after: where no source is named, only documents that come after this source and key: to go on from the last
                one of a page.

        Raises:
            FilterError, MetadataNotFound: `where` cannot be read, or asks for a key that no document has.
            CorpusNotFound, DatabaseError: the corpus is not there, or cannot be read.
        """
        matching = self._matching(where)
        found = index.stored_documents(
            self.graph, read_corpus(self.graph, self.corpus_name), source=source, after=after
        )
        return found if matching is None else (document for document in found if document.id in matching)

    def boilerplate(self, *, limit: int = MOST_BLOCKS_LISTED) -> list[BoilerplateBlock]:
        """The blocks that most documents of their folder repeat, by folder, the most frequent first. Names, vectors and
        answers leave them out.

        Args:
            limit: the most that are returned, 1 or more.

        Raises:
            QuestionError: `limit` is below 1.
            CorpusNotFound, DatabaseError: the corpus is not there, or cannot be read.
        """
        if limit < 1:
            raise QuestionError(f"limit is {limit}.", remedy="Ask for 1 or more.")
        return index.boilerplate_blocks(self.graph, read_corpus(self.graph, self.corpus_name), limit)

    def metadata(self) -> MetadataKeys:
        """The keys of the metadata of all documents, with the type of their values, how many documents have some, how
        many distinct ones there are, and examples.

        Raises:
            CorpusNotFound, DatabaseError: the corpus is not there, or cannot be read.
        """
        return index.metadata_keys(self.graph, read_corpus(self.graph, self.corpus_name))

    def metadata_values(self, key: str, *, limit: int = MOST_VALUES_LISTED) -> MetadataValues:
        """The values that documents have under a key of their metadata, the most frequent first.

        Args:
            limit: the most that are returned, 1 or more.

        Raises:
            MetadataNotFound: no document has metadata by this key; the remedy names the nearest.
            QuestionError: `limit` is below 1.
            CorpusNotFound, DatabaseError: the corpus is not there, or cannot be read.
        """
        if limit < 1:
            raise QuestionError(f"limit is {limit}.", remedy="Ask for 1 or more.")
        return index.metadata_values(self.graph, read_corpus(self.graph, self.corpus_name), key, limit=limit)

    def documents_of(self, evidence: Evidence) -> dict[str, StoredDocument]:
        """The documents that hits come from, with their metadata, by `Hit.document_id`; those that are still there.

        Raises:
            CorpusNotFound, DatabaseError: the corpus is not there, or cannot be read.
        """
        ids = dict.fromkeys(hit.document_id for hit in evidence.hits)
        found = index.documents_by_id(self.graph, read_corpus(self.graph, self.corpus_name), ids)
        return {document.id: document for document in found}

    def count_documents(self, *, source: str | Sequence[str] | None = None, where: Where | None = None) -> int:
        """How many documents the corpus has.

        Args:
            source, where: count only documents of these sources, that fulfil this filter, as `documents` takes them.

        Raises:
            DocumentNotFound: no document has one of the sources.
            FilterError, MetadataNotFound: as `documents`.
            CorpusNotFound, DatabaseError: the corpus is not there, or cannot be read.
        """
        corpus = read_corpus(self.graph, self.corpus_name)
        matching = self._matching(where)
        if source is None:
            return index.count_documents(self.graph, corpus) if matching is None else len(matching)
        rows = index.rows_of_all(self.graph, corpus, index.select_all(self.graph, corpus, source))
        return sum(1 for row in rows if matching is None or row["id"] in matching)

    def filter_notes(self, where: Where) -> tuple[str, ...]:
        """What is to be said of a filter of documents: that it compares with values of another type than a key has, or
        that no document fulfils it.

        Raises:
            FilterError, MetadataNotFound, CorpusNotFound, DatabaseError: as `documents`.
        """
        return self._filtered(where).said

    def documents_to_pandas(
        self, *, source: str | Sequence[str] | None = None, where: Where | None = None
    ) -> pandas.DataFrame:
        """A row per document: id, source, source_key, title, chunks, and `metadata_…` for what else it brought.

        Raises:
            ExtraMissing: pandas is not installed.
            CorpusNotFound, DatabaseError: the corpus is not there, or cannot be read.
        """
        return data_frame(
            (_record(document) for document in self.documents(source=source, where=where)), DOCUMENT_COLUMNS
        )

    def export(self, write: Callable[[str], object], *, where: Where | None = None) -> ExportReport:
        """Gives every line of an export (JSON lines, with line ends) to `write`; `ingest` reads them back.

        Args:
            where: only the documents whose metadata fulfil this filter, as of `search`, with what was found in them:
                no links to others, and no edits of names and vocabularies, whose names may be others'.

        Raises:
            FilterError, MetadataNotFound: `where` cannot be read, or asks for a key that no document has.
            CorpusError: the corpus is not there, or changed meanwhile.
            DatabaseError: the server cannot be reached, or refuses a statement.
        """
        corpus = read_corpus(self.graph, self.corpus_name)
        only = self._matching(where)
        lines = -2  # the header and the end are no documents
        self.progress.start("export", None, "documents")
        for line in transfer.export_lines(self.graph, corpus, only):
            write(line + "\n")
            lines += 1
            self.progress.advance(1)
        self.progress.finish(counted(lines, "document"))
        computed = transfer.digest(self.graph, corpus) if only is None else ""
        if read_corpus(self.graph, self.corpus_name).version != corpus.version:
            raise CorpusError(
                f"Corpus {self.corpus_name!r} changed while it was exported, so that the export is of no one state.",
                remedy="Export it again when nobody writes to it (overstory status).",
            )
        return ExportReport(documents=lines, digest=computed, notes=() if only is None else (PART_EXPORTED,))


def _record(document: StoredDocument) -> dict[str, object]:
    """A document as `documents_to_pandas` gives it."""
    fields: dict[str, object] = {name: getattr(document, name) for name in DOCUMENT_COLUMNS}
    return fields | {f"metadata_{name}": value for name, value in document.metadata.items()}
