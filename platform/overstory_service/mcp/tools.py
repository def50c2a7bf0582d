"""The tools for agents. Each tool takes arguments, and returns a value of the HTTP API."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, get_type_hints

from mcp.types import ToolAnnotations
from pydantic import BaseModel, ConfigDict, Field

from overstory.answer import Answer
from overstory.conversation.conversation import AskOptions
from overstory.index import metadata_of_json
from overstory.model import Document, Evidence, Hit
from overstory.model.communities import CommunityReports, CommunityTree, FullReport
from overstory.model.entity_paths import EntityFacts, EntityPaths
from overstory.settings import DEFAULT_RETRIEVER
from overstory_service.jobs.store import ServiceJob
from overstory_service.mcp.results import CUT, SHORT_TEXT_CHARACTERS, cut
from overstory_service.problems import Refused
from overstory_service.routes.corpora import CorpusList, accessible_corpora
from overstory_service.routes.documents import (
    DeletedDocuments,
    DocumentText,
    StoredTexts,
    delete_stored_document,
    document_text,
    store_texts,
)
from overstory_service.routes.jobs import queue_index, seen_job
from overstory_service.routes.questions import LONGEST_QUESTION, MOST_OTHER_CORPORA, OtherCorpus
from overstory_service.service_host import LONGEST_FILTER, Call, Readable
from overstory_service.tokens import Rights

_MOST_CORPORA_NAMED = 20
_LONGEST_ASKED_NAME = 1_000
_LONGEST_ID = 200
_MOST_FOUND_PASSAGES = 20
_MOST_FOUND_PARTS = 10
_FOUND_TEXT_CHARACTERS = 1_500
_MOST_FOUND_TEXT_CHARACTERS = 10_000
_REPORT_CHARACTERS = 2_000
_READ_CHARACTERS = 20_000
_MOST_READ_PASSAGES = 50
_LONGEST_STORED_TEXT = 1_000_000

_READS = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
_REPLACES = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)
_ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
_JOB_INTERNALS = ("input", "token", "cancel", "number", "attempts")


async def only_corpus(call: Call) -> str:
    """Return the name of the only corpus that the token can access. It is used for calls that specify no corpus.

    Raises:
        Refused: there are several corpora, or there are none.
    """
    if call.access.corpora is not None and len(call.access.corpora) == 1:
        return next(iter(call.access.corpora))
    names = sorted(each.name for each in (await accessible_corpora(call)).corpora)
    if len(names) == 1:
        return names[0]
    if not names:
        raise Refused("There are no corpora yet.", remedy="Load documents first: overstory ingest, overstory index.")
    listed = ", ".join(map(repr, names[:_MOST_CORPORA_NAMED]))
    more = "" if len(names) <= _MOST_CORPORA_NAMED else ", …"
    raise Refused("Name a corpus: there are several.", remedy=f"Set `corpus` to one of {listed}{more}.")


Work = Callable[[Call, Any], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class AgentTool:
    """A tool for agents.

    Attributes:
        arguments: the pydantic model of the tool's arguments.
        result: type of the result, which is a value of the HTTP API.
        characters, without: arguments for `results.shortened`.
    """

    name: str
    title: str
    description: str
    arguments: type[Arguments]
    result: Any  # a dataclass, or a union of dataclasses
    work: Work
    rights: Rights
    annotations: ToolAnnotations
    characters: int
    without: Collection[str]


TOOLS: dict[str, AgentTool] = {}
"""Map from names to tools. Tools that need more than read rights are offered only if agents may change corpora."""


def _tool(
    title: str,
    description: str,
    *,
    rights: Rights = "read",
    annotations: ToolAnnotations = _READS,
    characters: int = SHORT_TEXT_CHARACTERS,
    without: Collection[str] = (),
) -> Callable[[Work], Work]:
    """Return a decorator that registers a function as a tool.

    The name of the tool is the name of the function. The types of its arguments and of its result are taken from the
    annotations of the function.
    """

    def add(work: Work) -> Work:
        name, hints = work.__name__, get_type_hints(work)
        TOOLS[name] = AgentTool(
            name, title, description, hints["args"], hints["return"], work, rights, annotations, characters, without
        )
        return work

    return add


class Arguments(BaseModel):
    """Arguments of a tool. Unknown arguments are refused."""

    model_config = ConfigDict(extra="forbid")


Filter = Annotated[
    str | None,
    Field(
        max_length=LONGEST_FILTER,
        description="Filter on document metadata, such as: author = 'Ada' and date >= 2024-01-01",
    ),
]
TreeChoice = Annotated[
    str, Field(max_length=_LONGEST_ASKED_NAME, description="Name of a tree; the first tree by default.")
]


class CorpusArguments(Arguments):
    corpus: str | None = Field(
        None, max_length=_LONGEST_ASKED_NAME, description="Name of a corpus; only required if there are several."
    )


class QuestionArguments(CorpusArguments):
    also: list[OtherCorpus] = Field(
        [], max_length=MOST_OTHER_CORPORA, description="Names of other corpora to search together with `corpus`."
    )
    k: int = Field(5, ge=1, le=_MOST_FOUND_PASSAGES, description="Number of passages.")
    where: Filter = None
    retriever: str = Field(
        DEFAULT_RETRIEVER,
        min_length=1,
        max_length=_LONGEST_ASKED_NAME,
        description="Search method: canopy, hybrid, lexical, dense or the name of a system.",
    )


class AskToolArguments(QuestionArguments):
    question: str = Field(min_length=1, max_length=LONGEST_QUESTION, description="A complete question.")
    style: Literal["short", "report"] | None = Field(None, description="Length of an answer by a language model.")


class SearchToolArguments(QuestionArguments):
    question: str = Field(min_length=1, max_length=LONGEST_QUESTION, description="A question, or search words.")
    characters: int = Field(
        _FOUND_TEXT_CHARACTERS,
        ge=100,
        le=_MOST_FOUND_TEXT_CHARACTERS,
        description="Maximum number of characters of each passage.",
    )


class PathArguments(CorpusArguments):
    start: str = Field(min_length=1, max_length=_LONGEST_ASKED_NAME, description="Name of an entity, as in the texts.")
    end: str = Field(min_length=1, max_length=_LONGEST_ASKED_NAME, description="Name of another entity.")
    k: int = Field(3, ge=1, le=10, description="Number of paths.")
    steps: int = Field(4, ge=1, le=6, description="Maximum number of steps in a path.")
    where: Filter = None


class EntityArguments(CorpusArguments):
    name: str = Field(min_length=1, max_length=_LONGEST_ASKED_NAME, description="Name of the entity, as in the texts.")
    limit: int = Field(15, ge=1, le=50, description="Maximum number of facts, and of related entities.")
    where: Filter = None


class TreeArguments(CorpusArguments):
    node: str | None = Field(
        None, max_length=_LONGEST_ID, description="Id of a community, or a unique prefix; the whole tree by default."
    )
    depth: int = Field(1, ge=1, le=5, description="Number of levels below the community.")
    limit: int = Field(15, ge=1, le=50, description="Maximum number of communities and of members.")
    tree: TreeChoice = ""
    where: Filter = None


class ReportArguments(CorpusArguments):
    community: str | None = Field(
        None,
        max_length=_LONGEST_ID,
        description="Id of a community, or a unique prefix. Without it, the best reports are listed.",
    )
    level: int | None = Field(None, ge=1, le=100, description="Level of the listed reports; 1 is the coarsest.")
    limit: int = Field(10, ge=1, le=50, description="Number of listed reports.")
    tree: TreeChoice = ""
    where: Filter = None


class ReadArguments(CorpusArguments):
    document: str = Field(min_length=1, max_length=_LONGEST_ID, description="Id of a document, from a result.")
    first: int = Field(
        0, ge=0, le=2**31 - 1, description="Position of the first passage: 0, or `next` of the previous result."
    )
    limit: int = Field(10, ge=1, le=_MOST_READ_PASSAGES, description="Maximum number of passages.")


class StoreTextArguments(Arguments):
    corpus: str = Field(
        min_length=1, max_length=_LONGEST_ASKED_NAME, description="Name of a corpus, created if it does not exist."
    )
    text: str = Field(min_length=1, max_length=_LONGEST_STORED_TEXT)
    source: str = Field(min_length=1, max_length=1_000, description="Origin of the text: an address or a path.")
    key: str = Field("", max_length=1_000, description="Key of the document, if the source has several documents.")
    title: str = Field("", max_length=1_000)
    metadata: dict[str, Any] = Field(  # the values are checked in the same way as the metadata of files
        default_factory=dict, description='Values for filters, such as {"author": "Ada"}.'
    )


class DeleteArguments(CorpusArguments):
    document: str = Field(min_length=1, max_length=_LONGEST_ID, description="Id of the document.")


class IndexArguments(CorpusArguments):
    systems: list[str] = Field(default_factory=list, max_length=20, description="Systems whose indexes to build, too.")


class JobArguments(Arguments):
    job: str = Field(pattern="^[0-9a-f]{32}$", description="Id of the job.")


@_tool(
    "Answer a question",
    "Answer a question from the documents, with the passages that support the answer. `state` shows whether the "
    "documents answer it.",
    without=("question", "evidence", "usage", "passages", "start", "end"),
)
async def ask(call: Call, args: AskToolArguments) -> Answer:
    options = AskOptions(retriever=args.retriever, where=args.where, style=args.style)
    return await call.ask(args.also, lambda view: view.ask(args.question, args.k, **options))


@_tool(
    "Find passages",
    "Find the passages that answer a question, best first, each with title, source, page and ids. Use it to read the "
    "evidence yourself; for a finished answer, use `ask`.",
    characters=_MOST_FOUND_TEXT_CHARACTERS + 2 * len(CUT),
    without=(
        *("question", "sources", "shares", "reasons", "start", "end", "metadata", "repeats", "matches", "sentence"),
        *("boilerplate", "extra", "tokens", "details"),
    ),
)
async def search(call: Call, args: SearchToolArguments) -> Evidence:
    found = await call.ask(
        args.also, lambda view: view.search(args.question, args.k, retriever=args.retriever, where=args.where)
    )
    return replace(
        found,
        hits=tuple(replace(hit, text=_excerpt(hit, args.characters)) for hit in found.hits),
        parts=tuple(
            replace(each, text=cut(each.for_people, SHORT_TEXT_CHARACTERS))
            for each in found.other_parts[:_MOST_FOUND_PARTS]
        ),
    )


def _excerpt(hit: Hit, most: int) -> str:
    """Return the part of a passage that matches the question best, with at most `most` characters."""
    start, end = hit.excerpt(most)
    return f"{'… ' if start else ''}{hit.text[start:end].strip()}{CUT if end < len(hit.text) else ''}"


@_tool(
    "Find a path between two entities",
    "Show how two entities (people, places, works, terms) are connected: the shortest path and other good ones, each "
    "step with the sentence that states it.",
)
async def path(call: Call, args: PathArguments) -> EntityPaths:
    return await call.read(lambda view: view.paths(args.start, args.end, args.k, steps=args.steps, where=args.where))


@_tool(
    "Look up an entity",
    "Show what the documents state about an entity (person, place, work, term): type, aliases, related entities, and "
    "facts with the sentences that state them.",
)
async def entity(call: Call, args: EntityArguments) -> EntityFacts:
    return await call.read(lambda view: view.entity(args.name, limit=args.limit, where=args.where))


@_tool(
    "Show the topics of a corpus",
    "Show the tree of communities of a corpus: groups of related passages, entities or documents, from the root or "
    "from one community down. Needs the index of a system with a tree (serag, hirag, tretriever).",
    without=("entropy", "entropy_below", "inside", "similarity", "sentences"),
)
async def tree(call: Call, args: TreeArguments) -> CommunityTree:
    return await call.read(
        lambda view: view.tree(
            args.node, depth=args.depth, limit=args.limit, sentences=False, tree=args.tree, where=args.where
        )
    )


@_tool(
    "Read reports on communities",
    "Read the report on a community, each finding with its passages. Without `community`, list the reports with the "
    "highest ratings. Needs the index of a system that writes reports (hirag).",
    characters=_REPORT_CHARACTERS,
)
async def report(call: Call, args: ReportArguments) -> CommunityReports | FullReport:
    def read(view: Readable) -> CommunityReports | FullReport:
        if args.community is None:
            return view.reports(level=args.level, limit=args.limit, tree=args.tree, where=args.where)
        return view.report(args.community, tree=args.tree, where=args.where)

    return await call.read(read)


@_tool(
    "Read a document",
    "Read a document and its metadata, from the start or from a passage on. Long documents come in pieces; pass `next` "
    "as `first` to read on.",
    characters=_READ_CHARACTERS,
    without=("start", "end"),
)
async def read_document(call: Call, args: ReadArguments) -> DocumentText:
    found = await call.read(lambda view: document_text(view, args.document, first=args.first, limit=args.limit))
    left, passages = _READ_CHARACTERS, list(found.passages[:1])
    for each in found.passages[1:]:
        left -= len(passages[-1].text)
        if len(each.text) > left:
            return replace(found, passages=tuple(passages), next=each.position)
        passages.append(each)
    return found


@_tool("List corpora", "List the accessible corpora (collections of documents) with their sizes.")
async def corpora(call: Call, args: Arguments) -> CorpusList:
    del args
    return await accessible_corpora(call)


@_tool(
    "Store a text",
    "Store a text as a document of a corpus. It replaces a document with the same source and key. To make it "
    "searchable, index the corpus with `index`.",
    rights="write",
    annotations=_REPLACES,
)
async def store_text(call: Call, args: StoreTextArguments) -> StoredTexts:
    call.require("write")
    document = Document(args.source, args.key, args.text.strip(), args.title, metadata_of_json(args.metadata))
    return await call.run(lambda: store_texts(call.host, args.corpus, [document]))


@_tool(
    "Delete a document",
    "Delete a document, and entities that only it mentions. This cannot be undone.",
    rights="write",
    annotations=_REPLACES,
)
async def delete_document(call: Call, args: DeleteArguments) -> DeletedDocuments:
    call.require("write")
    return await call.whole("Deleting", lambda whole: delete_stored_document(whole, args.document))


@_tool(
    "Index a corpus",
    "Queue a job that updates the index of a corpus. `job` shows its progress.",
    rights="write",
    annotations=_ADDS,
    without=_JOB_INTERNALS,
)
async def index(call: Call, args: IndexArguments) -> ServiceJob:
    call.require("write")
    return await queue_index(call, {"systems": args.systems, "model": None, "improve": False})


@_tool(
    "Show a job",
    "Show whether a job is waiting, running or has ended, and its progress.",
    rights="write",
    without=_JOB_INTERNALS,
)
async def job(call: Call, args: JobArguments) -> ServiceJob:
    return await seen_job(call, args.job)
