"""API methods that list, read, disable, delete and export documents, and that describe the corpus."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from overstory import transfer
from overstory.display import counted, data_frame
from overstory.errors import CorpusError, ModelError, QuestionError
from overstory.filters import Where, read_filter
from overstory.graph import Corpus, CorpusSize, list_corpora, read_corpus, writing
from overstory.index import BoilerplateBlock, CorpusStatus, MetadataKeys, MetadataValues, StoredDocument
from overstory.index.boilerplate import boilerplate_blocks, sync_boilerplate
from overstory.index.removal import remove_corpus, remove_documents
from overstory.index.stages.entities import sync_entities
from overstory.index.stages.mentions import sync_mentions_if_extracted
from overstory.index.status import count_documents, documents_by_id, metadata_keys, metadata_values, read_status
from overstory.index.stored_documents import (
    DocumentPassage,
    disabled_ids,
    document_by_id,
    document_passages,
    document_unknown,
    ids_of_origin,
    passage_position,
    rows_of_all,
    select_all,
    set_disabled,
    stored_documents,
)
from overstory.knowledge.connection import CorpusPart, WholePart
from overstory.model import Evidence
from overstory.systems import lifecycle, systems_of

if TYPE_CHECKING:
    import pandas


MOST_BLOCKS_LISTED = 1_000
MOST_VALUES_LISTED = 50
"""Default number of values listed for a metadata key."""
_PART_EXPORTED = (
    "left out: other documents, links to them, manual edits and vocabularies, which may contain other entities, "
    "and indexes of systems, which exports never contain"
)


@dataclass(frozen=True, slots=True)
class ExportReport:
    """The result of an export.

    Attributes:
        digest: digest of the corpus; "" for a filtered export.
        notes: for a filtered export, the parts of the corpus that were left out.
    """

    documents: int
    digest: str
    notes: tuple[str, ...] = ()


class CorpusContents(WholePart):
    """Methods that return the counts, metadata and digest of the corpus, and that export it."""

    def status(self, *, sizes: bool = True) -> CorpusStatus:
        """Report the contents of the corpus, pending index work, the last run of each stage, and the current writer.

        Args:
            sizes: True to count the contents, which reads every entity. If False, `counts` stays empty.
        """
        corpus = self.read()
        status = read_status(self.graph, corpus, sizes=sizes)
        systems = {each.name: lifecycle.pending(self.graph, corpus, each) for each in systems_of(corpus)}
        pending = status.pending | systems
        try:
            index_time = self.connection.index_time(pending["embed"], pending["extract"], embedder=corpus.embedder)
        except ModelError:
            index_time = None  # when `index` runs, it reports what is wrong with the model
        return replace(status, pending=pending, index_time=index_time)

    def digest(self) -> str:
        """Return a digest of the corpus: 64 hexadecimal digits.

        Two corpora have the same digest if, and only if, their contents are equal.
        """
        return transfer.digest(self.graph, self.read())

    def corpora(self) -> list[CorpusSize]:
        """List all corpora in the database, sorted by name."""
        return list_corpora(self.graph)

    def boilerplate(self, *, limit: int = MOST_BLOCKS_LISTED) -> list[BoilerplateBlock]:
        """List the text blocks that most documents of a folder repeat, sorted by folder, most frequent first.

        Entity extraction, vectors and answers ignore these blocks.

        Args:
            limit: maximum number of blocks, 1 or more.

        Raises:
            QuestionError: `limit` is below 1.
        """
        if limit < 1:
            raise QuestionError(f"limit is out of range: {limit}.", remedy="Ask for 1 or more.")
        return boilerplate_blocks(self.graph, self.read(), limit)

    def metadata(self) -> MetadataKeys:
        """List all metadata keys. Each has a value type, examples, and counts of its documents and distinct values."""
        return metadata_keys(self.graph, self.read())

    def metadata_values(self, key: str, *, limit: int = MOST_VALUES_LISTED) -> MetadataValues:
        """List the values of a metadata key, most frequent first.

        Args:
            limit: maximum number of values, 1 or more.

        Raises:
            MetadataNotFound: no document has this key. The error's remedy names similar keys.
            QuestionError: `limit` is below 1.
        """
        if limit < 1:
            raise QuestionError(f"limit is out of range: {limit}.", remedy="Ask for 1 or more.")
        return metadata_values(self.graph, self.read(), key, limit=limit)

    def documents_of(self, evidence: Evidence) -> dict[str, StoredDocument]:
        """Return a map from `Hit.document_id` to the document, for each hit whose document still exists."""
        ids = dict.fromkeys(hit.document_id for hit in evidence.hits)
        found = documents_by_id(self.graph, self.read(), ids)
        return {document.id: document for document in found}

    def filter_notes(self, where: Where) -> tuple[str, ...]:
        """Return warnings about a filter: a value's type differs from that of the key, or no document matches."""
        return self.filtered(read_filter(where)).all_notes

    def export(self, write: Callable[[str], object], *, where: Where | None = None) -> ExportReport:
        """Export the corpus as JSON lines: call `write` with each line. `ingest` can restore the export.

        Args:
            where: metadata filter as for `search`. Only matching documents and their extractions are exported. Links to
                other documents are left out. So are manual edits and vocabularies, because they may contain entities
                of other documents.

        Raises:
            CorpusError: the corpus does not exist, or changed during the export.
            DatabaseError: the server cannot be reached or rejects a statement.
        """
        corpus = self.read()
        only = self.matching(where)
        lines = -2  # counts documents: the first and the last line are not documents
        self.progress.start("export", None, "documents")
        for line in transfer.export_lines(self.graph, corpus, only):
            write(line + "\n")
            lines += 1
            self.progress.advance(1)
        self.progress.finish(counted(lines, "document"))
        computed = transfer.digest(self.graph, corpus) if only is None else ""
        if self.read().version != corpus.version:
            raise CorpusError(
                f"Corpus {self.corpus_name!r} changed during the export, so the export is inconsistent.",
                remedy="Export again while nobody writes to the corpus (overstory status).",
            )
        return ExportReport(documents=lines, digest=computed, notes=() if only is None else (_PART_EXPORTED,))


