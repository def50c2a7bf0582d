"""The queue of jobs, which is stored in Neo4j and therefore survives restarts.

Any number of processes can take jobs from the queue.
"""

from __future__ import annotations

import datetime
import json
import os
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

import psutil

from overstory.graph import GraphClient, schema
from overstory.graph.client import Row
from overstory.graph.ids import content_id, corpus_label
from overstory.graph.lease import is_dead, this_host
from overstory.progress import Step
from overstory_service.problems import Problem

JobKind = Literal["ingest", "index", "sync"]
JobState = Literal["queued", "running", "done", "failed", "cancelled"]
JOB_STATES: tuple[JobState, ...] = get_args(JobState)

_JOB_LEASE_SECONDS = 30
"""Number of seconds for which a lease is valid. If it is not renewed in time, another process may take the job."""
_MOST_JOB_ATTEMPTS = 5
"""A job is given up after its process or the database has failed this many times."""
_MOST_JOB_DEATHS = 2
"""A job is given up after this many processes have died while they ran it.

If only one process has died, the cause may be something other than the job.
"""
_ENDED_JOBS_KEPT = 1_000
_QUEUE = content_id("job-queue")
_AFTER_ALL = 2**62


@dataclass(frozen=True, slots=True)
class JobProgress:
    """Progress of a job's current task, in units of the task."""

    task: str
    done: int
    total: int | None
    unit: str
    seconds_left: float | None


@dataclass(frozen=True, slots=True)
class ServiceJob:
    """Job that loads, indexes or syncs a corpus.

    Attributes:
        number: increasing number; newer jobs have larger ones.
        by: name of the token that queued the job; "" if the caller may not see it.
        input: input of the job, as in the request.
        created, started, ended: dates and times, ISO 8601; "" if not reached yet.
        attempts: number of processes that have worked on the job.
        waits: reason why an interrupted job has to wait; "" if it does not wait.
        progress: progress of a running or ended job.
        result: report of `Knowledge`, if the job is done.
        problem: reason of a failure.
        cancel: True if cancellation was requested.
        token: lease of the process that runs the job; "" if it is not running.
        loaded: numbers of documents and chunks loaded so far, with the keys of `result`. Includes the committed work of
            killed processes.
    """

    id: str
    number: int
    corpus: str
    kind: JobKind
    state: JobState
    by: str
    input: dict[str, Any]
    created: str
    started: str = ""
    ended: str = ""
    attempts: int = 0
    waits: str = ""
    progress: JobProgress | None = None
    result: dict[str, Any] | None = None
    problem: Problem | None = None
    cancel: bool = False
    token: str = ""
    loaded: dict[str, int] = field(default_factory=dict[str, int])

    @property
    def has_ended(self) -> bool:
        return self.state in ("done", "failed", "cancelled")


