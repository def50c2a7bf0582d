"""Names, communities and reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from starlette.responses import Response

from overstory.index import DismissedMerge, ListedName, StoredNameEdit
from overstory.knowledge import Knowledge
from overstory.knowledge.entities import MOST_NAME_FACTS, MOST_NAME_PASSAGES
from overstory.model.communities import CommunityTree, ListedTree
from overstory.model.community_reports import CommunityReports, FullReport
from overstory.model.name_facts import NameFacts, NamePassages
from overstory.retrieve.suggested_merges import SuggestedMerges
from overstory.systems.tree.view import MOST_MEMBERS_PAGED
from overstory_service.addresses import with_slashes
from overstory_service.hosted import Admitted, CorpusName, Where, hosted
from overstory_service.sending import PROBLEMS, Sent

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


@dataclass(frozen=True, slots=True)
class TreeList:
    """Trees, by system."""

    trees: tuple[ListedTree, ...]


@router.get("/names", response_model=None, responses={200: {"model": NameList}})
async def names(
    corpus: CorpusName,
    request: Request,
    access: Admitted,
    like: Annotated[str, Query(max_length=1_000, description="Only names that begin so.")] = "",
    words: Annotated[
        str, Query(max_length=1_000, description="Only names that have words which begin so, instead of `like`.")
    ] = "",
    type: Annotated[str, Query(max_length=100, description="Only names of this type: PERSON, ORG, …")] = "",  # noqa: A002 # as in Python
    by_kind: Annotated[bool, Query(description="People, organisations, places and works first, numbers last.")] = False,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 50,
    where: Where = None,
) -> Response:
    """The names that most passages mention."""
    found = await hosted(request).read(
        request,
        access,
        corpus,
        lambda view: view.names(limit=limit, type=type, like=like, words=words, by_kind=by_kind, where=where),
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


@router.get("/name/passages", response_model=None, responses={200: {"model": NamePassages}})
async def name_passages(
    corpus: CorpusName,
    request: Request,
    access: Admitted,
    name: Annotated[str, Query(min_length=1, max_length=1_000, description="A name, as texts write it.")],
    first: Annotated[int, Query(ge=0, le=2**31, description="How many are left out.")] = 0,
    limit: Annotated[int, Query(ge=1, le=MOST_NAME_PASSAGES)] = 20,
    where: Where = None,
) -> Response:
    """The passages that mention a name, or are about it."""
    found = await hosted(request).read(
        request, access, corpus, lambda view: view.name_passages(name, first=first, limit=limit, where=where)
    )
    return Sent(found)


@router.get("/tree", response_model=None, responses={200: {"model": CommunityTree}})
async def tree(
    corpus: CorpusName,
    request: Request,
    access: Admitted,
    node: Annotated[str | None, Query(max_length=200, description="A community; the whole if left out.")] = None,
    depth: Annotated[int, Query(ge=1, le=10)] = 1,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    first: Annotated[int, Query(ge=0, le=MOST_MEMBERS_PAGED, description="How many right below it are left out.")] = 0,
    sentences: Annotated[bool, Query(description="Whether to look for those that they are about: slower.")] = True,
    tree: TreeName = "",
    where: Where = None,
) -> Response:
    """Communities of a tree that a system's index has."""
    found = await hosted(request).read(
        request,
        access,
        corpus,
        lambda view: view.tree(
            node, depth=depth, limit=limit, first=first, sentences=sentences, tree=tree, where=where
        ),
    )
    return Sent(found)


@router.get("/trees", response_model=None, responses={200: {"model": TreeList}})
async def trees(corpus: CorpusName, request: Request, access: Admitted) -> Response:
    """The trees that the corpus was indexed for."""
    found = await hosted(request).read(request, access, corpus, lambda view: view.trees())
    return Sent(TreeList(tuple(found)))


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


class RenameAsked(BaseModel):
    """A name that is to be written otherwise."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: str = Field(min_length=1, max_length=1_000)
    to: str = Field(min_length=1, max_length=1_000)


class UndoAsked(BaseModel):
    """An edit by its number, as the list of edits has it."""

    model_config = ConfigDict(extra="forbid", strict=True)

    number: int = Field(ge=0, le=2**53)


class PairAsked(BaseModel):
    """Two names that are not one."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: str = Field(min_length=1, max_length=1_000)
    into: str = Field(min_length=1, max_length=1_000)
    undo: bool = Field(default=False, description="Whether they may be suggested again.")


@dataclass(frozen=True, slots=True)
class DismissedList:
    """Pairs of names that are not one, the latest first."""

    dismissed: tuple[DismissedMerge, ...]


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


@router.post("/names/rename", response_model=None, responses={200: {"model": NameEditList}})
async def rename(corpus: CorpusName, asked: RenameAsked, request: Request, access: Admitted) -> Response:
    """Give a name another one; the old one still leads to it."""
    access.require("write")
    done = await hosted(request).whole(
        request, access, corpus, "Editing names", lambda whole: whole.rename_name(asked.name, asked.to)
    )
    return Sent(NameEditList((done,)))


@router.post("/names/undo", response_model=None, responses={200: {"model": NameEditList}})
async def undo(corpus: CorpusName, asked: UndoAsked, request: Request, access: Admitted) -> Response:
    """Take back an edit; those after it stay. The answer has the edit that was taken back."""
    access.require("write")
    done = await hosted(request).whole(
        request, access, corpus, "Editing names", lambda whole: whole.undo_name_edit(asked.number)
    )
    return Sent(NameEditList((done,)))


@router.post("/names/dismiss", response_model=None, responses={200: {"model": DismissedList}})
async def dismiss(corpus: CorpusName, asked: PairAsked, request: Request, access: Admitted) -> Response:
    """Say that two names are not one, so that they are not suggested again. The answer has all such pairs."""
    access.require("write")

    def work(whole: Knowledge) -> DismissedList:
        (whole.undo_dismissed_merge if asked.undo else whole.dismiss_merge)(asked.name, asked.into)
        return DismissedList(tuple(whole.dismissed_merges()))

    return Sent(await hosted(request).whole(request, access, corpus, "Editing names", work))
