"""The documents of the corpus: listed, read, disabled and deleted."""

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
"""Values of a key of metadata."""
_PART_EXPORTED = (
    "left out: other documents, links to them, edits of names and vocabularies, which may name what only others do, "
    "and what systems made of passages, as always"
)


@dataclass(frozen=True, slots=True)
class ExportReport:
    """The result of an export: how many documents, and the digest of the corpus, "" for a part of it.

    Attributes:
        notes: what was left out of a part.
    """

    documents: int
    digest: str
    notes: tuple[str, ...] = ()


class CorpusContents(WholePart):
    """Counts of the corpus, its digest and its export."""

    def status(self, *, sizes: bool = True) -> CorpusStatus:
        """Reports what the corpus holds, what its index lacks, what each stage did, and who writes.

        Args:
            sizes: whether to count what it holds, for which every name is looked at. Without, `counts` is empty.
        """
        corpus = self.read()
        status = read_status(self.graph, corpus, sizes=sizes)
        systems = {each.name: lifecycle.pending(self.graph, corpus, each) for each in systems_of(corpus)}
        pending = status.pending | systems
        try:
            index_time = self.connection.index_time(pending["embed"], pending["extract"], embedder=corpus.embedder)
        except ModelError:
            index_time = None  # `index` says what is wrong with the model
        return replace(status, pending=pending, index_time=index_time)

    def digest(self) -> str:
        """64 hexadecimal digits, equal for two corpora exactly if their contents are equal."""
        return transfer.digest(self.graph, self.read())

    def corpora(self) -> list[CorpusSize]:
        """All corpora of the database, by name."""
        return list_corpora(self.graph)

    def boilerplate(self, *, limit: int = MOST_BLOCKS_LISTED) -> list[BoilerplateBlock]:
        """The blocks that most documents of their folder repeat, by folder, the most frequent first. Names, vectors and
        answers leave them out.

        Args:
            limit: the most that are returned, 1 or more.

        Raises:
            QuestionError: `limit` is below 1.
        """
        if limit < 1:
            raise QuestionError(f"limit is {limit}.", remedy="Ask for 1 or more.")
        return boilerplate_blocks(self.graph, self.read(), limit)

    def metadata(self) -> MetadataKeys:
        """The keys of the metadata of all documents, with the type of their values, how many documents have some, how
        many distinct ones there are, and examples.
        """
        return metadata_keys(self.graph, self.read())

    def metadata_values(self, key: str, *, limit: int = MOST_VALUES_LISTED) -> MetadataValues:
        """The values that documents have under a key of their metadata, the most frequent first.

        Args:
            limit: the most that are returned, 1 or more.

        Raises:
            MetadataNotFound: no document has metadata by this key; the remedy names the nearest.
            QuestionError: `limit` is below 1.
        """
        if limit < 1:
            raise QuestionError(f"limit is {limit}.", remedy="Ask for 1 or more.")
        return metadata_values(self.graph, self.read(), key, limit=limit)

    def documents_of(self, evidence: Evidence) -> dict[str, StoredDocument]:
        """The documents that hits come from, with their metadata, by `Hit.document_id`; those that are still there."""
        ids = dict.fromkeys(hit.document_id for hit in evidence.hits)
        found = documents_by_id(self.graph, self.read(), ids)
        return {document.id: document for document in found}

    def filter_notes(self, where: Where) -> tuple[str, ...]:
        """What is to be said of a filter of documents: that it compares with values of another type than a key has, or
        that no document fulfils it.
        """
        return self.filtered(read_filter(where)).all_notes

    def export(self, write: Callable[[str], object], *, where: Where | None = None) -> ExportReport:
        """Gives every line of an export (JSON lines, with line ends) to `write`; `ingest` reads them back.

        Args:
            where: only the documents whose metadata fulfil this filter, as of `search`, with what was found in them:
                no links to others, and no edits of names and vocabularies, whose names may be others'.

        Raises:
            CorpusError: the corpus is not there, or changed meanwhile.
            DatabaseError: the server cannot be reached, or refuses a statement.
        """
        corpus = self.read()
        only = self.matching(where)
        lines = -2  # the header and the end are no documents
        self.progress.start("export", None, "documents")
        for line in transfer.export_lines(self.graph, corpus, only):
            write(line + "\n")
            lines += 1
            self.progress.advance(1)
        self.progress.finish(counted(lines, "document"))
        computed = transfer.digest(self.graph, corpus) if only is None else ""
        if self.read().version != corpus.version:
            raise CorpusError(
                f"Corpus {self.corpus_name!r} changed while it was exported, so that the export is of no one state.",
                remedy="Export it again when nobody writes to it (overstory status).",
            )
        return ExportReport(documents=lines, digest=computed, notes=() if only is None else (_PART_EXPORTED,))


_COLUMNS = ("id", "source", "source_key", "title", "chunks")
_ID = re.compile("[0-9a-f]{32}")
_MOST_PASSAGES_READ = 1_000


