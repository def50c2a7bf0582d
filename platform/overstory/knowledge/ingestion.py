"""Documents into the corpus: loaded, previewed, or staged without a database."""

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
    """A run over paths: its documents, which are read lazily, and its outcome.

    Attributes:
        exports: the paths that are files of an export; they are not read.
        paths: the other paths.
    """

    exports: Sequence[str]
    paths: Sequence[str]
    documents: Iterator[Loaded]
    report: LoadReport
    coverage: Coverage
    on_broken: OnBroken

    def on_unstorable(self, error: BrokenSource) -> None:
        """Note a document that was read but cannot be stored: it is not gone, either."""
        self.coverage.add_unread(error.source, "a part of it cannot be stored")
        self.on_broken(error)

    def count(self, changes: Changes, *, sync: bool) -> None:
        """Count what vanished and what was not read."""
        report = self.report
        if sync:
            report.moved += changes.moved
            report.removed += changes.removed
            report.added -= changes.moved
        else:
            report.vanished = changes.moved + changes.removed
        report.hidden, report.excluded = self.coverage.hidden, self.coverage.excluded


class Ingestion(WholePart):
    """Documents into the corpus."""

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
            EmbedderMismatch: the corpus has vectors of another embedder.
        """
        if relative_to is not None and sync:
            raise SettingsError("sync compares whole paths.", remedy="Load the folder without relative_to.")
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
                f"{run.exports[0]} is an export; its documents are those of another corpus, not of this file.",
                remedy="Restore it without syncing.",
            )
        if metadata and run.exports:
            raise SourceError(
                f"{run.exports[0]} is an export; its documents have their metadata, and no others can be given.",
                remedy="Restore it without metadata.",
            )
        exports = transfer.usable_exports(run.exports, run.on_broken)
        first = list(itertools.islice(run.documents, 1))  # what cannot be read at all makes no corpus
        report.hidden, report.excluded = run.coverage.hidden, run.coverage.excluded
        if not exports and not first:
            if (only is not None or retry) and not run.coverage.roots:  # nothing that changed is read
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
            EmbedderMismatch: the corpus has vectors of another embedder.
        """
        report = LoadReport()
        given = checked_metadata(metadata or {})
        in_memory = with_metadata(sources.in_memory_documents(documents), given)
        first = list(itertools.islice(in_memory, 1))  # what cannot be loaded at all makes no corpus
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
        """The files that could not be read when `ingest` last looked at them, or not all of them, with the reason and
        the remedy; by source. One that is read without a fault, or is gone, is no longer among them.

        Args:
            paths: only what is at these, or below; all if left out.
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
        """Reports what `ingest` would do, without doing it; restoring exports is not previewed.

        Everything is read, and what is new or changed is cut into chunks, to say how many there are and about how long
        indexing them would take (`LoadReport.index_time`).

        Args:
            on_change: called at the end for each document that would be added, changed, moved or removed.
            from_uri, metadata, options, only, retry: as for `ingest`.

        Raises:
            SettingsError, SourceError, EmbedderMismatch, ModelError: as `ingest`.
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
                f"{run.exports[0]} is an export; what restoring it would do cannot be previewed.",
                remedy="Restore it into a corpus of its own: --corpus NAME",
            )
        report, first = run.report, list(itertools.islice(run.documents, 1))  # a wrong loader needs no server
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
            report.chunks -= changes.moved_chunks if sync else 0  # what was found in them is kept
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
        """Writes what `ingest` and `index` compute for each document by itself (chunks, vectors, mentions, facts) to
        files in a folder, which `ingest` takes: on this machine, or on the one that has the database. No server is
        started or asked.

        The folder holds the shards of these paths alone. Killed, the same call goes on with what is missing; called
        again, it computes the shards with changed documents. Annotations, and the links of graphs, are left out.

        Args:
            paths, loader, strict, metadata, options: as of `ingest`.
            folder: a new one, or one that was staged before.
            workers: processes that embed and extract, each with models of its own; without them, this process embeds.
            on: where workers run: "ray" for the Ray cluster that this machine is of, or else one of this machine alone,
                "ray://HOST:PORT" for another; None for this machine without Ray. On a cluster there are as many workers
                as it has processors for, if `workers` is left out.
            worker_cpus, worker_gpus: what Ray keeps for each worker.

        Raises:
            BrokenSource, SettingsError, LoaderNotFound: as `ingest`; also for fewer than 1 worker, and a cluster that
                is not there or has no room for a worker.
            ExtraMissing: Ray is not installed.
            SourceError: nothing was read, one of the paths is an export, or the folder cannot be written or has other
                files in it.
            ModelError: a model cannot be used, or two workers ended unexpectedly over the same documents.
        """
        loaded = LoadReport()
        report = StageReport(broken=loaded.broken, skipped=loaded.skipped, decoded=loaded.decoded)
        run = self._run(paths, loaded, loader=loader, strict=strict, metadata=metadata, options=options)
        if run.exports:
            raise SourceError(f"{run.exports[0]} is an export already.", remedy="Load it: overstory ingest")
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
        if self.connection.embedder_name:  # that of a corpus may be another than that of the settings
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
        """Whether there is a corpus that may have documents of paths of which nothing can be read."""
        corpus = self._corpus_if_there()
        if corpus is None:
            return False
        empty = coverage.empty_roots()
        stored = 0 if allow_empty else count_in(self.graph, corpus, empty)
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
        found = [] if corpus is None else failed_files(self.graph, corpus, absolute_paths(paths))
        kept = [each for each in found if each.root]
        return sorted({each.root for each in kept}), [each.source for each in kept]

    def _remember_failed_alone(self, run: _Run) -> None:
        # No corpus is made for this.
        if run.report.broken and (corpus := self._corpus_if_there()) is not None:
            with self.connection.changing(corpus, "ingest") as writer:
                remember_failed(writer, run.report.broken, run.coverage, absolute_paths(run.paths))

    def _remove_vanished(self, writer: Writer, changes: Changes, run: _Run) -> None:
        has_vanished = bool(changes.removed or changes.moved)
        if has_vanished:
            answers = self.connection.remembered_answers()
            remove_vanished(writer, changes, answers=answers, progress=self.progress)
        # Now annotations find their documents: those that moved are no longer there twice.
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
        raise SettingsError("delete_excluded deletes in a sync only.", remedy="Sync, or leave it out.")


def listed_paths(paths: str | Path | Sequence[str | Path]) -> list[str]:
    """One path, or several, as texts."""
    return [str(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]


def absolute_paths(paths: Sequence[str]) -> list[str]:
    """Paths as documents have them; addresses stay as they are."""
    return [path if "://" in path else str(sources.absolute(path)) for path in paths]


def _broken_collector(report: LoadReport, *, strict: bool) -> OnBroken:
    def collect(error: BrokenSource) -> None:
        if strict:
            raise error
        report.broken.append(error)

    return collect


def _report_changes(changes: Changes, on_change: OnChange | None, *, sync: bool) -> None:
    """Without sync, a document that moved is a new one, and nothing is removed."""
    if on_change is not None:
        for change in changes.listed(vanished=sync):
            on_change(change)