_COLUMNS = ("id", "source", "source_key", "title", "chunks")
_ID = re.compile("[0-9a-f]{32}")
_MOST_PASSAGES_READ = 1_000


class Documents(CorpusPart):
    """Methods that list and read the documents of the corpus."""

    def documents(
        self,
        *,
        source: str | Sequence[str] | None = None,
        where: Where | None = None,
        after: tuple[str, str] | None = None,
    ) -> Iterator[StoredDocument]:
        """Yield the documents of the corpus lazily, sorted by source and key.

        Args:
            source: one or several sources. Each is the exact source of a document, a file, a folder with everything
                below it, or a path pattern such as "docs/*.html". In a pattern, `**` also matches folders.
            where: metadata filter as for `search`.
            after: source and key of the last document of the previous page; requires `source` to be None.
        """
        matching = self.matching(where)
        found = stored_documents(self.graph, self.read(), source=source, after=after)
        return found if matching is None else (document for document in found if document.id in matching)

    def count_documents(self, *, source: str | Sequence[str] | None = None, where: Where | None = None) -> int:
        """Return the number of documents.

        Args:
            source, where: as for `documents`; count only documents that come from these sources and match this filter.

        Raises:
            DocumentNotFound: one of the sources matches no document.
        """
        corpus = self.read()
        matching = self.matching(where)
        if source is None:
            return count_documents(self.graph, corpus) if matching is None else len(matching)
        rows = rows_of_all(self.graph, corpus, select_all(self.graph, corpus, source))
        return sum(1 for row in rows if matching is None or row["id"] in matching)

    def documents_to_pandas(
        self, *, source: str | Sequence[str] | None = None, where: Where | None = None
    ) -> pandas.DataFrame:
        """Return one row per document, with id, source, source_key, title, chunks, and `metadata_KEY` for each key.

        Raises:
            ExtraMissing: pandas is not installed.
        """
        return data_frame((_record(document) for document in self.documents(source=source, where=where)), _COLUMNS)

    def document(self, document: str) -> StoredDocument:
        """Return the document with this id, which hits and `documents` contain.

        Raises:
            DocumentNotFound: no document has this id.
        """
        self._check(document)
        return document_by_id(self.graph, self.read(), document)

    def document_passages(
        self, document: str, *, first: int = 0, limit: int = 100, around: str = ""
    ) -> list[DocumentPassage]:
        """Return the passages of a document in reading order. The spans (`start` to `end`) of passages may overlap.

        Args:
            first: number of passages to skip.
            limit: maximum number of passages, 1 to 1,000.
            around: id of a passage. If it is given, `first` is ignored, and this passage is returned with the passages
                before and after it.

        Raises:
            QuestionError: `first` or `limit` is out of range.
            DocumentNotFound: the document does not exist, or does not contain the passage `around`.
        """
        if first < 0 or not 1 <= limit <= _MOST_PASSAGES_READ:
            raise QuestionError(
                f"first or limit is out of range: first={first}, limit={limit}.",
                remedy=f"Skip 0 or more passages, and ask for 1 to {_MOST_PASSAGES_READ:,}.",
            )
        self._check(document)
        corpus = self.read()
        if around:
            first = max(0, passage_position(self.graph, corpus, document, around) - limit // 2)
        found = document_passages(self.graph, corpus, document, first=first, limit=limit)
        if not found:
            document_by_id(self.graph, corpus, document)
        return found

    def fulfils(self, document: str, where: Where) -> bool:
        """Return True if the document exists and matches the metadata filter."""
        matching = self.matching(where)
        return matching is not None and document in matching

    def _check(self, document: str) -> None:
        matching = self.matching(None)
        if matching is not None and document not in matching:
            raise document_unknown(document)


class DocumentEdits(WholePart):
    """Methods that disable, enable and delete documents."""

    def disable_documents(self, named: str | Iterable[str] = (), *, where: Where | None = None) -> int:
        """Disable documents: they stay stored and indexed, but no result uses them.

        Disabling is quick, because nothing is recomputed, and `enable_documents` undoes it. While documents are
        disabled, all searches, entities, paths, trees and reports leave them out, and `suggested_merges` raises
        `DocumentsDisabled`. A document stays disabled when it is loaded again, moved by a sync, or exported and
        restored.

        Args:
            named: one or several documents, each given by its id, its source (as for `documents`), or its source and
                key ("table.csv#7").
            where: metadata filter. With `named`, only those documents that match it are disabled; without `named`, all
                documents that match it.

        Returns:
            The number of documents that were not disabled before.

        Raises:
            DocumentNotFound: a document does not exist. The error's `nearest` lists the most similar sources. Nothing
                was changed.
        """
        return self._set_disabled(named, where, disabled=True)

    def enable_documents(self, named: str | Iterable[str] = (), *, where: Where | None = None) -> int:
        """Enable disabled documents, so that all results use them again.

        Args:
            named, where: as for `disable_documents`.

        Returns:
            The number of documents that were disabled before.

        Raises:
            DocumentNotFound: as for `disable_documents`.
        """
        return self._set_disabled(named, where, disabled=False)

    def count_disabled(self) -> int:
        return self.read().disabled

    def disabled_documents(self) -> list[StoredDocument]:
        """Return the disabled documents, sorted by source and key."""
        corpus = self.read()
        found = documents_by_id(self.graph, corpus, disabled_ids(self.graph, corpus))
        return sorted(found, key=lambda document: (document.source, document.source_key))

    def _set_disabled(self, named: str | Iterable[str], where: Where | None, *, disabled: bool) -> int:
        given = list(dict.fromkeys([named] if isinstance(named, str) else named))
        with writing(self.graph, self.read(), "disable" if disabled else "enable") as by:
            matching = self.matching(where)
            chosen: Iterable[str] = matching or ()
            if given:
                found = self._ids_of(by.corpus, given)
                chosen = found if matching is None else (id_ for id_ in found if id_ in matching)
            if not disabled:
                return set_disabled(by, chosen, disabled=False)
            changed = set_disabled(by, chosen, disabled=True)
            if changed:
                self._forget_answers(by.corpus)
            return changed

    def _ids_of(self, corpus: Corpus, given: Sequence[str]) -> Iterator[str]:
        """An unknown document raises an error at once, not while the ids are iterated."""
        possible = {each: [each] if _ID.fullmatch(each) else ids_of_origin(corpus, each) for each in given}
        every = list(itertools.chain.from_iterable(possible.values()))
        ids = {document.id for document in documents_by_id(self.graph, corpus, every)}
        sources = [each for each, known in possible.items() if ids.isdisjoint(known)]
        chosen = select_all(self.graph, corpus, sources) if sources else []
        of_sources = (str(row["id"]) for row in rows_of_all(self.graph, corpus, chosen))
        return (id_ for some in (sorted(ids), of_sources) for id_ in some)

    def _forget_answers(self, corpus: Corpus) -> None:
        """Delete the conversation that `overstory ask` keeps if one of its answers cites a disabled document."""
        chunks = sorted({chunk for turn in self.connection.kept_conversation.read() for chunk in turn.chunks})
        if chunks:
            disabled = set(disabled_ids(self.graph, corpus))
            (row,) = self.graph.run("retrieve/chunk_documents", corpus.label, read=True, ids=chunks)
            self.connection.kept_conversation.forget_passages(
                [chunk for chunk, of in row["documents"] if of in disabled]
            )

    def delete_documents(
        self,
        ids: str | Iterable[str] = (),
        *,
        source: str | Sequence[str] | None = None,
        where: Where | None = None,
    ) -> int:
        """Delete documents, with the entities and facts that no other document contains. Return how many were deleted.

        Args:
            ids: one or several document ids, which `documents` and `Hit.document_id` contain. Unknown ids are ignored.
            source: also delete all documents from these sources, as for `documents`.
            where: metadata filter. With `source`, only the documents from `source` that match it are deleted; without
                `source`, all documents that match it. Documents in `ids` are deleted in any case.

        Raises:
            DocumentNotFound: one of the sources matches no document. Nothing was deleted.
        """
        named = [ids] if isinstance(ids, str) else ids
        with self.connection.changing(self.read(), "delete") as writer:
            matching = self.matching(where)
            chosen = [] if source is None else select_all(self.graph, writer.corpus, source)
            of_sources = (str(row["id"]) for row in rows_of_all(self.graph, writer.corpus, chosen))
            found: Iterable[str] = of_sources
            if matching is not None:
                found = sorted(matching) if source is None else [id_ for id_ in of_sources if id_ in matching]
            removed = remove_documents(
                writer,
                itertools.chain(named, found),
                answers=self.connection.remembered_answers(),
                progress=self.progress,
            )
            sync_boilerplate(writer, progress=self.progress)
            sync_entities(writer, progress=self.progress)
            sync_mentions_if_extracted(writer, megabytes=self.settings.memory_megabytes, progress=self.progress)
            return removed

    def delete_corpus(self) -> None:
        """Delete the corpus with all its data.

        Raises:
            CorpusNotFound: the corpus does not exist.
            WriterBusy: another process is writing to the corpus.
        """
        with writing(self.graph, read_corpus(self.graph, self.corpus_name, to_delete=True), "delete") as writer:
            remove_corpus(writer, answers=self.connection.remembered_answers(), progress=self.progress)
        self.connection.kept_conversation.forget()


def _record(document: StoredDocument) -> dict[str, object]:
    fields: dict[str, object] = {name: getattr(document, name) for name in _COLUMNS}
    return fields | {f"metadata_{name}": value for name, value in document.metadata.items()}
