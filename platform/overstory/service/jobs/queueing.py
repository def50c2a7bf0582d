"""Queues a job, and has this process look for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from overstory.graph.ids import corpus_label
from overstory.service.jobs.store import JobKind, JobStore, ServiceJob

if TYPE_CHECKING:
    from overstory.service.hosted import Hosted


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
    if host.runner is not None:
        host.runner.look()
    return queued
