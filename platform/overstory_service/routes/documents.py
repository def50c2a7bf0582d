"""Routes that list, read, store, upload, delete, disable and enable documents, and list their metadata."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.responses import Response

from overstory.index import FailedFile, MetadataKeys, MetadataValues, StoredDocument, metadata_of_json
from overstory.index.stored_documents import DocumentPassage
from overstory.knowledge import Knowledge
from overstory.model import Document
from overstory.sources.loader_catalogue import Format, known_formats
from overstory.structured_text import parse_json
from overstory_service.addresses import with_slashes
from overstory_service.jobs.runner import LONGEST_ENCODING_NAME, read_options_of
from overstory_service.jobs.store import ServiceJob
from overstory_service.jobs.uploads import upload_form
from overstory_service.problems import Refused, UnknownParameter
from overstory_service.request_limits import when_free
from overstory_service.responses import PROBLEMS, DataclassResponse, cursor_of, place_of
from overstory_service.service_host import Call, OnCorpus, OnService, Readable, ServiceHost, Where

router = APIRouter(prefix="/v1", tags=["documents"], responses=PROBLEMS)

_DOCUMENTS_A_PAGE = 100
_MOST_DOCUMENTS_A_PAGE = 1_000
_MOST_UPLOADED_FILES = 1_000
_MOST_UPLOAD_FIELDS = 10
"""Maximum number of form fields in an upload, not counting its files."""
COPY_BYTES = 1 << 20
UPLOAD_FIELDS = ("files", "metadata", "index", "encoding")
DocumentId = Annotated[str, Path(max_length=200, description="Id of a document."), AfterValidator(with_slashes)]


@dataclass(frozen=True, slots=True)
class ListedDocuments:
    """A page of documents. `next` is the cursor of the next page, null on the last page."""

    documents: tuple[StoredDocument, ...]
    next: str | None


@dataclass(frozen=True, slots=True)
class FailedFiles:
    """Files that could not be read, up to the limit, and their total number."""

    failed: tuple[FailedFile, ...]
    count: int


@dataclass(frozen=True, slots=True)
class DocumentText:
    """A document and some of its passages, in order. `next` is the position of the next passage, null at the end."""

    document: StoredDocument
    passages: tuple[DocumentPassage, ...]
    next: int | None


class NewDocument(BaseModel):
    """A text to store as a document. It replaces a document with the same source and key."""

    model_config = ConfigDict(extra="forbid", strict=True)

    text: str = Field(min_length=1)
    source: str = Field(min_length=1, max_length=1_000)
    key: str = Field("", max_length=1_000)
    title: str = Field("", max_length=1_000)
    metadata: dict[str, Any] = Field(default_factory=dict)  # the values are checked like the metadata of files


class NewDocuments(BaseModel):
    """Texts to store as documents."""

    model_config = ConfigDict(extra="forbid", strict=True)

    documents: list[NewDocument] = Field(min_length=1, max_length=1_000)


@dataclass(frozen=True, slots=True)
class StoredTexts:
    """Numbers of added, changed and unchanged documents, and the problems of texts that were not stored."""

    added: int
    changed: int
    unchanged: int
    broken: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DeletedDocuments:
    """Number of deleted documents."""

    documents: int


def store_texts(host: ServiceHost, corpus: str, texts: Sequence[Document]) -> StoredTexts:
    """Store texts as documents. If the corpus does not exist, create it. This call blocks.

    Raises:
        CorpusNameInvalid, WriterBusy, DatabaseError, …: as in `Knowledge.ingest_documents`.
    """
    with host.corpora.new(corpus) as knowledge:
        report = when_free(lambda: knowledge.ingest_documents(texts))
    return StoredTexts(report.added, report.changed, report.unchanged, tuple(map(str, report.broken)))


def delete_stored_document(knowledge: Knowledge, document: str) -> DeletedDocuments:
    """Delete the document with this id. This call blocks.

    Raises:
        DocumentNotFound: no document has this id.
        WriterBusy, DatabaseError, …: as in `Knowledge.delete_documents`.
    """
    knowledge.document(document)
    return DeletedDocuments(knowledge.delete_documents([document]))


@router.get("/corpora/{corpus}/documents", response_model=None, responses={200: {"model": ListedDocuments}})
async def list_documents(
    call: OnCorpus,
    where: Where = None,
    cursor: Annotated[str | None, Query(max_length=4_000, description="`next` of the previous page.")] = None,
    limit: Annotated[int, Query(ge=1, le=_MOST_DOCUMENTS_A_PAGE)] = _DOCUMENTS_A_PAGE,
) -> Response:
    """List the documents of a corpus, sorted by source and key."""
    after = None if cursor is None else place_of(cursor, parts=2)

    def page(view: Readable) -> ListedDocuments:
        found = view.documents(where=where, after=None if after is None else (after[0], after[1]))
        here = list(itertools.islice(found, limit + 1))
        following = cursor_of(here[-2].source, here[-2].source_key) if len(here) > limit else None
        return ListedDocuments(tuple(here[:limit]), following)

    return DataclassResponse(await call.read(page))


@router.get("/corpora/{corpus}/failed", response_model=None, responses={200: {"model": FailedFiles}})
async def list_failed_files(
    call: OnCorpus, limit: Annotated[int, Query(ge=1, le=_MOST_DOCUMENTS_A_PAGE)] = _DOCUMENTS_A_PAGE
) -> Response:
    """List the files that could not be read, sorted by source, with reasons and remedies."""

    def first(whole: Knowledge) -> FailedFiles:
        found = whole.failed_files()
        return FailedFiles(tuple(found[:limit]), len(found))

    return DataclassResponse(await call.whole("The list of failed files", first))


@router.get("/corpora/{corpus}/documents/{document}", response_model=None, responses={200: {"model": DocumentText}})
async def read_document(
    call: OnCorpus,
    document: DocumentId,
    first: Annotated[int, Query(ge=0, le=2**31, description="Position of the first passage.")] = 0,
    limit: Annotated[int, Query(ge=1, le=1_000, description="Maximum number of passages.")] = 100,
    around: Annotated[
        str, Query(max_length=200, description="Id of a passage. Returns passages around it and ignores `first`.")
    ] = "",
) -> Response:
    """Read a document: metadata and passages."""
    return DataclassResponse(
        await call.read(lambda view: document_text(view, document, first=first, limit=limit, around=around))
    )


def document_text(view: Readable, document: str, *, first: int, limit: int, around: str = "") -> DocumentText:
    """Return a document and some of its passages. This call blocks.

    Args:
        first: position of the first passage.
        around: id of a passage; if given, passages around it are returned, and `first` is ignored.

    Raises:
        DocumentNotFound, DatabaseError: the document cannot be read.
    """
    found = view.document(document)
    passages = view.document_passages(document, first=first, limit=limit, around=around)
    end = passages[-1].position + 1 if passages else 0
    return DocumentText(found, tuple(passages), end if passages and end < found.chunks else None)


@router.post("/corpora/{corpus}/documents", response_model=None, responses={200: {"model": StoredTexts}})
async def store_documents(call: OnCorpus, given: NewDocuments) -> Response:
    """Store texts as documents, and create the corpus if it does not exist. To find them, index the corpus.

    Needs write rights.
    """
    call.require("write")
    texts = [
        Document(each.source, each.key, each.text.strip(), each.title, metadata_of_json(each.metadata))
        for each in given.documents
    ]
    return DataclassResponse(await call.run(lambda: store_texts(call.host, call.corpus, texts)))


@router.post(
    "/corpora/{corpus}/files",
    status_code=202,
    response_model=None,
    responses={202: {"model": ServiceJob, "description": "The job that loads the files."}},
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                "multipart/form-data": {
                    "schema": {
                        "type": "object",
                        "required": ["files"],
                        "properties": {
                            "files": {"type": "array", "items": {"type": "string", "format": "binary"}},
                            "metadata": {"type": "string", "description": "JSON object, added to each document."},
                            "index": {"type": "string", "enum": ["true", "false"], "default": "true"},
                            "encoding": {
                                "type": "string",
                                "maxLength": LONGEST_ENCODING_NAME,
                                "description": "Encoding of text files that are not UTF-8; auto detects it.",
                            },
                        },
                    }
                }
            },
        }
    },
)
async def upload_files(call: OnCorpus, request: Request) -> Response:
    """Upload files, and queue a job that loads and indexes them. Needs write rights.

    A file replaces an earlier upload with the same name.
    """
    call.require("write")
    host = call.host
    job = uuid.uuid4().hex
    with host.uploads.arriving(job):
        try:
            async with upload_form(request, most_files=_MOST_UPLOADED_FILES, most_fields=_MOST_UPLOAD_FIELDS) as form:
                _check_fields(form)
                names = await _keep(host, job, form)
                given = {
                    "files": names,
                    "metadata": _metadata(form),
                    "index": _flag(form, "index"),
                    "encoding": _encoding(form),
                }
            queued = await host.run(
                None, lambda: host.queue_job(call.corpus, "ingest", given, by=call.access.name, job=job, files=True)
            )
        except BaseException:
            await run_in_threadpool(host.uploads.delete, job)
            raise
    return DataclassResponse(queued, 202)


@router.delete(
    "/corpora/{corpus}/documents/{document}", response_model=None, responses={200: {"model": DeletedDocuments}}
)
async def delete_document(call: OnCorpus, document: DocumentId) -> Response:
    """Delete a document, and entities that only it mentions. Needs write rights."""
    call.access.require("write")
    deleted = await call.whole("Deleting", lambda whole: delete_stored_document(whole, document))
    return DataclassResponse(deleted)


@router.post(
    "/corpora/{corpus}/documents/{document}/disable", response_model=None, responses={200: {"model": StoredDocument}}
)
async def disable_document(call: OnCorpus, document: DocumentId) -> Response:
    """Disable a document, so that it does not appear in results until it is enabled. Needs write rights."""
    return await _switch(call, document, disabled=True)


@router.post(
    "/corpora/{corpus}/documents/{document}/enable", response_model=None, responses={200: {"model": StoredDocument}}
)
async def enable_document(call: OnCorpus, document: DocumentId) -> Response:
    """Enable a disabled document. Needs write rights."""
    return await _switch(call, document, disabled=False)


async def _switch(call: Call, document: str, *, disabled: bool) -> Response:
    call.access.require("write")

    def switch(knowledge: Knowledge) -> StoredDocument:
        knowledge.document(document)
        (knowledge.disable_documents if disabled else knowledge.enable_documents)(document)
        return knowledge.document(document)

    return DataclassResponse(await call.whole("Enabling and disabling", switch))


@router.get("/corpora/{corpus}/metadata", response_model=None, responses={200: {"model": MetadataKeys}})
async def list_metadata_keys(call: OnCorpus) -> Response:
    """List the metadata keys of a corpus, with types, counts and examples."""
    return DataclassResponse(await call.whole("The list of metadata keys", lambda whole: whole.metadata()))


@router.get("/corpora/{corpus}/metadata/{key}", response_model=None, responses={200: {"model": MetadataValues}})
async def list_metadata_values(
    call: OnCorpus,
    key: Annotated[str, Path(max_length=1_000), AfterValidator(with_slashes)],
    limit: Annotated[int, Query(ge=1, le=1_000)] = 50,
) -> Response:
    """List the values of a metadata key, most frequent first."""
    return DataclassResponse(
        await call.whole("The list of metadata values", lambda whole: whole.metadata_values(key, limit=limit))
    )


@dataclass(frozen=True, slots=True)
class FormatList:
    """File types of all loaders."""

    formats: tuple[Format, ...]


@router.get("/formats", response_model=None, responses={200: {"model": FormatList}})
async def list_formats(call: OnService) -> Response:
    """List the file types that this service can read, and for other types what is missing. Needs write rights."""
    call.require("write")
    return DataclassResponse(FormatList(await call.run(known_formats)))


def _check_fields(form: FormData) -> None:
    for name in form:
        if name not in UPLOAD_FIELDS:
            raise UnknownParameter(
                f"Unknown form field {name[:50]!r}.", remedy=f"The fields are {', '.join(UPLOAD_FIELDS)}."
            )


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


async def _keep(host: ServiceHost, job: str, form: FormData) -> list[str]:
    """Copy the files in a form to the folder of their job, and return their names.

    Raises:
        Refused: the form contains no files, or the name of a file is invalid.
    """
    files = [each for each in form.getlist("files") if isinstance(each, UploadFile)]
    if not files:
        raise Refused("The form has no files.", remedy="Send multipart/form-data with each file in a field `files`.")
    for each in files:
        path = await run_in_threadpool(host.uploads.file, job, each.filename or "")
        with path.open("xb") as kept:
            while piece := await each.read(COPY_BYTES):
                await run_in_threadpool(kept.write, piece)
    return [each.filename or "" for each in files]


def _metadata(form: FormData) -> dict[str, Any]:  # the values have JSON types
    text = form.get("metadata", "")
    if not text:
        return {}
    try:
        given = parse_json(text if isinstance(text, str) else "", parse_constant=_refuse_constant)
    except ValueError:
        given = None
    if not isinstance(given, dict):
        raise Refused("The form field `metadata` is not a JSON object.", remedy='Send one like {"team": "legal"}.')
    metadata_of_json(given)
    return given


def _encoding(form: FormData) -> str:
    text = form.get("encoding", "")
    if not isinstance(text, str) or len(text) > LONGEST_ENCODING_NAME:
        raise Refused(
            "The form field `encoding` must name an encoding.", remedy="Send windows-1252, for example, or auto."
        )
    read_options_of({"encoding": text})  # raises if the encoding is unknown, before the job is queued
    return text


def _flag(form: FormData, name: str) -> bool:
    text = form.get(name, "true")
    if text not in ("true", "false"):
        raise Refused(f"The form field `{name}` must be true or false.", remedy="Send true or false, or leave it out.")
    return text == "true"
