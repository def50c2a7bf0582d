"""Loading documents into the corpus, previewing a load, and staging documents without a database."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from overstory import sources, transfer
from overstory.display import counted
from overstory.errors import BrokenSource, CorpusDeleting, CorpusNotFound, SettingsError, SourceError, SourcesEmpty
from overstory.graph import Corpus, Writer, batches
from overstory.graph.ids import corpus_label
from overstory.index import FailedFile, LoadReport, boilerplate
from overstory.index.changes import Changes, LoadTarget, OnChange
from overstory.index.document_checks import checked_metadata, with_metadata
from overstory.index.ledger import corpus_counts
from overstory.index.stages.embed import sync_vectors
from overstory.index.stages.entities import sync_entities
from overstory.index.stages.extract import annotate
from overstory.index.stages.load import load
from overstory.index.stages.mentions import sync_mentions_if_extracted
from overstory.index.status import count_documents, language_notes
from overstory.index.sync import count_in, failed_files, note_vanished, remember_failed, remove_vanished
from overstory.knowledge.connection import WholePart
from overstory.model import Loaded, Metadata
from overstory.protocols import OnBroken
from overstory.sources import Coverage, InMemory, ReadOptions
from overstory.transfer import StageReport

_ANNOTATIONS_A_BATCH = 100


@dataclass(frozen=True, slots=True)
class _Run:
    """One load run. Its documents are read lazily.

    Attributes:
        exports: paths of export files, which are restored instead of being read as documents.
        paths: all other paths to load.
    """

    exports: Sequence[str]
    paths: Sequence[str]
    documents: Iterator[Loaded]
    report: LoadReport
    coverage: Coverage
    on_broken: OnBroken

    def on_unstorable(self, error: BrokenSource) -> None:
        """Record that a document cannot be stored, so that a sync does not treat its source as deleted."""
        self.coverage.add_unread(error.source, "part of it cannot be stored")
        self.on_broken(error)

    def count(self, changes: Changes, *, sync: bool) -> None:
        report = self.report
        if sync:
            report.moved += changes.moved
            report.removed += changes.removed
            report.added -= changes.moved
        else:
            report.vanished = changes.moved + changes.removed
        report.hidden, report.excluded = self.coverage.hidden, self.coverage.excluded


class Ingestion(WholePart):
    """Loads documents into the corpus."""

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
        """Load files, folders, web pages and graphs from Neo4j databases.

        A document whose content has not changed is skipped. A document whose content has changed is replaced.

        Args:
            loader: name of a loader; by default the loader is chosen by the type of each source.
            strict: stop at the first source that cannot be read, instead of skipping it.
            sync: also delete the documents whose files no longer exist under `paths`. Documents whose source could not
                be checked are kept (`LoadReport.kept`). A moved document keeps its vectors, mentions and facts.
                Annotations are written after all documents.
            allow_empty: with `sync`, also delete the documents of a path that is missing or empty. Without it, they are
                kept, because a disk may not be mounted.
            on_change: called at the end for each document that was added, changed, moved or removed.
            keep_boilerplate: True to use blocks that a folder repeats like any other text of this corpus, from now on;
                False to ignore them in entities, vectors and answers. By default the corpus keeps its setting, which is
                initially False.
            from_uri: Neo4j server for sources like "neo4j:Movie?key=title". By default it comes from the settings; if
                they contain no address, the server that stores the corpus is used.
            metadata: metadata added to every document. Its values override the document's own. A later run without it
                removes it again.
            relative_to: a folder. Documents are stored with paths relative to it. If the same files are later loaded
                from another folder, they replace these documents.
            options: selects the files to read in folders, and sets the encoding of files that are not UTF-8.
            only: files and folders within `paths`; nothing else is read. They are treated exactly as in a full run:
                with `sync`, their missing documents are deleted.
            retry: read only the files within `paths` that failed in earlier runs (`failed_files`), or all failed files
                if `paths` is empty. A full run also reads them again.
            report: the report to fill and return. The caller can read its counts during the run or after a failure.
                To continue an interrupted run with its counts, pass the report of that run.
            on_reading: called with each file before it is read.

        Raises:
            BrokenSource: a source cannot be read, and `strict` is set.
            SettingsError: `metadata` is invalid; `relative_to` is combined with `sync`, which compares absolute paths;
                or `delete_excluded` is set without `sync`.
            LoaderNotFound: the loader does not exist, or no loader recognises a file that was named in `paths`.
            SourcesEmpty: with `sync` and without `allow_empty`, the paths are empty although the corpus contains
                documents from them. Nothing was changed.
            SourceError: `sync` or `metadata` is combined with an export file.
            EmbedderMismatch: the vectors of the corpus come from another embedder.
        """
        if relative_to is not None and sync:
            raise SettingsError(
                "sync cannot be combined with relative_to.", remedy="Load the folder without relative_to."
            )
        _check_options(options, sync=sync)
        run = self._run(
            paths,
            LoadReport() if report is None else report,
            loader=loader,
            strict=strict,
            from_uri=from_uri,
            metadata=metadata,
            relative_to=relative_to,
            options=options,
            only=only,
            retry=retry,
            on_reading=on_reading,
        )
        report = run.report
        if sync and run.exports:
            raise SourceError(
                f"{run.exports[0]} is an export, which cannot be synced.",
                remedy="Restore the export without sync.",
            )
        if metadata and run.exports:
            raise SourceError(
                f"{run.exports[0]} is an export, whose documents have their own metadata.",
                remedy="Restore the export without metadata.",
            )
        exports = transfer.usable_exports(run.exports, run.on_broken)
        first = list(itertools.islice(run.documents, 1))  # if nothing can be read, no corpus must be created
        report.hidden, report.excluded = run.coverage.hidden, run.coverage.excluded
        if not exports and not first:
            if (only is not None or retry) and not run.coverage.roots:  # no file to read lies within `paths`
                return report
            if not (sync and self._may_have_vanished(run.coverage, allow_empty=allow_empty)):
                self._remember_failed_alone(run)
                return report
        answers = self.connection.remembered_answers()
        with self.connection.writing("ingest") as writer, Changes() as changes:
            if keep_boilerplate is not None:
                boilerplate.keep_boilerplate(writer, keep=keep_boilerplate)
            for export in exports:
                transfer.restore_file(
                    writer, export, report=report, answers=answers, on_broken=run.on_broken, progress=self.progress
                )
            if exports:
                boilerplate.sync_boilerplate(writer, progress=self.progress)
                sync_vectors(writer, dimension=self.connection.embedder.dimension, progress=self.progress)
                self._sync_names(writer)
            if first:
                items = itertools.chain(first, run.documents)
                loaded = changes.without_annotations(items) if sync else items
                self._load(LoadTarget.of(writer), loaded, run, changes)
            note_vanished(self.graph, writer.corpus, run.coverage, changes, report, allow_empty=allow_empty)
            if sync:
                self._remove_vanished(writer, changes, run)
            run.count(changes, sync=sync)
            remember_failed(writer, report.broken, run.coverage, absolute_paths(run.paths))
            self._count_corpus(writer.corpus, report)
            _report_changes(changes, on_change, sync=sync)
        return report

    def ingest_documents(
        self, documents: InMemory | Iterable[InMemory], *, strict: bool = False, metadata: Metadata | None = None
    ) -> LoadReport:
        """Load documents from memory: strings, or `Document` objects with source, key and title.

        A string is identified by its content, so loading it twice changes nothing. A `Document` is identified by its
        source and key, and replaces the stored document with the same source and key. A `Link` belongs to its start
        document: for each document that is loaded, the links passed here replace all of its stored links.

        Args:
            strict: stop at the first invalid document, instead of skipping it.
            metadata: as for `ingest`.

        Raises:
            SettingsError: `metadata` is invalid.
            SourceError: an item is neither a string nor a document. Items before it may already be stored.
            BrokenSource: a document cannot be stored, and `strict` is set.
            EmbedderMismatch: the vectors of the corpus come from another embedder.
        """
        report = LoadReport()
        given = checked_metadata(metadata or {})
        in_memory = with_metadata(sources.in_memory_documents(documents), given)
        first = list(itertools.islice(in_memory, 1))  # if there is no document, no corpus must be created
        with self.connection.writing("ingest") as writer:
            load(
                LoadTarget.of(writer),
                itertools.chain(first, in_memory),
                self.connection.embedder,
                report=report,
                answers=self.connection.remembered_answers(),
                on_broken=_broken_collector(report, strict=strict),
                progress=self.progress,
            )
            self._count_corpus(writer.corpus, report)
        return report

    def failed_files(self, paths: str | Path | Sequence[str | Path] = ()) -> list[FailedFile]:
        """List the files that `ingest` could not read completely, sorted by source, with the reason and a remedy.

        Files that have since been read successfully, or that no longer exist, are not listed.

        Args:
            paths: list only files at or below these paths; by default all files.
        """
        corpus = self.read()
        return failed_files(self.graph, corpus, absolute_paths(listed_paths(paths)))

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
        """Report what `ingest` would do, without writing anything. Restoring an export cannot be previewed.

        The preview reads all sources. It also splits new and changed documents into chunks, because the number of
        chunks is needed to estimate the indexing time (`LoadReport.index_time`).

        Args:
            on_change: called at the end for each document that would be added, changed, moved or removed.
            from_uri, metadata, options, only, retry: as for `ingest`.

        Raises:
            SettingsError, SourceError, EmbedderMismatch, ModelError: as for `ingest`.
        """
        _check_options(options, sync=sync)
        run = self._run(
            paths,
            LoadReport(),
            loader=loader,
            strict=strict,
            from_uri=from_uri,
            metadata=metadata,
            options=options,
            only=only,
            retry=retry,
        )
        if run.exports:
            raise SourceError(
                f"{run.exports[0]} is an export, which cannot be previewed.",
                remedy="Restore the export into a new corpus: --corpus NAME",
            )
        report, first = run.report, list(itertools.islice(run.documents, 1))  # errors come before a server is started
        self.connection.check_models()
        corpus = self._corpus_if_there()
        if corpus is not None:
            self.connection.use_embedder_of(corpus)
            corpus.check_embedder(self.connection.embedder)
        if sync and not first:
            self._may_have_vanished(run.coverage, allow_empty=allow_empty)
        with Changes() as changes:
            target = LoadTarget(self.graph, corpus_label(self.corpus_name), corpus is not None)
            self._load(target, itertools.chain(first, run.documents), run, changes)
            stored = 0
            if corpus is not None:
                note_vanished(self.graph, corpus, run.coverage, changes, report, allow_empty=allow_empty)
                stored = count_documents(self.graph, corpus)
            run.count(changes, sync=sync)
            report.chunks -= changes.moved_chunks if sync else 0  # the chunks of moved documents are not new
            report.index_time = self.connection.index_time(report.chunks, report.chunks)
            report.in_corpus = stored + report.added - report.removed
            _report_changes(changes, on_change, sync=sync)
        return report

    def stage(
        self,
        paths: str | Path | Sequence[str | Path],
        folder: str | Path,
        *,
        loader: str | None = None,
        strict: bool = False,
        metadata: Metadata | None = None,
        workers: int | None = None,
        on: str | None = None,
        worker_cpus: float = 1.0,
        worker_gpus: float = 0.0,
        options: ReadOptions | None = None,
    ) -> StageReport:
        """Compute the chunks, vectors, mentions and facts of documents, and write them to files for a later `ingest`.

        Staging needs no database, and `ingest` can load the files on another machine. The folder contains only the
        shards (files) for these paths. After an interruption, the same call computes the missing shards. Called again
        later, it recomputes the shards whose documents changed. Annotations and the links of graphs are left out.

        Args:
            paths, loader, strict, metadata, options: as for `ingest`.
            folder: a new folder, or the folder of an earlier call.
            workers: number of worker processes; each loads its own models. By default there are none, and this process
                does the work.
            on: where the workers run. None: on this machine, without Ray. "ray": on the Ray cluster to which this
                machine belongs; if it belongs to none, on a new local cluster. "ray://HOST:PORT": on that cluster. With
                Ray, `workers` defaults to the number for which the cluster has room.
            worker_cpus, worker_gpus: resources that Ray reserves for each worker.

        Raises:
            BrokenSource, SettingsError, LoaderNotFound: as for `ingest`; SettingsError also if `workers` is below 1, or
                the cluster is unreachable or has no room for a worker.
            ExtraMissing: Ray is not installed.
            SourceError: no document could be read, a path is an export, the folder cannot be written, or it contains
                other files.
            ModelError: a model cannot be used, or two workers died on the same documents.
        """
        loaded = LoadReport()
        report = StageReport(broken=loaded.broken, skipped=loaded.skipped, decoded=loaded.decoded)
        run = self._run(paths, loaded, loader=loader, strict=strict, metadata=metadata, options=options)
        if run.exports:
            raise SourceError(f"{run.exports[0]} is already an export.", remedy="Load it directly: overstory ingest")
        target = transfer.shard_folder(str(folder))
        engine = transfer.stage_engine(
            self._shard_job(target.address), workers, on=on, cpus=worker_cpus, gpus=worker_gpus
        )
        transfer.stage(
            run.documents,
            target,
            self.connection.embedder,
            self.connection.extractor,
            engine=engine,
            report=report,
            on_broken=run.on_broken,
            progress=self.progress,
        )
        return report

    def _shard_job(self, folder: str) -> transfer.ShardJob:
        models = transfer.models_of(self.connection.embedder, self.connection.extractor)
        embedding = self.settings.embedding
        if self.connection.embedder_name:  # the corpus may use an embedder other than the configured one
            embedding = replace(embedding, embedder=self.connection.embedder_name)
        return transfer.ShardJob(folder, embedding, self.settings.extraction, models)

    def _run(
        self,
        paths: str | Path | Sequence[str | Path],
        report: LoadReport,
        *,
        loader: str | None,
        strict: bool,
        from_uri: str | None = None,
        metadata: Metadata | None,
        relative_to: str | Path | None = None,
        options: ReadOptions | None,
        only: Sequence[str | Path] | None = None,
        retry: bool = False,
        on_reading: Callable[[str], None] | None = None,
    ) -> _Run:
        if retry:
            paths, only = self._to_retry(listed_paths(paths))
        given = checked_metadata(metadata or {})
        exports, to_read = transfer.separate_exports(listed_paths(paths))
        coverage, on_broken = Coverage(), _broken_collector(report, strict=strict)
        read = sources.read_sources(
            to_read,
            loader=loader,
            on_broken=on_broken,
            on_skipped=report.skipped.append,
            installed=sources.catalogue(settings=self.settings.reading_from(from_uri)),
            coverage=coverage,
            options=options or ReadOptions(),
            on_decoded=report.decoded.append,
            on_reading=on_reading,
            only=None if only is None else absolute_paths(listed_paths(only)),
            page_cache=self.settings.places.cache / "pages",
        )
        if relative_to is not None:
            coverage.folder = sources.absolute(str(relative_to))
            read = sources.relative_to(read, coverage.folder)
        return _Run(exports, to_read, with_metadata(read, given), report, coverage, on_broken)

    def _load(self, target: LoadTarget, documents: Iterable[Loaded], run: _Run, changes: Changes) -> None:
        load(
            target,
            documents,
            self.connection.embedder,
            report=run.report,
            answers=self.connection.remembered_answers(),
            on_broken=run.on_unstorable,
            progress=self.progress,
            on_read=changes.note_read,
            is_partly_read=run.coverage.is_partly_read,
        )

    def _count_corpus(self, corpus: Corpus, report: LoadReport) -> None:
        counts = corpus_counts(self.graph, corpus.label)
        report.unresolved, report.in_corpus = counts.unresolved, counts.documents
        report.on_languages = language_notes(self.graph, corpus)

    def _sync_names(self, writer: Writer) -> None:
        sync_entities(writer, progress=self.progress)
        sync_mentions_if_extracted(writer, megabytes=self.settings.memory_megabytes, progress=self.progress)

    def _may_have_vanished(self, coverage: sources.Coverage, *, allow_empty: bool) -> bool:
        """Return True if the corpus exists, so that documents from the unreadable paths may have to be deleted.

        Raises:
            SourcesEmpty: the corpus contains documents from the empty paths, and `allow_empty` is False.
        """
        corpus = self._corpus_if_there()
        if corpus is None:
            return False
        empty = coverage.empty_roots()
        stored = 0 if allow_empty else count_in(self.graph, corpus, empty)
        if stored:
            paths = ", ".join(root.path for root in empty)
            raise SourcesEmpty(
                f"Nothing can be read from {paths}, but corpus {self.corpus_name!r} has "
                f"{counted(stored, 'document')} from there.",
                documents=stored,
                remedy="Check that the disk is mounted. "
                "To delete these documents, pass --yes (Python: allow_empty=True).",
            )
        return True

    def _to_retry(self, paths: Sequence[str]) -> tuple[list[str], list[str]]:
        """Return the paths passed to earlier runs in which sources failed, and these sources."""
        corpus = self._corpus_if_there()
        found = [] if corpus is None else failed_files(self.graph, corpus, absolute_paths(paths))
        kept = [each for each in found if each.root]
        return sorted({each.root for each in kept}), [each.source for each in kept]

    def _remember_failed_alone(self, run: _Run) -> None:
        # If there are only failures, they are recorded in an existing corpus; no corpus is created for them.
        if run.report.broken and (corpus := self._corpus_if_there()) is not None:
            with self.connection.changing(corpus, "ingest") as writer:
                remember_failed(writer, run.report.broken, run.coverage, absolute_paths(run.paths))

    def _remove_vanished(self, writer: Writer, changes: Changes, run: _Run) -> None:
        has_vanished = bool(changes.removed or changes.moved)
        if has_vanished:
            answers = self.connection.remembered_answers()
            remove_vanished(writer, changes, answers=answers, progress=self.progress)
        # Annotations are written last: until here, a moved document is stored twice, and would match twice.
        for batch in batches(changes.annotations(), _ANNOTATIONS_A_BATCH):
            run.report.annotated += annotate(writer, batch, run.on_broken)
        if has_vanished:
            self._sync_names(writer)

    def _corpus_if_there(self) -> Corpus | None:
        try:
            return self.read()
        except CorpusDeleting:
            raise
        except CorpusNotFound:
            return None


def _check_options(options: ReadOptions | None, *, sync: bool) -> None:
    if options is not None and options.delete_excluded and not sync:
        raise SettingsError("delete_excluded requires sync.", remedy="Use sync, or omit delete_excluded.")


def listed_paths(paths: str | Path | Sequence[str | Path]) -> list[str]:
    return [str(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]


def absolute_paths(paths: Sequence[str]) -> list[str]:
    """Convert paths to absolute paths, the form in which sources are stored. Addresses stay unchanged."""
    return [path if "://" in path else str(sources.absolute(path)) for path in paths]


def _broken_collector(report: LoadReport, *, strict: bool) -> OnBroken:
    def collect(error: BrokenSource) -> None:
        if strict:
            raise error
        report.broken.append(error)

    return collect


def _report_changes(changes: Changes, on_change: OnChange | None, *, sync: bool) -> None:
    """Without `sync`, a moved document counts as added, and none as removed."""
    if on_change is not None:
        for change in changes.listed(vanished=sync):
            on_change(change)
