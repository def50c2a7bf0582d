"""Runs jobs in threads. A thread takes a job from the queue, renews its lease, stores its progress, and ends it.

A job consists of a few calls to `Knowledge`. If a job was interrupted, repeating these calls continues its work.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from overstory.cancellation import Cancellation, WorkCancelled, cancellable
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
"""Maximum number of broken files, of skipped files, and of other notes of each kind in the result of a job."""
LONGEST_ENCODING_NAME = 100
"""Maximum number of characters in the name of an encoding."""


def report_of(job: ServiceJob) -> LoadReport:
    """Return a new load report for a job. Its counts include what earlier processes of the job have loaded."""
    report = LoadReport(noted_by=job.id)
    for name in LOADED_COUNTS:
        setattr(report, name, job.loaded.get(name, 0))
    return report


def loaded_counts(report: LoadReport) -> dict[str, int]:
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
    """Run a job, and return its result as JSON types.

    Args:
        report: the load report that `report_of` returned for this job. It is updated while the job runs.
        on_reading: called with each file before it is read.
        folders: folders of the server that jobs may load. Symbolic links that lead out of them are skipped.

    Raises:
        the errors of `Knowledge.ingest` and `Knowledge.index`.
    """
    given = job.input
    result: dict[str, Any] = {}
    metadata = metadata_of_json(given.get("metadata") or {}) or None
    if job.kind == "ingest":
        folder = uploads.folder(job.id)
        if not folder.is_dir():
            raise SourceError("The files of this job no longer exist.", remedy="Upload them again.")
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
    """Return the options for reading files that the input of a job contains.

    Raises:
        SettingsError: an option is invalid.
    """
    return ReadOptions(
        include=tuple(given.get("include", ())),
        exclude=tuple(given.get("exclude", ())),
        gitignore=given.get("gitignore", False),
        delete_excluded=given.get("delete_excluded", False),
        encoding=given.get("encoding", ""),
    )


def _kept(kept: Kept) -> str:
    option = "allow_empty" if kept.empty else "delete_excluded" if kept.excluded else ""
    return f"{kept.path}: {kept.documents}; {kept.why}{f' ({option} deletes them)' if option else ''}"


def _loaded(job: ServiceJob, report: LoadReport, folder: Path) -> dict[str, Any]:
    # If a job was interrupted, the process that continues it counts the files loaded before as unchanged.
    before = sum(job.loaded.get(name, 0) for name in ("added", "changed", "moved"))
    here = folder.as_posix()

    def without_folder(text: str) -> str:
        return text.replace(f"{here}/", "").replace(here, "the folder")

    incomplete = [f"{each.path}: {each.shown}" for each in report.decoded if each.replaced][:_MOST_PROBLEMS_REPORTED]
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
        "decoded": [without_folder(f"{each.path}: {each.shown}") for each in report.decoded[:_MOST_PROBLEMS_REPORTED]],
        "decoded_count": len(report.decoded),
        "notes": [*(plain(each) for each in report.notes), *map(without_folder, incomplete)],
    }


_SECONDS_BETWEEN_CLAIMS = 2.0
_SECONDS_BETWEEN_RENEWALS = 1.0
_WRITER_BUSY_SECONDS = 5
"""Number of seconds after which a job is tried again if another process is changing its corpus."""
_DATABASE_SECONDS = 15
"""Number of seconds after which a job is tried again after a database error."""
_STOP_SECONDS = 30.0

_log = logging.getLogger("overstory.service.jobs")


class JobRunner:
    """Runs jobs in several threads until `stop` is called."""

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
        """Start the threads, and delete uploaded files whose jobs have ended."""
        self._uploads.delete_unless(self._is_to_do)
        for number in range(threads):
            thread = threading.Thread(target=self._work, name=f"overstory-jobs-{number}", daemon=True)
            thread.start()
            self._threads.append(thread)

    def _is_to_do(self, job: str) -> bool:
        stored = self._store.get(job)
        return stored is not None and not stored.has_ended

    def wake(self) -> None:
        self._wanted.set()

    def stop(self) -> None:
        """Interrupt the running jobs, return them to the queue, and wait until the threads have ended."""
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
                _log.warning("Cannot take jobs from the queue: %s %s", error, error.remedy)
                job = None
            if job is None:
                self._wanted.wait(_SECONDS_BETWEEN_CLAIMS)
                self._wanted.clear()
            else:
                self._do(job)

    def _do(self, job: ServiceJob) -> None:
        lease = _JobLease(self._store, job, self._uploads.folder(job.id))
        with self._lock:
            self._running[job.id] = lease.cancellation
        _log.info("job %s: started %s of corpus %r, attempt %d", job.id, job.kind, job.corpus, job.attempts)
        self._metrics.jobs.inc()
        lease.start()
        try:
            if self._stopped.is_set():
                raise WorkCancelled
            knowledge = self._corpora.new(job.corpus, lease.note_step)
            try:
                with cancellable(lease.cancellation):
                    result = work_on(
                        job, knowledge, self._uploads, lease.report, lease.note_reading, folders=self._folders
                    )
            finally:
                with cancellable(None):
                    knowledge.close()
            self._end(lease, "done", result=result)
        except WorkCancelled:
            self._cancelled(lease)
        except (WriterBusy, LeaseLost) as error:
            self._requeue(lease, str(error), seconds=_WRITER_BUSY_SECONDS, counts=False)
        except DatabaseError as error:
            _log.warning("job %s: %s %s", job.id, error, error.remedy)
            self._requeue(lease, "the database failed", seconds=_DATABASE_SECONDS, counts=True)
        except Exception as error:  # noqa: BLE001 # any error must end only the job, not the thread
            self._end(lease, "failed", problem=problem_of(error, corpus=job.corpus))
        finally:
            lease.stop()
            self._metrics.jobs.dec()
            with self._lock:
                del self._running[job.id]

    def _cancelled(self, lease: _JobLease) -> None:
        if lease.lost:
            _log.warning("job %s: taken by another process", lease.job.id)
        elif lease.cancelled:
            self._end(lease, "cancelled")
        else:
            self._requeue(lease, "the service was stopped", seconds=0, counts=False)

    def _end(
        self, lease: _JobLease, state: JobState, *, result: dict[str, Any] | None = None, problem: Problem | None = None
    ) -> None:
        job = lease.job
        with suppress(DatabaseError):  # if the end is not stored, the job will be repeated, which changes nothing
            self._store.end(job, state, result=result, problem=problem, loaded=lease.loaded)
            self._uploads.delete(job.id)
        _log.info("job %s: %s%s", job.id, state, f": {problem.detail}" if problem else "")

    def _requeue(self, lease: _JobLease, waits: str, *, seconds: int, counts: bool) -> None:
        with suppress(DatabaseError):  # if this fails, the lease expires, and the job returns to the queue by itself
            self._store.requeue(lease.job, waits, seconds=seconds, counts=counts, loaded=lease.loaded)
        _log.info("job %s: waiting: %s", lease.job.id, waits)


class _JobLease:
    """The lease of a running job. A thread renews it and stores the progress of the job.

    Attributes:
        lost: True if another process has taken over the job.
        report: load report whose counts include what all processes of the job have loaded.
    """

    def __init__(self, store: JobStore, job: ServiceJob, folder: Path) -> None:
        """
        Args:
            folder: the folder of the job's uploaded files. Its path is removed from the file names that users see.
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
        """Counts of the documents and chunks that all processes of the job have loaded so far."""
        return loaded_counts(self.report)

    def note_step(self, step: Step) -> None:
        """Note the current step, which is stored with the next renewal. The thread that runs the job calls this."""
        self._step = step

    def note_reading(self, source: str) -> None:
        """Note the current file, which is stored with the next renewal. The thread that runs the job calls this."""
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
                continue  # nothing to do here: the thread that runs the job will notice the same fault
            if cancelled is None:
                self.lost = not self._ended.is_set()
            elif cancelled:
                self.cancelled = True
            if self.lost or self.cancelled:
                self.cancellation.cancel()
                return