class JobStore:
    """Adds jobs to the queue, and reads, takes, updates and ends them. Several threads can share an instance."""

    def __init__(self, graph: GraphClient, place: str) -> None:
        """
        Args:
            place: the id of the upload folder of this process. It takes no jobs whose files are in another folder.
        """
        self._graph = graph
        self._place = place
        schema.prepare(graph)

    def add(
        self, corpus: str, kind: JobKind, given: dict[str, Any], *, by: str, job: str = "", files: bool = False
    ) -> ServiceJob:
        """Add a job to the queue, and return it.

        Args:
            given: the input of the job, as JSON types.
            by: the name of the token with which the job was requested.
            job: the id of the job; by default a new id.
            files: True if the job has files in the upload folder of this process.
        """
        (row,) = self._graph.run(
            "service/add_job",
            id=job or uuid.uuid4().hex,
            queue=_QUEUE,
            corpus=corpus,
            kind=kind,
            by=by,
            input=json.dumps(given),
            place=self._place if files else "",
        )
        self._graph.run("service/forget_jobs", keep=_ENDED_JOBS_KEPT)
        return _job(row["job"])

    def get(self, job: str) -> ServiceJob | None:
        rows = self._graph.run("service/job", read=True, id=job)
        return _job(rows[0]["job"]) if rows else None

    def list(
        self,
        corpora: Sequence[str] | None = None,
        *,
        states: Sequence[JobState] = JOB_STATES,
        before: int | None = None,
        limit: int = 100,
    ) -> list[ServiceJob]:
        """Return jobs, newest first.

        Args:
            corpora: return only the jobs of these corpora; None for all corpora.
            before: return only the jobs whose number is less than this; None for all jobs.
        """
        rows = self._graph.run(
            "service/jobs",
            read=True,
            corpora=None if corpora is None else list(corpora),
            states=list(states),
            before=_AFTER_ALL if before is None else before,
            limit=limit,
        )
        return [_job(row["job"]) for row in rows]

    def cancel(self, job: str) -> ServiceJob | None:
        """Cancel a job unless it has already ended, and return it. Return None if no job has this id."""
        rows = self._graph.run("service/cancel_job", id=job)
        return _job(rows[0]["job"]) if rows else None

    def claim(self) -> ServiceJob | None:
        """Take the next job in the queue for this process, or return None if there is none.

        First, the jobs of processes that have died are returned to the queue or given up.
        """
        abandoned = [row["token"] for row in self._graph.run("service/running_jobs", read=True) if is_dead(row)]
        hopeless = self._graph.run(
            "service/requeue_lost_jobs",
            queue=_QUEUE,
            abandoned=abandoned,
            most_attempts=_MOST_JOB_ATTEMPTS,
            most_deaths=_MOST_JOB_DEATHS,
        )
        for row in hopeless:
            problem = _given_up(deaths=row["deaths"], file=row["file"] or "")
            job = self.get(row["id"])
            loaded = {} if job is None else self._loaded(job)
            self._graph.run(
                "service/give_up_job", id=row["id"], problem=json.dumps(problem.body), loaded=json.dumps(loaded)
            )
        rows = self._graph.run(
            "service/claim_job",
            queue=_QUEUE,
            token=uuid.uuid4().hex,
            host=this_host(),
            pid=os.getpid(),
            started=psutil.Process().create_time(),
            place=self._place,
            seconds=_JOB_LEASE_SECONDS,
            most_attempts=_MOST_JOB_ATTEMPTS,
            most_deaths=_MOST_JOB_DEATHS,
        )
        if not rows:
            return None
        job = _job(rows[0]["job"])
        return job if job.attempts == 1 else replace(job, loaded=self._loaded(job))

    def _loaded(self, job: ServiceJob) -> dict[str, int]:
        """Return the counts of what a job had loaded when its process was killed.

        The counts are stored in two places: in the job once per second, and in the corpus together with the documents.
        The higher counts are returned.
        """
        rows = self._graph.run("service/noted_load", read=True, id=corpus_label(job.corpus), job=job.id)
        noted: dict[str, int] = json.loads(rows[0]["loaded"]) if rows else {}
        return max(noted, job.loaded, key=_documents)

    def renew(self, job: ServiceJob, step: Step, loaded: Mapping[str, int], file: str = "") -> bool | None:
        """Renew the lease of a job, and store its progress.

        Args:
            loaded: counts of what all processes of the job have loaded.

        Returns:
            True if a user has cancelled the job, None if another process has taken it over, and False otherwise.
        """
        rows = self._graph.run(
            "service/renew_job",
            id=job.id,
            token=job.token,
            seconds=_JOB_LEASE_SECONDS,
            task=step.task,
            done=step.done,
            total=step.total,
            unit=step.unit,
            seconds_left=step.seconds_left,
            loaded=json.dumps(dict(loaded)),
            file=file,
        )
        return bool(rows[0]["cancel"]) if rows else None

    def end(
        self,
        job: ServiceJob,
        state: JobState,
        *,
        result: dict[str, Any] | None,
        problem: Problem | None,
        loaded: Mapping[str, int] | None = None,
    ) -> None:
        """End a job that this process was running.

        Args:
            loaded: counts of what all processes of the job have loaded; None to keep the counts in `job`.
        """
        self._graph.run(
            "service/end_job",
            id=job.id,
            token=job.token,
            state=state,
            result=None if result is None else json.dumps(result),
            problem=None if problem is None else json.dumps(problem.body),
            loaded=json.dumps(job.loaded if loaded is None else dict(loaded)),
        )

    def requeue(self, job: ServiceJob, waits: str, *, seconds: int, counts: bool, loaded: Mapping[str, int]) -> None:
        """Return a job that this process was running to the queue, so that it is continued later.

        Args:
            waits: the reason why the job must wait, in words.
            seconds: number of seconds before a process may take the job again.
            counts: True if this interruption counts as an attempt (see `_MOST_JOB_ATTEMPTS`).
            loaded: counts of what all processes of the job have loaded.
        """
        self._graph.run(
            "service/requeue_job",
            id=job.id,
            token=job.token,
            waits=waits,
            seconds=seconds,
            attempts=int(counts),
            loaded=json.dumps(dict(loaded)),
        )


def _given_up(*, deaths: int, file: str) -> Problem:
    """Return the problem with which a job is given up.

    Args:
        deaths: number of processes that died while they ran the job.
        file: the file that was read last; "" if it is unknown.
    """
    if deaths < _MOST_JOB_DEATHS:
        detail = f"The job was interrupted {_MOST_JOB_ATTEMPTS} times: its processes ended, or the database failed."
    else:
        detail = f"{deaths} processes died while they ran this job."
        detail += f" The last file that was read is {file}." if file else ""
    again = "To continue it, queue it again without that file." if file else "To continue it, queue it again."
    return Problem(
        type="urn:overstory:problem:given-up",
        title="Given up",
        status=500,
        detail=detail,
        remedy=f"The service may be short of memory; its log may show the reason. {again}",
    )


def _documents(loaded: Mapping[str, int]) -> int:
    return sum(loaded.get(name, 0) for name in ("added", "changed", "moved"))


def _job(row: Row) -> ServiceJob:
    state, waits, progress = row["state"], row.get("waits") or "", None
    if state == "running" and (row["lapsed"] or is_dead({**row, "started": row["process_started"]})):
        state, waits = "queued", "its process ended; another process will continue it"
    elif row.get("task") and state != "queued":
        progress = JobProgress(
            row["task"], row.get("done", 0), row.get("total"), row.get("unit", ""), row.get("seconds_left")
        )
    problem, result = row.get("problem"), row.get("result")
    return ServiceJob(
        id=row["id"],
        number=row["number"],
        corpus=row["corpus_name"],
        kind=row["kind"],
        state=state,
        by=row["by"],
        input=json.loads(row["input"]),
        created=_iso(row["created"]),
        started=_iso(row["started"]) if row.get("started") else "",
        ended=_iso(row["ended"]) if row.get("ended") else "",
        attempts=row.get("attempts", 0),
        waits=waits,
        progress=progress,
        result=json.loads(result) if result else None,
        problem=Problem(**json.loads(problem)) if problem else None,
        cancel=bool(row.get("cancel", False)) and state == "running",
        token=row.get("token", ""),
        loaded=json.loads(row.get("loaded") or "{}"),
    )


def _iso(moment: Any) -> str:  # `moment` is a neo4j.time.DateTime
    at: datetime.datetime = moment.to_native()
    return at.astimezone(datetime.UTC).isoformat(timespec="milliseconds")
