"""Names, communities and reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from starlette.responses import Response

from overstory.index import ListedName, StoredNameEdit
from overstory.knowledge.single_names import MOST_NAME_FACTS
from overstory.model.communities import CommunityTree
from overstory.model.community_reports import CommunityReports, FullReport
from overstory.model.name_facts import NameFacts
from overstory.retrieve.suggested_merges import SuggestedMerges
from overstory.service.addresses import with_slashes
from overstory.service.hosted import Admitted, CorpusName, Where, hosted
from overstory.service.sending import PROBLEMS, Sent

router = APIRouter(prefix="/v1/corpora/{corpus}", tags=["names and communities"], responses=PROBLEMS)

CommunityId = Annotated[
    str,
    Path(max_length=200, description="The id of a community, or a unique prefix of it."),
    AfterValidator(with_slashes),
]
TreeName = Annotated[str, Query(max_length=200, description="The name of a tree; the first if left out.")]


@dataclass(frozen=True, slots=True)
class NameList:
    """Names, the most frequent first."""

    names: tuple[ListedName, ...]


@router.get("/names", response_model=None, responses={200: {"model": NameList}})
async def names(
    corpus: CorpusName,
    request: Request,
    access: Admitted,
    like: Annotated[str, Query(max_length=1_000, description="Only names that begin so.")] = "",
    type: Annotated[str, Query(max_length=100, description="Only names of this type: PERSON, ORG, …")] = "",  # noqa: A002 # as in Python
    limit: Annotated[int, Query(ge=1, le=1_000)] = 50,
    where: Where = None,
) -> Response:
    """The names that most passages mention."""
    found = await hosted(request).read(
        request, access, corpus, lambda view: view.names(limit=limit, type=type, like=like, where=where)
    )
    return Sent(NameList(tuple(found)))


@router.get("/name", response_model=None, responses={200: {"model": NameFacts}})
async def name(
    corpus: CorpusName,
    request: Request,
    access: Admitted,
    name: Annotated[str, Query(min_length=1, max_length=1_000, description="A name, as texts write it.")],
    limit: Annotated[int, Query(ge=1, le=MOST_NAME_FACTS, description="The most facts, and the most names.")] = 20,
    where: Where = None,
) -> Response:
    """A name: its type, spellings and facts, with the sentences that state them, and the names that these tie to it."""
    found = await hosted(request).read(request, access, corpus, lambda view: view.name(name, limit=limit, where=where))
    return Sent(found)


@router.get("/tree", response_model=None, responses={200: {"model": CommunityTree}})
async def tree(
    corpus: CorpusName,
    request: Request,
    access: Admitted,
    node: Annotated[str | None, Query(max_length=200, description="A community; the whole if left out.")] = None,
    depth: Annotated[int, Query(ge=1, le=10)] = 1,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    tree: TreeName = "",
    where: Where = None,
) -> Response:
    """Communities of a tree that a system's index has."""
    found = await hosted(request).read(
        request,
        access,
        corpus,
        lambda view: view.tree(node, depth=depth, limit=limit, tree=tree, where=where),
    )
    return Sent(found)


@router.get("/reports", response_model=None, responses={200: {"model": CommunityReports}})
async def reports(
    corpus: CorpusName,
    request: Request,
    access: Admitted,
    level: Annotated[int | None, Query(ge=1, le=100)] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    tree: TreeName = "",
    where: Where = None,
) -> Response:
    """The reports on communities, those of the highest rating first."""
    found = await hosted(request).read(
        request, access, corpus, lambda view: view.reports(level=level, limit=limit, tree=tree, where=where)
    )
    return Sent(found)


@router.get("/reports/{community}", response_model=None, responses={200: {"model": FullReport}})
async def report(
    corpus: CorpusName,
    community: CommunityId,
    request: Request,
    access: Admitted,
    tree: TreeName = "",
    where: Where = None,
) -> Response:
    """The report on a community, each finding with the passages it stands on."""
    found = await hosted(request).read(
        request, access, corpus, lambda view: view.report(community, tree=tree, where=where)
    )
    return Sent(found)


class MergeAsked(BaseModel):
    """Names that are one."""

    model_config = ConfigDict(extra="forbid", strict=True)

    names: list[str] = Field(min_length=1, max_length=100)
    into: str = Field(min_length=1, max_length=1_000)


class HideAsked(BaseModel):
    """Names that are none."""

    model_config = ConfigDict(extra="forbid", strict=True)

    names: list[str] = Field(min_length=1, max_length=100)


@dataclass(frozen=True, slots=True)
class NameEditList:
    """Edits of names, which count from the next index on."""

    edits: tuple[StoredNameEdit, ...]


@router.get("/names/suggested", response_model=None, responses={200: {"model": SuggestedMerges}})
async def suggested(
    corpus: CorpusName, request: Request, access: Admitted, limit: Annotated[int, Query(ge=1, le=1_000)] = 50
) -> Response:
    """Names that may be one, with passages."""
    access.require("write")
    found = await hosted(request).whole(
        request, access, corpus, "Suggestions", lambda whole: whole.suggested_merges(limit=limit)
    )
    return Sent(found)


@router.get("/names/edits", response_model=None, responses={200: {"model": NameEditList}})
async def edits(corpus: CorpusName, request: Request, access: Admitted) -> Response:
    """The edits of names by hand."""
    found = await hosted(request).whole(request, access, corpus, "Edits of names", lambda whole: whole.name_edits())
    return Sent(NameEditList(tuple(found)))


@router.post("/names/merge", response_model=None, responses={200: {"model": NameEditList}})
async def merge(corpus: CorpusName, asked: MergeAsked, request: Request, access: Admitted) -> Response:
    """Merge names into one."""
    access.require("write")
    done = await hosted(request).whole(
        request, access, corpus, "Editing names", lambda whole: whole.merge_names(asked.names, asked.into)
    )
    return Sent(NameEditList(tuple(done)))


@router.post("/names/hide", response_model=None, responses={200: {"model": NameEditList}})
async def hide(corpus: CorpusName, asked: HideAsked, request: Request, access: Admitted) -> Response:
    """Hide names that are none."""
    access.require("write")
    done = await hosted(request).whole(
        request, access, corpus, "Editing names", lambda whole: whole.hide_names(asked.names)
    )
    return Sent(NameEditList(tuple(done)))
