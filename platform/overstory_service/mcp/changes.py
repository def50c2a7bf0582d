"""Tools that change a corpus: there are none unless the server was started with `--write`, and the token may write."""

from __future__ import annotations

from typing import Any

from mcp.types import ToolAnnotations
from pydantic import Field

from overstory.index import metadata_of_json
from overstory.model import Document
from overstory_service.changing import delete_document, queue_index, store_texts
from overstory_service.jobs.queueing import job_store
from overstory_service.jobs.store import ServiceJob
from overstory_service.mcp.calls import AgentTool, Arguments, Call
from overstory_service.mcp.contents import LONGEST_ID
from overstory_service.mcp.questions import LONGEST_ASKED_NAME, OfCorpus
from overstory_service.mcp.quoting import Quotation
from overstory_service.mcp.results import DeletedDocument, StoredText, ToldJob
from overstory_service.mcp.telling import short
from overstory_service.refusals import NothingHere

_LONGEST_STORED_TEXT = 1_000_000
"""Characters of a text that an agent stores."""
REPLACES = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)
ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)


class ToStore(Arguments):
    """A text to be stored as a document."""

    corpus: str = Field(min_length=1, max_length=LONGEST_ASKED_NAME, description="It is made if it is not there.")
    text: str = Field(min_length=1, max_length=_LONGEST_STORED_TEXT)
    source: str = Field(min_length=1, max_length=1_000, description="Where the text comes from: an address or a path.")
    key: str = Field("", max_length=1_000, description="Which one, if the source has several.")
    title: str = Field("", max_length=1_000)
    metadata: dict[str, Any] = Field(  # checked as that of files
        default_factory=dict, description='What filters can ask for, like {"author": "Ada"}.'
    )


class ToDelete(OfCorpus):
    """A document to be deleted."""

    document: str = Field(min_length=1, max_length=LONGEST_ID, description="Its id.")


class ToIndex(OfCorpus):
    """What to index."""

    systems: list[str] = Field(default_factory=list, max_length=20, description="Also build what these systems need.")


class ToFollow(Arguments):
    """A job."""

    job: str = Field(pattern="^[0-9a-f]{32}$", description="Its id.")


async def _store(call: Call, asked: ToStore) -> StoredText:
    call.access.require("write")
    call.access.require_corpus(asked.corpus)
    document = Document(asked.source, asked.key, asked.text.strip(), asked.title, metadata_of_json(asked.metadata))
    stored = await call.run(lambda: store_texts(call.host, asked.corpus, [document]))
    state = next((name for name in ("added", "changed", "unchanged") if getattr(stored, name)), "broken")
    return StoredText(asked.corpus, state, stored.broken)


def _shown_stored(found: StoredText, _quotation: Quotation) -> str:
    if found.problems:
        return "It was not stored: " + "; ".join(found.problems)
    return f"{found.state.capitalize()} in corpus {found.corpus!r}. It is found when the corpus is indexed (index)."


async def _delete(call: Call, asked: ToDelete) -> DeletedDocument:
    call.access.require("write")
    corpus = await call.corpus(asked.corpus)
    deleted = await call.whole(corpus, "Deleting", lambda whole: delete_document(whole, asked.document))
    return DeletedDocument(corpus, deleted.documents)


def _shown_deleted(found: DeletedDocument, _quotation: Quotation) -> str:
    return f"Deleted {found.documents} of corpus {found.corpus!r}."


async def _index(call: Call, asked: ToIndex) -> ToldJob:
    call.access.require("write")
    corpus = await call.corpus(asked.corpus)
    call.access.require_corpus(corpus)
    given = {"systems": asked.systems, "model": None, "improve": False}
    return _told(await call.run(lambda: queue_index(call.host, corpus, given, by=call.access.name)))


async def _job(call: Call, asked: ToFollow) -> ToldJob:
    call.access.require("write")
    found = await call.run(lambda: job_store(call.host).get(asked.job))
    if found is None or not call.access.sees(found.corpus):
        raise NothingHere("job by this id")
    return _told(found)


def _told(job: ServiceJob) -> ToldJob:
    progress = ""
    if job.progress is not None and not job.has_ended:
        total = "" if job.progress.total is None else f" of {job.progress.total:,}"
        progress = f"{job.progress.task}: {job.progress.done:,}{total} {job.progress.unit}"
    problem = "" if job.problem is None else " ".join(filter(None, (job.problem.detail, job.problem.remedy)))
    return ToldJob(job.id, job.corpus, job.kind, job.state, progress or job.waits, short(problem), job.result)


def _shown_job(found: ToldJob, _quotation: Quotation) -> str:
    state = f"Job {found.job} ({found.kind} of corpus {found.corpus!r}): {found.state}"
    return ". ".join(filter(None, (state, found.progress, found.problem)))


STORE_TEXT = AgentTool(
    name="store_text",
    title="Store a text",
    description=(
        "Store a text as a document of a corpus. One with the same source and key replaces the one before. It is found "
        "when the corpus was indexed (index)."
    ),
    arguments=ToStore,
    result=StoredText,
    work=_store,
    shown=_shown_stored,
    rights="write",
    annotations=REPLACES,
)
DELETE_DOCUMENT = AgentTool(
    name="delete_document",
    title="Delete a document",
    description="Delete a document by its id, with names that only it mentions. This cannot be undone.",
    arguments=ToDelete,
    result=DeletedDocument,
    work=_delete,
    shown=_shown_deleted,
    rights="write",
    annotations=REPLACES,
)
INDEX = AgentTool(
    name="index",
    title="Index a corpus",
    description="Queue a job that brings the index of a corpus up to date; `job` says how far it is.",
    arguments=ToIndex,
    result=ToldJob,
    work=_index,
    shown=_shown_job,
    rights="write",
    annotations=ADDS,
)
JOB = AgentTool(
    name="job",
    title="Follow a job",
    description="Say whether a job waits, runs or has ended, and how far it is.",
    arguments=ToFollow,
    result=ToldJob,
    work=_job,
    shown=_shown_job,
    rights="write",
)
