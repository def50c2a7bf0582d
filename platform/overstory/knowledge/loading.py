"""Documents into the corpus, and out of it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from overstory import index, sources, transfer
from overstory.display import counted
from overstory.errors import BrokenSource, CorpusDeleting, CorpusNotFound, SettingsError, SourceError, SourcesEmpty
from overstory.filters import Where
from overstory.graph import Corpus, Writer, batches, read_corpus, writing
from overstory.graph.ids import corpus_label
from overstory.index import Changes, FailedFile, LoadReport, OnChange, RememberedAnswers
from overstory.knowledge.connection import CorpusConnection
from overstory.llm import answer_cache
from overstory.model import Loaded, Metadata
from overstory.protocols import OnBroken
from overstory.sources import InMemory, ReadOptions

_ANNOTATIONS_A_BATCH = 100


class Loading(CorpusConnection):
    """Documents into the corpus, and out of it."""

    def ingest(
        self,
        paths: str | Path | Sequence[str | Path] = (),
        *,
        loader: str | None = None,
        strict: bool = False,
        sync: bool = False,
        allow_empty: bool = False,
        on_change: OnChange | None = None,
        keep_boilerplate: bool | None = None,
        from_uri: str | None = None,
        metadata: Metadata | None = None,
        relative_to: str | Path | None = None,
        options: ReadOptions | None = None,
        only: Sequence[str | Path] | None = None,
        retry: bool = False,
        report: LoadReport | None = None,
        on_reading: Callable[[str], None] | None = None,
    ) -> LoadReport:
        """Loads files, folders and graphs in Neo4j databases. The same content twice changes nothing; changed content
        replaces the old.

        Args:
            paths: one, or several.
            loader: the name of a loader; found by the source itself if left out.
            strict: stop at the first broken source instead of skipping it.
            sync: also delete the documents of these paths that are no longer there to read. Those that may be there,
                though they were not read, stay (`LoadReport.kept`). A document that moved keeps its vectors, mentions
                and facts. Annotations are written after all documents.
            allow_empty: with `sync`, also delete the documents of paths that are missing or empty, which may be a disk
                that is not mounted.
            on_change: called at the end for each document that was added, changed, moved or removed.
            keep_boilerplate: whether blocks that most documents of a folder repeat are kept in names, vectors and
                answers of this corpus, from now on; as before if left out, and at first they are left out.
            from_uri: the Neo4j that a source like "neo4j:Movie?key=title" is read from; the one of the settings if left
                out, and without it the one of the corpus.
            metadata: added to those of each document, in place of what it says itself by these keys. They belong to
                the run: the next one without them takes them off again.
            relative_to: a folder. Documents have their paths below it as sources, in place of whole ones: another
                folder with the same files replaces them.
            options: which files of folders are read, and in which encoding those that are not UTF-8.
            only: of folders among `paths`, read only these files and folders in them, with the same outcome for these
                as if all were read; with `sync`, documents of those that are gone are deleted.
            retry: read only what could not be read in earlier runs (`failed_files`), of `paths` or, if there are none,
                of all. A run that reads a path as a whole does that as well.
            report: filled and returned, so that what was done can be read while this runs, and if it fails: a new one,
                or one with the counts of an interrupted run that this one goes on with.
            on_reading: called with each file before it is read.

        Raises:
            BrokenSource: `strict`, and something cannot be read.
            SettingsError: `metadata` cannot be given; `relative_to` with `sync`, which compares whole paths;
                `delete_excluded` without `sync`.
            LoaderNotFound: no loader has this name, or none knows a file that was named.
            SourcesEmpty: `sync` without `allow_empty`, and the corpus has documents of these paths, but nothing is left
                to read; nothing was changed.
            SourceError: `sync` or `metadata` with a file of an export.
            EmbedderMismatch, WriterBusy, LeaseLost, DatabaseError: what was committed before stays; call again to go
                on.
        """
        if relative_to is not None and sync:
            raise SettingsError("sync compares whole paths.", remedy="Load the folder without relative_to.")
        report, coverage = LoadReport() if report is None else report, sources.Coverage()
        options = _checked(options, sync=sync)
        if retry:
            paths, only = self._to_retry(listed_paths(paths))
        given = index.checked_metadata(metadata or {})
        on_broken = hearing_broken(report, strict=strict)
        named, paths_to_read = transfer.separate_exports(listed_paths(paths))
        if sync and named:
            raise SourceError(
                f"{named[0]} is an export; its documents are those of another corpus, not of this file.",
                remedy="Restore it without syncing.",
            )
        if given and named:
            raise SourceError(
                f"{named[0]} is an export; its documents have their metadata, and no others can be given.",
                remedy="Restore it without metadata.",
            )
        exports = transfer.usable_exports(named, on_broken)
        read = self._read(
            paths_to_read,
            report,
            coverage,
            on_broken,
            options,
            only,
            loader=loader,
            from_uri=from_uri,
            on_reading=on_reading,
        )
        if relative_to is not None:
            coverage.folder = sources.absolute(str(relative_to))
            read = sources.relative_to(read, coverage.folder)
        documents = index.with_metadata(read, given)
        first = list(itertools.islice(documents, 1))  # what cannot be read at all makes no corpus
        report.hidden, report.excluded = coverage.hidden, coverage.excluded
        nothing = not exports and not first
        if nothing and only is not None and not coverage.roots:  # what changed is nothing that is read
            return report
        if nothing and not (sync and self._is_in_corpus(coverage, allow_empty=allow_empty)):
            self._remember_failed_alone(report, coverage, paths_to_read)
            return report
        answers = self._remembered_answers()
        with self._writing("ingest") as writer, Changes() as changes:
            if keep_boilerplate is not None:
                index.keep_boilerplate(writer, keep=keep_boilerplate)
            for export in exports:
                transfer.restore_file(
                    writer, export, report=report, answers=answers, on_broken=on_broken, progress=self.progress
                )
            if exports:
                index.sync_boilerplate(writer, progress=self.progress)
                index.sync_vectors(writer, dimension=self.embedder.dimension, progress=self.progress)
                index.sync_entities(writer, progress=self.progress)
                index.sync_mentions_if_extracted(
                    writer, megabytes=self.settings.memory_megabytes, progress=self.progress
                )
            if first:
                items = itertools.chain(first, documents)
                loaded = changes.without_annotations(items) if sync else items
                unstorable = _on_unstorable(coverage, on_broken)
                self._load(writer, loaded, report, answers, unstorable, changes, coverage)
            index.note_vanished(self.graph, writer.corpus, coverage, changes, report, allow_empty=allow_empty)
            if sync:
                self._remove_vanished(writer, changes, report, answers, on_broken)
            _count_vanished(report, changes, sync=sync)
            index.remember_failed(writer, report.broken, coverage, absolute_paths(paths_to_read))
            report.hidden, report.excluded = coverage.hidden, coverage.excluded
            counts = index.corpus_counts(self.graph, writer.corpus.label)
            report.unresolved, report.in_corpus = counts.unresolved, counts.documents
            report.on_languages = index.language_notes(self.graph, writer.corpus)
            _tell(changes, on_change, sync=sync)
        return report

    def ingest_documents(
        self, documents: InMemory | Iterable[InMemory], *, strict: bool = False, metadata: Metadata | None = None
    ) -> LoadReport:
        """Loads documents from memory: texts, or `Document`s with a source, a key and a title of their own.

        A text is known by its content: the same one twice changes nothing. A `Document` is known by source and key, and
        replaces the one that has them. A `Link` belongs to the document that it starts from: a call replaces the links
        that its documents had, also of those that it has no links of.

        Args:
            documents: one, or several.
            strict: stop at the first that cannot be stored instead of skipping it.
            metadata: as for `ingest`.

        Raises:
            SettingsError: `metadata` cannot be given.
            SourceError: something is neither a text nor a document; those before it may be stored.
            BrokenSource: `strict`, and a document cannot be stored.
            EmbedderMismatch, WriterBusy, LeaseLost, DatabaseError: what was committed before stays.
        """
        report = LoadReport()
        given = index.checked_metadata(metadata or {})
        in_memory = index.with_metadata(sources.in_memory_documents(documents), given)
        first = list(itertools.islice(in_memory, 1))  # what cannot be loaded at all makes no corpus
        with self._writing("ingest") as writer:
            on_broken = hearing_broken(report, strict=strict)
            self._load(writer, itertools.chain(first, in_memory), report, self._remembered_answers(), on_broken)
            counts = index.corpus_counts(self.graph, writer.corpus.label)
            report.unresolved, report.in_corpus = counts.unresolved, counts.documents
            report.on_languages = index.language_notes(self.graph, writer.corpus)
        return report

    def failed_files(self, paths: str | Path | Sequence[str | Path] = ()) -> list[FailedFile]:
        """The files that could not be read when `ingest` last looked at them, or not all of them, with the reason and
        the remedy; by source. One that is read without a fault, or is gone, is no longer among them.

        Args:
            paths: only what is at these, or below; all if left out.

        Raises:
            CorpusNotFound, DatabaseError: the corpus is not there, or cannot be read.
        """
        corpus = read_corpus(self.graph, self.corpus_name)
        return index.failed_files(self.graph, corpus, absolute_paths(listed_paths(paths)))

    def preview(
        self,
        paths: str | Path | Sequence[str | Path] = (),
        *,
        loader: str | None = None,
        strict: bool = False,
        sync: bool = False,
        allow_empty: bool = False,
        on_change: OnChange | None = None,
        from_uri: str | None = None,
        metadata: Metadata | None = None,
        options: ReadOptions | None = None,
        only: Sequence[str | Path] | None = None,
        retry: bool = False,
    ) -> LoadReport:
        """Reports what `ingest` would do, without doing it; restoring exports is not previewed.

        Everything is read, and what is new or changed is cut into chunks, to say how many there are and about how long
        indexing them would take (`LoadReport.index_time`).

        Args:
            on_change: called at the end for each document that would be added, changed, moved or removed.
            from_uri, metadata, options, only, retry: as for `ingest`.

        Raises:
            SettingsError, SourceError, EmbedderMismatch, ModelError, DatabaseError: as `ingest`.
        """
        report, coverage = LoadReport(), sources.Coverage()
        options = _checked(options, sync=sync)
        if retry:
            paths, only = self._to_retry(listed_paths(paths))
        given = index.checked_metadata(metadata or {})
        exports, paths_to_read = transfer.separate_exports(listed_paths(paths))
        if exports:
            raise SourceError(
                f"{exports[0]} is an export; what restoring it would do cannot be previewed.",
                remedy="Restore it into a corpus of its own: --corpus NAME",
            )
        on_broken = hearing_broken(report, strict=strict)
        read = self._read(paths_to_read, report, coverage, on_broken, options, only, loader=loader, from_uri=from_uri)
        documents = index.with_metadata(read, given)
        first = list(itertools.islice(documents, 1))  # a wrong loader is said before a server is started
        self._check_models()
        corpus = self._corpus_if_there()
        if corpus is not None:
            self._use_embedder_of(corpus)
            corpus.check_embedder(self.embedder)
        if sync and not first:
            self._is_in_corpus(coverage, allow_empty=allow_empty)
        with Changes() as changes:
            index.preview(
                self.graph,
                corpus,
                itertools.chain(first, documents),
                self.embedder,
                label=corpus_label(self.corpus_name),
                report=report,
                on_broken=_on_unstorable(coverage, on_broken),
                on_read=changes.note_read,
                progress=self.progress,
                is_partly_read=coverage.is_partly_read,
            )
            stored = 0
            if corpus is not None:
                index.note_vanished(self.graph, corpus, coverage, changes, report, allow_empty=allow_empty)
                stored = index.count_documents(self.graph, corpus)
            _count_vanished(report, changes, sync=sync)
            report.hidden, report.excluded = coverage.hidden, coverage.excluded
            report.chunks -= changes.moved_chunks if sync else 0  # what was found in them is kept
            report.index_time = self._index_time(report.chunks, report.chunks)
            report.in_corpus = stored + report.added - report.removed
            _tell(changes, on_change, sync=sync)
        return report

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
            FilterError, MetadataNotFound: `where` cannot be read, or asks for a key that no document has; likewise.
            CorpusNotFound, WriterBusy, LeaseLost, DatabaseError: what was committed before stays deleted; call again
                to go on.
        """
        named = [ids] if isinstance(ids, str) else ids
        with self._changing(read_corpus(self.graph, self.corpus_name), "delete") as writer:
            matching = self._matching(where)
            chosen = [] if source is None else index.select_all(self.graph, writer.corpus, source)
            of_sources = (str(row["id"]) for row in index.rows_of_all(self.graph, writer.corpus, chosen))
            found: Iterable[str] = of_sources
            if matching is not None:
                found = sorted(matching) if source is None else [id_ for id_ in of_sources if id_ in matching]
            removed = index.remove_documents(
                writer, itertools.chain(named, found), answers=self._remembered_answers(), progress=self.progress
            )
            index.sync_boilerplate(writer, progress=self.progress)
            index.sync_entities(writer, progress=self.progress)
            index.sync_mentions_if_extracted(writer, megabytes=self.settings.memory_megabytes, progress=self.progress)
            return removed

    def delete_corpus(self) -> None:
        """Deletes the corpus with everything in it.

        Raises:
            CorpusNotFound: there is no such corpus.
            WriterBusy: another process is writing to it.
            DatabaseError: call again to go on.
        """
        with writing(self.graph, read_corpus(self.graph, self.corpus_name, to_delete=True), "delete") as writer:
            index.remove_corpus(writer, answers=self._remembered_answers(), progress=self.progress)
        self.kept_conversation.forget()

    def _read(
        self,
        paths: Sequence[str],
        report: LoadReport,
        coverage: sources.Coverage,
        on_broken: OnBroken,
        options: ReadOptions,
        only: Sequence[str | Path] | None = None,
        *,
        loader: str | None,
        from_uri: str | None,
        on_reading: Callable[[str], None] | None = None,
    ) -> Iterator[Loaded]:
        """What the sources hold, lazily; `report` and `coverage` hear of what is skipped."""
        return sources.read_sources(
            paths,
            loader=loader,
            on_broken=on_broken,
            on_skipped=report.skipped.append,
            installed=sources.catalogue(settings=self.settings.reading_from(from_uri)),
            coverage=coverage,
            options=options,
            on_decoded=report.decoded.append,
            on_reading=on_reading,
            only=None if only is None else absolute_paths(listed_paths(only)),
            page_cache=self.settings.places.cache / "pages",
        )

    def _load(
        self,
        writer: Writer,
        documents: Iterable[Loaded],
        report: LoadReport,
        answers: RememberedAnswers,
        on_broken: OnBroken,
        changes: Changes | None = None,
        coverage: sources.Coverage | None = None,
    ) -> None:
        index.load(
            writer,
            documents,
            self.embedder,
            report=report,
            answers=answers,
            on_broken=on_broken,
            progress=self.progress,
            on_read=None if changes is None else changes.note_read,
            is_partly_read=None if coverage is None else coverage.is_partly_read,
        )

    def _is_in_corpus(self, coverage: sources.Coverage, *, allow_empty: bool) -> bool:
        """Whether there is a corpus that may have documents of paths of which nothing can be read."""
        corpus = self._corpus_if_there()
        if corpus is None:
            return False
        empty = coverage.empty_roots()
        stored = 0 if allow_empty else index.count_in(self.graph, corpus, empty)
        if stored:
            paths = ", ".join(root.path for root in empty)
            raise SourcesEmpty(
                f"Nothing is left to read of {paths}, of which corpus {self.corpus_name!r} has "
                f"{counted(stored, 'document')}.",
                documents=stored,
                remedy="Is a disk not mounted? If these documents are to go: --yes, in Python allow_empty=True.",
            )
        return True

    def _to_retry(self, paths: Sequence[str]) -> tuple[list[str], list[str]]:
        """The paths that were given to earlier runs, and what of them could not be read."""
        corpus = self._corpus_if_there()
        found = [] if corpus is None else index.failed_files(self.graph, corpus, absolute_paths(paths))
        kept = [each for each in found if each.root]
        return sorted({each.root for each in kept}), [each.source for each in kept]

    def _remember_failed_alone(
        self, report: LoadReport, coverage: sources.Coverage, paths_to_read: Sequence[str]
    ) -> None:
        """Remembers what could not be read where nothing else was. No corpus is made for that."""
        if report.broken and (corpus := self._corpus_if_there()) is not None:
            with self._changing(corpus, "ingest") as writer:
                index.remember_failed(writer, report.broken, coverage, absolute_paths(paths_to_read))

    def _remembered_answers(self) -> RememberedAnswers:
        return RememberedAnswers(answer_cache(self.settings), self.kept_conversation.forget_passages)

    def _remove_vanished(
        self, writer: Writer, changes: Changes, report: LoadReport, answers: RememberedAnswers, on_broken: OnBroken
    ) -> None:
        """The second half of a sync: what vanished goes; then annotations find their documents, of which those that
        moved are no longer there twice."""
        if changes.removed or changes.moved:
            index.remove_vanished(writer, changes, answers=answers, progress=self.progress)
        for batch in batches(changes.annotations(), _ANNOTATIONS_A_BATCH):
            report.annotated += index.annotate(writer, batch, on_broken)
        if changes.removed or changes.moved:
            index.sync_entities(writer, progress=self.progress)
            index.sync_mentions_if_extracted(writer, megabytes=self.settings.memory_megabytes, progress=self.progress)

    def _corpus_if_there(self) -> Corpus | None:
        try:
            return read_corpus(self.graph, self.corpus_name)
        except CorpusDeleting:
            raise
        except CorpusNotFound:
            return None


