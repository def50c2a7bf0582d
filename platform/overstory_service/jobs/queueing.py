"""Queues a job, and has this process look for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from overstory.graph.ids import corpus_label
from overstory_service.jobs.runner import JobRunner
from overstory_service.jobs.store import JobKind, JobStore, ServiceJob

if TYPE_CHECKING:
    from overstory_service.hosted import Hosted


def job_store(host: Hosted) -> JobStore:
    """The queue, opened once."""
    if host.store is None:
        host.store = JobStore(host.corpora.base.graph, host.uploads.place)
    return host.store


def queue_job(
    host: Hosted,
    corpus: str,
    kind: JobKind,
    given: dict[str, Any],
    *,
    by: str,
    job: str = "",
    files: bool = False,
) -> ServiceJob:
    """A new job; blocks.

    Args:
        given: what it is to do, as JSON types.
        by: the name of a token.
        job: its id, if its folder of uploads has it already.

    Raises:
        CorpusNameInvalid, DatabaseError: it cannot be queued.
    """
    corpus_label(corpus)
    queued = job_store(host).add(corpus, kind, given, by=by, job=job, files=files)
    if host.works_at_need:
        start_runner(host, 1)
    if host.runner is not None:
        host.runner.look()
    return queued


def start_runner(host: Hosted, threads: int) -> None:
    """Begins to work on jobs, if this process does not yet; blocks.

    Raises:
        DatabaseError: the queue cannot be read.
    """
    with host.lock:
        if host.runner is None:
            runner = JobRunner(host.corpora, job_store(host), host.uploads, host.figures, folders=host.settings.folders)
            runner.start(threads)
            host.runner = runner