class Documents(CorpusPart):
    """The documents of the corpus."""

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
        """
        matching = self.matching(where)
        found = stored_documents(self.graph, self.read(), source=source, after=after)
        return found if matching is None else (document for document in found if document.id in matching)

    def count_documents(self, *, source: str | Sequence[str] | None = None, where: Where | None = None) -> int:
        """How many documents the corpus has.

        Args:
            source, where: count only documents of these sources, that fulfil this filter, as `documents` takes them.

        Raises:
            DocumentNotFound: no document has one of the sources.
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
        """A row per document: id, source, source_key, title, chunks, and `metadata_…` for what else it brought.

        Raises:
            ExtraMissing: pandas is not installed.
        """
        return data_frame((_record(document) for document in self.documents(source=source, where=where)), _COLUMNS)

    def document(self, document: str) -> StoredDocument:
        """The document that has an id, as hits and `documents` name it.

        Raises:
            DocumentNotFound: there is none.
        """
        self._check(document)
        return document_by_id(self.graph, self.read(), document)

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
        """
        if first < 0 or not 1 <= limit <= _MOST_PASSAGES_READ:
            raise QuestionError(
                f"first is {first}, and limit {limit}.",
                remedy=f"Leave out 0 or more passages, and ask for 1 to {_MOST_PASSAGES_READ:,}.",
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
        """Whether a document is there, and its metadata fulfil a filter."""
        matching = self.matching(where)
        return matching is not None and document in matching

    def _check(self, document: str) -> None:
        matching = self.matching(None)
        if matching is not None and document not in matching:
            raise document_unknown(document)


class DocumentEdits(WholePart):
    """Documents that are disabled for a time, enabled again, or deleted."""

    def disable_documents(self, named: str | Iterable[str] = (), *, where: Where | None = None) -> int:
        """Disables documents: from now on nothing of them is in any answer, though they stay stored and indexed.

        Nothing is computed for it, and `enable_documents` restores everything as it was. While documents are disabled,
        every question is asked with a filter that leaves them out, and so are names, paths, trees and reports;
        `suggested_merges` says `DocumentsDisabled`. A document that is loaded again, or moved by a sync, stays
        disabled, and one that is exported is disabled where it is restored.

        Args:
            named: documents by their ids, sources or origins ("table.csv#7"), one or several, sources as `documents`
                takes them.
            where: all documents that fulfil this filter; of `named` where it is given, too.

        Returns:
            how many were not disabled before.

        Raises:
            DocumentNotFound: there is no such document; `nearest` has the sources that are most like it. Nothing was
                changed.
        """
        return self._set_disabled(named, where, disabled=True)

    def enable_documents(self, named: str | Iterable[str] = (), *, where: Where | None = None) -> int:
        """Enables documents that were disabled; all that was found of them is found again.

        Args:
            named, where: as of `disable_documents`.

        Returns:
            how many were disabled before.

        Raises:
            DocumentNotFound: as `disable_documents`.
        """
        return self._set_disabled(named, where, disabled=False)

    def count_disabled(self) -> int:
        """How many documents are disabled."""
        return self.read().disabled

    def disabled_documents(self) -> list[StoredDocument]:
        """The documents that are disabled, in order of source and key."""
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
        """The ids of documents that are named by ids or sources; all are looked up before the first is returned."""
        possible = {each: [each] if _ID.fullmatch(each) else ids_of_origin(corpus, each) for each in given}
        every = list(itertools.chain.from_iterable(possible.values()))
        ids = {document.id for document in documents_by_id(self.graph, corpus, every)}
        sources = [each for each, known in possible.items() if ids.isdisjoint(known)]
        chosen = select_all(self.graph, corpus, sources) if sources else []
        of_sources = (str(row["id"]) for row in rows_of_all(self.graph, corpus, chosen))
        return (id_ for some in (sorted(ids), of_sources) for id_ in some)

    def _forget_answers(self, corpus: Corpus) -> None:
        """Forgets the last turns of a conversation that was kept if one of its answers cites a disabled document."""
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
        """Deletes documents, with what only they mentioned or stated; returns how many.

        Args:
            ids: of the documents, one or several, as `documents` and `Hit.document_id` have them. An id that no
                document has is not counted.
            source: all documents of these sources as well, as `documents` takes them.
            where: all documents that fulfil this filter as well, of `source` where it is given, too.

        Raises:
            DocumentNotFound: no document has one of the sources; nothing was deleted.
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
        """Deletes the corpus with everything in it.

        Raises:
            CorpusNotFound: there is no such corpus.
            WriterBusy: another process is writing to it.
        """
        with writing(self.graph, read_corpus(self.graph, self.corpus_name, to_delete=True), "delete") as writer:
            remove_corpus(writer, answers=self.connection.remembered_answers(), progress=self.progress)
        self.connection.kept_conversation.forget()


def _record(document: StoredDocument) -> dict[str, object]:
    fields: dict[str, object] = {name: getattr(document, name) for name in _COLUMNS}
    return fields | {f"metadata_{name}": value for name, value in document.metadata.items()}