def _checked(options: ReadOptions | None, *, sync: bool) -> ReadOptions:
    if options is not None and options.delete_excluded and not sync:
        raise SettingsError("delete_excluded deletes in a sync only.", remedy="Sync, or leave it out.")
    return options or ReadOptions()


def listed_paths(paths: str | Path | Sequence[str | Path]) -> list[str]:
    """One path, or several, as texts."""
    return [str(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]


def absolute_paths(paths: Sequence[str]) -> list[str]:
    """Paths as documents have them; addresses stay as they are."""
    return [path if "://" in path else str(sources.absolute(path)) for path in paths]


def hearing_broken(report: LoadReport, *, strict: bool) -> OnBroken:
    """Puts what is broken into a report; with `strict`, raises it."""

    def heard(error: BrokenSource) -> None:
        if strict:
            raise error
        report.broken.append(error)

    return heard


def _on_unstorable(coverage: sources.Coverage, on_broken: OnBroken) -> OnBroken:
    """Documents that were read but cannot be stored are not gone, either."""

    def heard(error: BrokenSource) -> None:
        coverage.add_unread(error.source, "a part of it cannot be stored")
        on_broken(error)

    return heard


def _count_vanished(report: LoadReport, changes: Changes, *, sync: bool) -> None:
    if sync:
        report.moved += changes.moved
        report.removed += changes.removed
        report.added -= changes.moved
    else:
        report.vanished = changes.moved + changes.removed


def _tell(changes: Changes, on_change: OnChange | None, *, sync: bool) -> None:
    """Without sync, a document that moved is a new one, and nothing is removed."""
    if on_change is not None:
        for change in changes.listed(vanished=sync):
            on_change(change)
