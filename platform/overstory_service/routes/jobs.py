"""Jobs: queued, listed, followed, cancelled."""

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
from overstory.systems import wishes
from overstory_service.jobs.runner import LONGEST_ENCODING_NAME, read_options_of
from overstory_service.jobs.store import JOB_STATES, JobState, ServiceJob
from overstory_service.problems import NotAllowed, NothingHere, Refused, TookTooLong
from overstory_service.responses import EVENTS, PROBLEMS, DataclassResponse, cursor_of, job_number_of
from overstory_service.service_host import Call, OnCorpus, OnService, admitted, tokens_readable

router = APIRouter(prefix="/v1", tags=["jobs"], responses=PROBLEMS)

_SECONDS_BETWEEN_EVENTS = 1.0
MOST_EVENT_SECONDS = 6 * 3_600.0
"""After which a stream of events ends; a client that wants more asks again."""
JobId = Annotated[str, Path(pattern="^[0-9a-f]{32}$", description="The id of a job.")]


class IndexRequest(BaseModel):
    """What to build."""

    model_config = ConfigDict(extra="forbid", strict=True)

    systems: list[str] = Field(default_factory=list, max_length=20, description="Also build what these need.")
    model: str | None = Field(default=None, max_length=200, description="The language model that they read with.")
    improve: bool = False


class SyncRequest(BaseModel):
    """A folder of the server to be loaded; documents of it that are no longer there are deleted."""

    model_config = ConfigDict(extra="forbid", strict=True)

    folder: str = Field(min_length=1, max_length=4_000, description="One that the service was started with, or below.")
    metadata: dict[str, Any] = Field(default_factory=dict)  # checked as that of files
    index: bool = True
    include: list[str] = Field(default_factory=list, max_length=1_000, description="Only files that one of these fits.")
    exclude: list[str] = Field(
        default_factory=list, max_length=1_000, description="But for those that one of these fits."
    )
    gitignore: bool = Field(default=False, description="Leave out what .gitignore files say.")
    delete_excluded: bool = Field(default=False, description="Delete documents of files that are left out.")
    allow_empty: bool = Field(default=False, description="Delete documents of folders that are missing or empty.")
    encoding: str = Field(
        "", max_length=LONGEST_ENCODING_NAME, description="Of files that are not UTF-8; auto to recognise it."
    )


@dataclass(frozen=True, slots=True)
class JobPage:
    """Some jobs, the latest first. `next` is the cursor of the next page, None at the end."""

    jobs: tuple[ServiceJob, ...]
    next: str | None


@router.post("/corpora/{corpus}/index", status_code=202, response_model=None, responses={202: {"model": ServiceJob}})
async def index(call: OnCorpus, asked: IndexRequest | None = None) -> Response:
    """Queue a job that brings the index up to date."""
    call.require("write")
    given = (asked or IndexRequest()).model_dump()
    return DataclassResponse(await queue_index(call, given), 202)


@router.post("/corpora/{corpus}/sync", status_code=202, response_model=None, responses={202: {"model": ServiceJob}})
async def sync(call: OnCorpus, asked: SyncRequest) -> Response:
    """Queue a job that loads a folder of the server, deletes what is no longer in it, and indexes."""
    call.require("admin")
    folder = _allowed(asked.folder, call.host.settings.folders)
    metadata_of_json(asked.metadata)
    given = asked.model_dump() | {"folder": str(folder)}
    read_options_of(given)  # what cannot be used is refused now
    by = call.access.name
    queued = await call.run(lambda: call.host.queue_job(call.corpus, "sync", given, by=by))
    return DataclassResponse(shown_job(call, queued), 202)


@router.get("/jobs", response_model=None, responses={200: {"model": JobPage}})
async def jobs(
    call: OnService,
    corpus: Annotated[str | None, Query(max_length=200)] = None,
    state: Annotated[JobState | None, Query()] = None,
    cursor: Annotated[str | None, Query(max_length=200)] = None,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
) -> Response:
    """List jobs, the latest first."""
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
async def job(job: JobId, call: OnService) -> Response:
    """A job, and how far it is."""
    return DataclassResponse(await seen_job(call, job))


@router.delete("/jobs/{job}", response_model=None, responses={200: {"model": ServiceJob}})
async def cancel(job: JobId, call: OnService) -> Response:
    """Cancel a job. What it committed stays; one that has ended stays as it is."""
    await seen_job(call, job)
    cancelled = await call.run(lambda: call.host.job_store().cancel(job))
    if cancelled is None:
        raise NothingHere("job by this id")
    if cancelled.state == "cancelled":
        await call.run(lambda: call.host.uploads.delete(job))
    return DataclassResponse(shown_job(call, cancelled))


@router.get(
    "/jobs/{job}/events",
    response_model=None,
    responses={
        200: {
            "description": "Events `job` with the job whenever it changes, and `end` after the last.",
            "content": EVENTS,
        }
    },
)
async def events(job: JobId, request: Request, call: OnService) -> Response:
    """Follow a job until it ends."""
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
            continue  # the job waits for the database, too
        found = replace(found, state="cancelled") if there is None else shown_job(call, there)
    yield JSONServerSentEvent({}, event="end")


async def _may_follow(request: Request, corpus: str) -> bool:
    """Whether the token of a stream is still good for it."""
    try:
        access = await admitted(request)
        access.require("write")
    except Refused:
        return False
    return access.sees(corpus)


async def seen_job(call: Call, job: str) -> ServiceJob:
    """Return a job that the token may see, as `shown_job` does.

    Raises:
        NotAllowed: the token only reads.
        NothingHere: there is none, or it is of another corpus.
    """
    call.access.require("write")
    found = await call.run(lambda: call.host.job_store().get(job))
    if found is None or not call.access.sees(found.corpus):
        raise NothingHere("job by this id")
    return shown_job(call, found)


async def queue_index(call: Call, given: dict[str, Any]) -> ServiceJob:
    """Queue a job that brings an index up to date.

    Args:
        given: systems, model and `improve`, as JSON types.

    Raises:
        SettingsError: there are no such systems, or they do not take such a model.
        CorpusNotFound, CorpusNameInvalid, DatabaseError: it cannot be queued.
    """

    def queue() -> ServiceJob:
        wishes(given["systems"], given["model"])
        read_corpus(call.host.corpora.base.graph, call.corpus)
        return call.host.queue_job(call.corpus, "index", given, by=call.access.name)

    return shown_job(call, await call.run(queue))


def shown_job(call: Call, job: ServiceJob) -> ServiceJob:
    """Return the job without fields for processes, and without the name of a token that is not to be shown."""
    with tokens_readable():
        is_named = call.access.may_name(job.by, call.host.gate.tokens.tokens())
    return replace(job, token="", by=job.by if is_named else "")


def _allowed(given: str, folders: tuple[str, ...]) -> Folder:
    """The folder itself, links followed, if it is one of those allowed, or below.

    Raises:
        NotAllowed: it is not, or it is not there.
        Refused: it cannot be the name of a folder.
    """
    try:
        real = Folder(given).resolve() if Folder(given).is_absolute() else None
    except (OSError, RuntimeError, ValueError):  # a loop of links, NUL
        raise Refused(f"{given!r:.100} cannot be looked up as a folder.", remedy="Send the path of a folder.") from None
    for folder in folders:
        root = Folder(folder).resolve()
        if real is not None and (real == root or root in real.parents) and real.is_dir():
            return real
    raise NotAllowed(
        "This folder is none of those that the service was started with, nor below one.",
        remedy="Ask whoever runs the service to start it with --folder DIR.",
    )
