"""The queue of jobs in Neo4j: it outlives every process, and any number of processes may work on it."""

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
"""After which the job of a process elsewhere that says nothing may be gone on with by another."""
_MOST_JOB_ATTEMPTS = 5
"""How often a job may lose its process, or the database, before it is given up."""
_MOST_JOB_DEATHS = 2
"""How many processes may die over a job before it is given up: one may be killed for what others do."""
_ENDED_JOBS_KEPT = 1_000
_QUEUE = content_id("job-queue")
_AFTER_ALL = 2**62


@dataclass(frozen=True, slots=True)
class JobProgress:
    """How far a job came, as `Step` says it: of its present task, in its units."""

    task: str
    done: int
    total: int | None
    unit: str
    seconds_left: float | None


@dataclass(frozen=True, slots=True)
class ServiceJob:
    """A job.

    Attributes:
        number: rises with time.
        by: the name of the token that queued it; "" in answers to others than that token and its administrators.
        input: what it is to do, as its route took it.
        created, started, ended: ISO 8601; "" for what has not been yet.
        attempts: how many processes have worked on it.
        waits: what a job waits for that could not go on; "" for none.
        progress: of one that runs or has ended.
        result: what `Knowledge` reported, if it is done.
        problem: why it failed.
        cancel: somebody asked to cancel it.
        token: that its process has it by; "" for one that does not run.
        loaded: what it has loaded so far, documents and chunks, by the names that its result has; of processes that
            were killed, what they had committed.
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
    """Reads and changes jobs. Safe to share between threads."""

    def __init__(self, graph: GraphClient, place: str) -> None:
        """
        Args:
            place: names the folder that this process has uploads in; jobs with files of another are left to others.
        """
        self._graph = graph
        self._place = place
        schema.prepare(graph)

    def add(
        self, corpus: str, kind: JobKind, given: dict[str, Any], *, by: str, job: str = "", files: bool = False
    ) -> ServiceJob:
        """Queues a job.

        Args:
            job: its id, if it has one already, as that of a folder of uploads.
            files: whether it has some in the folder of this process.
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
        """The job by this id."""
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
        """Jobs, the latest first.

        Args:
            corpora: only theirs; None for all.
            before: only jobs with smaller numbers.
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
        """Cancels a job that has not ended; None if there is none by this id."""
        rows = self._graph.run("service/cancel_job", id=job)
        return _job(rows[0]["job"]) if rows else None

    def claim(self) -> ServiceJob | None:
        """The next job for this process, None if there is nothing to do."""
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
        """What a killed process has loaded for a job: the corpus notes it with the documents, the job each second."""
        rows = self._graph.run("service/noted_load", read=True, id=corpus_label(job.corpus), job=job.id)
        noted: dict[str, int] = json.loads(rows[0]["loaded"]) if rows else {}
        return max(noted, job.loaded, key=_documents)

    def renew(self, job: ServiceJob, step: Step, loaded: Mapping[str, int], file: str = "") -> bool | None:
        """Keeps a job of this process, and says how far it is. Whether it was cancelled; None if another has it.

        Args:
            file: the last one that was read.
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
        """Ends a job of this process.

        Args:
            loaded: what it has loaded, by all its processes; None for what is known already.
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
        """Gives a job of this process back, to be gone on with.

        Args:
            waits: what for, in words.
            seconds: before which nobody takes it.
            counts: whether it counts as an attempt.
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
    """Why a job is not tried again."""
    if deaths < _MOST_JOB_DEATHS:
        detail = f"{_MOST_JOB_ATTEMPTS} processes that worked on this ended before it did, or lost the database."
    else:
        detail = f"{deaths} processes died while they worked on this."
        detail += f" The last file that was read: {file}." if file else ""
    again = "Queue it again, without that file, to go on where it was." if file else "Queue it again to go on."
    return Problem(
        type="urn:overstory:problem:given-up",
        title="Given up",
        status=500,
        detail=detail,
        remedy=f"The service's log may say why; memory may be short. {again}",
    )


def _documents(loaded: Mapping[str, int]) -> int:
    return sum(loaded.get(name, 0) for name in ("added", "changed", "moved"))


def _job(row: Row) -> ServiceJob:
    state, waits, progress = row["state"], row.get("waits") or "", None
    if state == "running" and (row["lapsed"] or is_dead({**row, "started": row["process_started"]})):
        state, waits = "queued", "its process ended before it did; another one goes on with it"
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


def _iso(moment: Any) -> str:  # neo4j.time.DateTime, a type of the driver
    at: datetime.datetime = moment.to_native()
    return at.astimezone(datetime.UTC).isoformat(timespec="milliseconds")
