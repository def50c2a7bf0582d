"""Threads of the service that work on jobs: claim a job, keep its lease, report progress, return it at the end.

The work of a job is a few calls of `Knowledge`. Each can be repeated, and then does the rest.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from overstory.cancelling import Cancellation, WorkCancelled, cancellable
from overstory.errors import DatabaseError, LeaseLost, OverstoryError, SourceError, WriterBusy
from overstory.index import LOADED_COUNTS, LoadReport, metadata_of_json
from overstory.knowledge import Knowledge
from overstory.model.plain import plain
from overstory.progress import Step
from overstory.sources import Kept, ReadOptions
from overstory_service.jobs.store import JobState, JobStore, ServiceJob
from overstory_service.jobs.uploads import Uploads
from overstory_service.metrics import ServiceMetrics
from overstory_service.open_corpora import OpenCorpora
from overstory_service.problems import Problem, problem_of

_MOST_PROBLEMS_REPORTED = 100
"""Broken and skipped files in the result of a job."""
LONGEST_ENCODING_NAME = 100
"""Characters of the name of an encoding in a request."""


def report_of(job: ServiceJob) -> LoadReport:
    """Return a report that starts with the counts of the processes that had the job before."""
    report = LoadReport(noted_by=job.id)
    for name in LOADED_COUNTS:
        setattr(report, name, job.loaded.get(name, 0))
    return report


def loaded_counts(report: LoadReport) -> dict[str, int]:
    """Return the counts of all processes of a job, by their names in `LoadReport`."""
    return {name: getattr(report, name) for name in LOADED_COUNTS}


def work_on(
    job: ServiceJob,
    knowledge: Knowledge,
    uploads: Uploads,
    report: LoadReport,
    on_reading: Callable[[str], None],
    *,
    folders: Sequence[str],
) -> dict[str, Any]:
    """Do a job, and return its result as JSON types.

    Args:
        report: report of `report_of`, which counts what is loaded.
        on_reading: called with each file before it is read.
        folders: folders of the server that jobs may load; links out of them are skipped.

    Raises:
        what `Knowledge.ingest` and `Knowledge.index` raise.
    """
    given = job.input
    result: dict[str, Any] = {}
    metadata = metadata_of_json(given.get("metadata") or {}) or None
    if job.kind == "ingest":
        folder = uploads.folder(job.id)
        if not folder.is_dir():
            raise SourceError("The files of this job are gone.", remedy="Upload them again.")
        options = read_options_of(given)
        knowledge.ingest(
            folder, metadata=metadata, relative_to=folder, options=options, report=report, on_reading=on_reading
        )
        result["loaded"] = _loaded(job, report, folder)
    elif job.kind == "sync":
        folder = Path(given["folder"])
        within = tuple(str(Path(each).resolve()) for each in folders)
        knowledge.ingest(
            folder,
            sync=True,
            allow_empty=given.get("allow_empty", False),
            metadata=metadata,
            options=replace(read_options_of(given), within=within),
            report=report,
            on_reading=on_reading,
        )
        result["loaded"] = _loaded(job, report, folder.parent)
    if job.kind == "index" or given.get("index", True):
        systems = given.get("systems", ())
        indexed = knowledge.index(systems=systems, model=given.get("model"), improve=given.get("improve", False))
        result["indexed"] = {"done": list(indexed.done), "notes": list(indexed.notes)}
    return result


def read_options_of(given: dict[str, Any]) -> ReadOptions:
    """Return how a folder is read, from the input of `sync` and `files`.

    Raises:
        SettingsError: it cannot be used.
    """
    return ReadOptions(
        include=tuple(given.get("include", ())),
        exclude=tuple(given.get("exclude", ())),
        gitignore=given.get("gitignore", False),
        delete_excluded=given.get("delete_excluded", False),
        encoding=given.get("encoding", ""),
    )


def _kept(kept: Kept) -> str:
    asked = "allow_empty" if kept.empty else "delete_excluded" if kept.excluded else ""
    return f"{kept.path}: {kept.documents}; {kept.why}{f' ({asked} deletes them)' if asked else ''}"


def _loaded(job: ServiceJob, report: LoadReport, folder: Path) -> dict[str, Any]:
    # Files that the job loaded before an interruption are unchanged for the process that continues it.
    before = sum(job.loaded.get(name, 0) for name in ("added", "changed", "moved"))
    here = folder.as_posix()

    def without_folder(text: str) -> str:  # without the place of the files on this machine
        return text.replace(f"{here}/", "").replace(here, "the folder")

    mended = [f"{each.path}: {each.said}" for each in report.decoded if each.replaced][:_MOST_PROBLEMS_REPORTED]
    return {
        **loaded_counts(report),
        "unchanged": max(0, report.unchanged - before),
        "in_corpus": report.in_corpus,
        "vanished": report.vanished,
        "broken": [
            without_folder(f"{str(each).rstrip('.')}. {each.remedy}".strip())
            for each in report.broken[:_MOST_PROBLEMS_REPORTED]
        ],
        "broken_count": len(report.broken),
        "skipped": list(map(without_folder, report.skipped[:_MOST_PROBLEMS_REPORTED])),
        "skipped_count": len(report.skipped),
        "excluded": report.excluded,
        "kept": [without_folder(_kept(each)) for each in report.kept[:_MOST_PROBLEMS_REPORTED]],
        "decoded": [without_folder(f"{each.path}: {each.said}") for each in report.decoded[:_MOST_PROBLEMS_REPORTED]],
        "decoded_count": len(report.decoded),
        "notes": [*(plain(each) for each in report.notes), *map(without_folder, mended)],
    }


_SECONDS_BETWEEN_CLAIMS = 2.0
_SECONDS_BETWEEN_RENEWALS = 1.0
_WRITER_BUSY_SECONDS = 5
"""Until a job is tried again whose corpus has another writer."""
_DATABASE_SECONDS = 15
"""Until a job is tried again that the database failed."""
_STOP_SECONDS = 30.0

_log = logging.getLogger("overstory.service.jobs")


class JobRunner:
    """Threads that work on jobs until `stop`."""

    def __init__(
        self,
        corpora: OpenCorpora,
        store: JobStore,
        uploads: Uploads,
        metrics: ServiceMetrics,
        *,
        folders: Sequence[str],
    ) -> None:
        self._corpora = corpora
        self._store = store
        self._uploads = uploads
        self._metrics = metrics
        self._folders = folders
        self._wanted = threading.Event()
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._running: dict[str, Cancellation] = {}
        self._threads: list[threading.Thread] = []

    def start(self, threads: int) -> None:
        """Start the threads, and delete uploads whose jobs have ended."""
        self._uploads.delete_unless(self._is_to_do)
        for number in range(threads):
            thread = threading.Thread(target=self._work, name=f"overstory-jobs-{number}", daemon=True)
            thread.start()
            self._threads.append(thread)

    def _is_to_do(self, job: str) -> bool:
        stored = self._store.get(job)
        return stored is not None and not stored.has_ended

    def look(self) -> None:
        """Wake the threads: there may be a new job."""
        self._wanted.set()

    def stop(self) -> None:
        """Cancel the running jobs, which return to the queue, and wait for them to end."""
        self._stopped.set()
        self._wanted.set()
        with self._lock:
            for each in self._running.values():
                each.cancel()
        for thread in self._threads:
            thread.join(_STOP_SECONDS)

    def _work(self) -> None:
        while not self._stopped.is_set():
            try:
                job = self._store.claim()
            except OverstoryError as error:
                _log.warning("No job can be taken: %s %s", error, error.remedy)
                job = None
            if job is None:
                self._wanted.wait(_SECONDS_BETWEEN_CLAIMS)
                self._wanted.clear()
            else:
                self._do(job)

    def _do(self, job: ServiceJob) -> None:
        kept = _KeptJob(self._store, job, self._uploads.folder(job.id))
        with self._lock:
            self._running[job.id] = kept.cancellation
        _log.info("job %s: %s of corpus %r begins, attempt %d", job.id, job.kind, job.corpus, job.attempts)
        self._metrics.jobs.inc()
        kept.start()
        try:
            if self._stopped.is_set():
                raise WorkCancelled
            knowledge = self._corpora.new(job.corpus, kept.hear)
            try:
                with cancellable(kept.cancellation):
                    result = work_on(
                        job, knowledge, self._uploads, kept.report, kept.note_reading, folders=self._folders
                    )
            finally:
                with cancellable(None):
                    knowledge.close()
            self._end(kept, "done", result=result)
        except WorkCancelled:
            self._cancelled(kept)
        except (WriterBusy, LeaseLost) as error:
            self._requeue(kept, str(error), seconds=_WRITER_BUSY_SECONDS, counts=False)
        except DatabaseError as error:
            _log.warning("job %s: %s %s", job.id, error, error.remedy)
            self._requeue(kept, "the database did not answer as it should", seconds=_DATABASE_SECONDS, counts=True)
        except Exception as error:  # noqa: BLE001 # whatever it is, it is this job's end, and not that of the thread
            self._end(kept, "failed", problem=problem_of(error, corpus=job.corpus))
        finally:
            kept.stop()
            self._metrics.jobs.dec()
            with self._lock:
                del self._running[job.id]

    def _cancelled(self, kept: _KeptJob) -> None:
        if kept.lost:
            _log.warning("job %s: another process has it now", kept.job.id)
        elif kept.cancelled:
            self._end(kept, "cancelled")
        else:
            self._requeue(kept, "the service was stopped", seconds=0, counts=False)

    def _end(
        self, kept: _KeptJob, state: JobState, *, result: dict[str, Any] | None = None, problem: Problem | None = None
    ) -> None:
        job = kept.job
        with suppress(DatabaseError):  # it is done once more, which changes nothing
            self._store.end(job, state, result=result, problem=problem, loaded=kept.loaded)
            self._uploads.delete(job.id)
        _log.info("job %s: %s%s", job.id, state, f": {problem.detail}" if problem else "")

    def _requeue(self, kept: _KeptJob, waits: str, *, seconds: int, counts: bool) -> None:
        with suppress(DatabaseError):  # its lease runs out by itself
            self._store.requeue(kept.job, waits, seconds=seconds, counts=counts, loaded=kept.loaded)
        _log.info("job %s: waits: %s", kept.job.id, waits)


class _KeptJob:
    """The lease of a job that this process works on.

    Attributes:
        cancelled: a user cancelled the job.
        lost: another process has the job.
        report: counts of all processes of the job.
    """

    def __init__(self, store: JobStore, job: ServiceJob, folder: Path) -> None:
        """
        Args:
            folder: folder of its files; users see their names below it.
        """
        self.cancellation = Cancellation()
        self.cancelled = False
        self.lost = False
        self.report = report_of(job)
        self.job = job
        self._store = store
        self._folder = folder
        self._file = ""
        self._step = Step("start", 0, None, "")
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="overstory-job-lease", daemon=True)

    @property
    def loaded(self) -> dict[str, int]:
        """Counts of all processes of the job so far."""
        return loaded_counts(self.report)

    def hear(self, step: Step) -> None:
        """Note the last step; called by the working thread."""
        self._step = step

    def note_reading(self, source: str) -> None:
        """Note the current file; called by the working thread."""
        self._file = source.removeprefix(f"{self._folder.as_posix()}/")

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        self._thread.join(_SECONDS_BETWEEN_RENEWALS)

    def _keep(self) -> None:
        while not self._ended.wait(_SECONDS_BETWEEN_RENEWALS):
            try:
                cancelled = self._store.renew(self.job, self._step, self.loaded, self._file)
            except OverstoryError:
                continue  # the work meets the same trouble
            if cancelled is None:
                self.lost = not self._ended.is_set()
            elif cancelled:
                self.cancelled = True
            if self.lost or self.cancelled:
                self.cancellation.cancel()
                return
