"""Routes that queue, list, show, follow and cancel jobs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from pathlib import Path as Folder
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from pydantic import BaseModel, ConfigDict, Field
from sse_starlette import EventSourceResponse, JSONServerSentEvent, ServerSentEvent
from starlette.responses import Response

from overstory.errors import DatabaseError
from overstory.graph import read_corpus
from overstory.index import metadata_of_json
from overstory.model.plain import plain
from overstory.systems import build_requests
from overstory_service.jobs.runner import LONGEST_ENCODING_NAME, read_options_of
from overstory_service.jobs.store import JOB_STATES, JobState, ServiceJob
from overstory_service.problems import NotAllowed, NothingHere, Refused, TookTooLong
from overstory_service.responses import EVENTS, PROBLEMS, DataclassResponse, cursor_of, job_number_of
from overstory_service.service_host import Call, OnCorpus, OnService, admitted, tokens_readable

router = APIRouter(prefix="/v1", tags=["jobs"], responses=PROBLEMS)

_SECONDS_BETWEEN_EVENTS = 1.0
MOST_EVENT_SECONDS = 6 * 3_600.0
"""Maximum duration of an event stream in seconds. After that, the client may request the stream again."""
JobId = Annotated[str, Path(pattern="^[0-9a-f]{32}$", description="Id of a job.")]


class IndexRequest(BaseModel):
    """Options of indexing."""

    model_config = ConfigDict(extra="forbid", strict=True)

    systems: list[str] = Field(default_factory=list, max_length=20, description="Systems whose indexes to build, too.")
    model: str | None = Field(default=None, max_length=200, description="Language model for these systems.")
    improve: bool = Field(default=False, description="Cluster from scratch, as in a first build.")


class SyncRequest(BaseModel):
    """A folder of the server to sync with a corpus. Documents whose files are gone are deleted."""

    model_config = ConfigDict(extra="forbid", strict=True)

    folder: str = Field(
        min_length=1, max_length=4_000, description="A folder that the service was started with, or one below it."
    )
    metadata: dict[str, Any] = Field(default_factory=dict)  # the values are checked like the metadata of files
    index: bool = True
    include: list[str] = Field(
        default_factory=list, max_length=1_000, description="Patterns of files to read; all files by default."
    )
    exclude: list[str] = Field(default_factory=list, max_length=1_000, description="Patterns of files to skip.")
    gitignore: bool = Field(default=False, description="Skip files that .gitignore files exclude.")
    delete_excluded: bool = Field(default=False, description="Delete the documents of skipped files.")
    allow_empty: bool = Field(default=False, description="Delete the documents of missing or empty folders.")
    encoding: str = Field(
        "", max_length=LONGEST_ENCODING_NAME, description="Encoding of text files that are not UTF-8; auto detects it."
    )


@dataclass(frozen=True, slots=True)
class JobPage:
    """A page of jobs, newest first. `next` is the cursor of the next page, null on the last page."""

    jobs: tuple[ServiceJob, ...]
    next: str | None


@router.post("/corpora/{corpus}/index", status_code=202, response_model=None, responses={202: {"model": ServiceJob}})
async def index_corpus(call: OnCorpus, body: IndexRequest | None = None) -> Response:
    """Queue a job that updates the index of a corpus. Needs write rights."""
    call.require("write")
    given = (body or IndexRequest()).model_dump()
    return DataclassResponse(await queue_index(call, given), 202)


@router.post("/corpora/{corpus}/sync", status_code=202, response_model=None, responses={202: {"model": ServiceJob}})
async def sync_folder(call: OnCorpus, body: SyncRequest) -> Response:
    """Queue a job that syncs a folder of the server with a corpus, and indexes it. Needs admin rights."""
    call.require("admin")
    folder = _allowed(body.folder, call.host.settings.folders)
    metadata_of_json(body.metadata)
    given = body.model_dump() | {"folder": str(folder)}
    read_options_of(given)  # raises if an option is invalid, before the job is queued
    by = call.access.name
    queued = await call.run(lambda: call.host.queue_job(call.corpus, "sync", given, by=by))
    return DataclassResponse(shown_job(call, queued), 202)


@router.get("/jobs", response_model=None, responses={200: {"model": JobPage}})
async def list_jobs(
    call: OnService,
    corpus: Annotated[str | None, Query(max_length=200)] = None,
    state: Annotated[JobState | None, Query()] = None,
    cursor: Annotated[str | None, Query(max_length=200)] = None,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
) -> Response:
    """List jobs, newest first. Needs write rights."""
    call.require("write")
    access = call.access
    before = None if cursor is None else job_number_of(cursor)
    if corpus is not None and not access.sees(corpus):
        return DataclassResponse(JobPage((), None))
    of = [corpus] if corpus is not None else None if access.corpora is None else sorted(access.corpora)
    states = JOB_STATES if state is None else (state,)
    store = await call.run(call.host.job_store)
    here = await call.run(lambda: store.list(of, states=states, before=before, limit=limit + 1))
    following = cursor_of(str(here[limit - 1].number)) if len(here) > limit else None
    return DataclassResponse(JobPage(tuple(shown_job(call, each) for each in here[:limit]), following))


@router.get("/jobs/{job}", response_model=None, responses={200: {"model": ServiceJob}})
async def read_job(job: JobId, call: OnService) -> Response:
    """Return a job and its progress. Needs write rights."""
    return DataclassResponse(await seen_job(call, job))


@router.delete("/jobs/{job}", response_model=None, responses={200: {"model": ServiceJob}})
async def cancel_job(job: JobId, call: OnService) -> Response:
    """Cancel a job. Committed work is kept. A finished job is not changed. Needs write rights."""
    await seen_job(call, job)
    cancelled = await call.run(lambda: call.host.job_store().cancel(job))
    if cancelled is None:
        raise NothingHere("job with this id")
    if cancelled.state == "cancelled":
        await call.run(lambda: call.host.uploads.delete(job))
    return DataclassResponse(shown_job(call, cancelled))


@router.get(
    "/jobs/{job}/events",
    response_model=None,
    responses={200: {"description": "An event `job` whenever the job changes, and finally `end`.", "content": EVENTS}},
)
async def follow_job(job: JobId, request: Request, call: OnService) -> Response:
    """Stream the progress of a job until it ends. Needs write rights."""
    return EventSourceResponse(_events(request, call, await seen_job(call, job)))


async def _events(request: Request, call: Call, first: ServiceJob) -> AsyncGenerator[ServerSentEvent]:
    shown, found, end = None, first, time.monotonic() + MOST_EVENT_SECONDS
    while True:
        if found != shown:
            yield JSONServerSentEvent(plain(found), event="job")
            shown = found
        if found.has_ended or time.monotonic() > end:
            break
        await asyncio.sleep(_SECONDS_BETWEEN_EVENTS)
        if not await _may_follow(request, first.corpus):
            break
        try:
            there = await call.run(lambda: call.host.job_store().get(first.id))
        except (DatabaseError, TookTooLong):
            continue  # the stream goes on, because the job waits for the database, too
        found = replace(found, state="cancelled") if there is None else shown_job(call, there)
    yield JSONServerSentEvent({}, event="end")


async def _may_follow(request: Request, corpus: str) -> bool:
    try:
        access = await admitted(request)
        access.require("write")
    except Refused:
        return False
    return access.sees(corpus)


async def seen_job(call: Call, job: str) -> ServiceJob:
    """Return a job in the form in which the token may see it (see `shown_job`).

    Raises:
        NotAllowed: the token has only read rights.
        NothingHere: the job does not exist, or the token has no access to its corpus.
    """
    call.access.require("write")
    found = await call.run(lambda: call.host.job_store().get(job))
    if found is None or not call.access.sees(found.corpus):
        raise NothingHere("job with this id")
    return shown_job(call, found)


async def queue_index(call: Call, given: dict[str, Any]) -> ServiceJob:
    """Add a job that updates the index of a corpus to the queue, and return the job.

    Args:
        given: the fields of an `IndexRequest`.

    Raises:
        SettingsError: a system is unknown, or cannot use the model.
        CorpusNotFound, CorpusNameInvalid, DatabaseError: the job cannot be queued.
    """

    def queue() -> ServiceJob:
        build_requests(given["systems"], given["model"])
        read_corpus(call.host.corpora.base.graph, call.corpus)
        return call.host.queue_job(call.corpus, "index", given, by=call.access.name)

    return shown_job(call, await call.run(queue))


def shown_job(call: Call, job: ServiceJob) -> ServiceJob:
    """Return a job without its lease. If the caller may not see the name of its token, leave out the name, too."""
    with tokens_readable():
        is_named = call.access.may_name(job.by, call.host.gate.tokens.tokens())
    return replace(job, token="", by=job.by if is_named else "")


def _allowed(given: str, folders: tuple[str, ...]) -> Folder:
    """Return the real path of a folder, after checking that it is an allowed folder or lies below one.

    Raises:
        NotAllowed: the folder is not allowed, or it does not exist.
        Refused: the path is invalid.
    """
    try:
        real = Folder(given).resolve() if Folder(given).is_absolute() else None
    except (OSError, RuntimeError, ValueError):  # for example, the path contains a NUL character or a loop of links
        raise Refused(f"{given!r:.100} is not a valid path.", remedy="Send the path of a folder.") from None
    for folder in folders:
        root = Folder(folder).resolve()
        if real is not None and (real == root or root in real.parents) and real.is_dir():
            return real
    raise NotAllowed(
        "This folder is not allowed: the service was not started with it or a parent of it.",
        remedy="Ask the operator of the service to start it with --folder DIR.",
    )
