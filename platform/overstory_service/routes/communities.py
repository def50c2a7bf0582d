"""Names, communities and reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query
from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from starlette.responses import Response

from overstory.index import DismissedMerge, ListedName, StoredNameEdit
from overstory.knowledge import Knowledge
from overstory.knowledge.entities import MOST_NAME_FACTS, MOST_NAME_PASSAGES
from overstory.model.communities import CommunityReports, CommunityTree, FullReport, ListedTree
from overstory.model.entity_paths import NameFacts, NamePassages
from overstory.retrieve.suggested_merges import SuggestedMerges
from overstory.systems.tree.view import MOST_MEMBERS_PAGED
from overstory_service.addresses import with_slashes
from overstory_service.problems import DESCRIBED, Refused
from overstory_service.responses import PROBLEMS, DataclassResponse
from overstory_service.service_host import OnCorpus, Where

router = APIRouter(prefix="/v1/corpora/{corpus}", tags=["names and communities"], responses=PROBLEMS)

CommunityId = Annotated[
    str,
    Path(max_length=200, description="The id of a community, or a unique prefix of it."),
    AfterValidator(with_slashes),
]
TreeName = Annotated[str, Query(max_length=200, description="The name of a tree; the first if left out.")]


@dataclass(frozen=True, slots=True)
class EntityList:
    """Names, the most frequent first."""

    names: tuple[ListedName, ...]


@dataclass(frozen=True, slots=True)
class TreeList:
    """Trees, by system."""

    trees: tuple[ListedTree, ...]


@router.get("/names", response_model=None, responses={200: {"model": EntityList}})
async def names(
    call: OnCorpus,
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
    found = await call.read(
        lambda view: view.names(limit=limit, type=type, like=like, words=words, by_kind=by_kind, where=where)
    )
    return DataclassResponse(EntityList(tuple(found)))


@router.get("/name", response_model=None, responses={200: {"model": NameFacts}})
async def name(
    call: OnCorpus,
    name: Annotated[str, Query(min_length=1, max_length=1_000, description="A name, as texts write it.")],
    limit: Annotated[int, Query(ge=1, le=MOST_NAME_FACTS, description="The most facts, and the most names.")] = 20,
    where: Where = None,
) -> Response:
    """A name: its type, spellings and facts, with the sentences that state them, and the names that these tie to it."""
    return DataclassResponse(await call.read(lambda view: view.name(name, limit=limit, where=where)))


@router.get("/name/passages", response_model=None, responses={200: {"model": NamePassages}})
async def name_passages(
    call: OnCorpus,
    name: Annotated[str, Query(min_length=1, max_length=1_000, description="A name, as texts write it.")],
    first: Annotated[int, Query(ge=0, le=2**31, description="How many are left out.")] = 0,
    limit: Annotated[int, Query(ge=1, le=MOST_NAME_PASSAGES)] = 20,
    where: Where = None,
) -> Response:
    """The passages that mention a name, or are about it."""
    return DataclassResponse(
        await call.read(lambda view: view.name_passages(name, first=first, limit=limit, where=where))
    )


@router.get("/tree", response_model=None, responses={200: {"model": CommunityTree}})
async def tree(
    call: OnCorpus,
    node: Annotated[str | None, Query(max_length=200, description="A community; the whole if left out.")] = None,
    depth: Annotated[int, Query(ge=1, le=10)] = 1,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    first: Annotated[int, Query(ge=0, le=MOST_MEMBERS_PAGED, description="How many right below it are left out.")] = 0,
    sentences: Annotated[bool, Query(description="Whether to look for those that they are about: slower.")] = True,
    tree: TreeName = "",
    where: Where = None,
) -> Response:
    """Communities of a tree that a system's index has."""
    return DataclassResponse(
        await call.read(
            lambda view: view.tree(
                node, depth=depth, limit=limit, first=first, sentences=sentences, tree=tree, where=where
            )
        )
    )


@router.get("/trees", response_model=None, responses={200: {"model": TreeList}})
async def trees(call: OnCorpus) -> Response:
    """The trees that the corpus was indexed for."""
    found = await call.read(lambda view: view.trees())
    return DataclassResponse(TreeList(tuple(found)))


@router.get("/reports", response_model=None, responses={200: {"model": CommunityReports}})
async def reports(
    call: OnCorpus,
    level: Annotated[int | None, Query(ge=1, le=100)] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    tree: TreeName = "",
    where: Where = None,
) -> Response:
    """The reports on communities, those of the highest rating first."""
    return DataclassResponse(
        await call.read(lambda view: view.reports(level=level, limit=limit, tree=tree, where=where))
    )


@router.get("/reports/{community}", response_model=None, responses={200: {"model": FullReport}})
async def report(
    call: OnCorpus,
    community: CommunityId,
    tree: TreeName = "",
    where: Where = None,
) -> Response:
    """The report on a community, each finding with the passages it stands on."""
    return DataclassResponse(await call.read(lambda view: view.report(community, tree=tree, where=where)))


EditAction = Literal["merge", "rename", "hide", "undo", "dismiss", "allow"]
_NEEDS: dict[EditAction, tuple[str, ...]] = {
    "merge": ("names", "into"),
    "rename": ("name", "into"),
    "hide": ("names",),
    "undo": ("number",),
    "dismiss": ("name", "into"),
    "allow": ("name", "into"),
}


class NameEditRequest(BaseModel):
    """An edit of names."""

    model_config = ConfigDict(extra="forbid", strict=True)

    action: EditAction = Field(
        description="`merge` names into one; `rename` a name, the old one still leads to it; `hide` names; `undo` an "
        "edit, those after it stay; `dismiss` a suggested merge, so that it is not suggested again; `allow` it again."
    )
    names: list[Annotated[str, Field(min_length=1, max_length=1_000)]] = Field(
        [], max_length=100, description="One or more for `merge` and `hide`, one for `rename`, `dismiss`, `allow`."
    )
    into: str = Field("", max_length=1_000, description="The other name of `merge`, `rename`, `dismiss`, `allow`.")
    number: int | None = Field(None, ge=0, le=2**53, description="Of the edit to undo, as the list of edits has it.")

    def require_complete(self) -> None:
        """
        Raises:
            Refused: the action needs a field that is missing, or one name where there are several.
        """
        given = {
            "names": bool(self.names),
            "name": len(self.names) == 1,
            "into": bool(self.into),
            "number": self.number is not None,
        }
        if missing := [f"`{each}`" for each in _NEEDS[self.action] if not given[each]]:
            listed = " and ".join(missing).replace("`name`", "one name in `names`")
            raise Refused(f"The action {self.action!r} needs {listed}.", remedy=DESCRIBED)


@dataclass(frozen=True, slots=True)
class NameEditList:
    """Edits of names, which count from the next index on.

    Attributes:
        edits: all edits; in the answer to an edit, those that it made or undid.
        dismissed: all pairs of names that are not suggested again, the latest first.
    """

    edits: tuple[StoredNameEdit, ...]
    dismissed: tuple[DismissedMerge, ...]


@router.get("/names/suggested", response_model=None, responses={200: {"model": SuggestedMerges}})
async def suggested(call: OnCorpus, limit: Annotated[int, Query(ge=1, le=1_000)] = 50) -> Response:
    """Names that may be one, with passages."""
    call.access.require("write")
    return DataclassResponse(await call.whole("Suggestions", lambda whole: whole.suggested_merges(limit=limit)))


@router.get("/names/edits", response_model=None, responses={200: {"model": NameEditList}})
async def edits(call: OnCorpus) -> Response:
    """The edits of names by hand."""
    return DataclassResponse(
        await call.whole("Edits of names", lambda whole: _with_dismissed(whole, whole.name_edits()))
    )


@router.post("/names/edits", response_model=None, responses={200: {"model": NameEditList}})
async def edit(call: OnCorpus, asked: NameEditRequest) -> Response:
    """Edit names, or undo an edit."""
    call.access.require("write")
    asked.require_complete()
    done = await call.whole("Editing names", lambda whole: _with_dismissed(whole, _edited(whole, asked)))
    return DataclassResponse(done)


def _edited(whole: Knowledge, asked: NameEditRequest) -> list[StoredNameEdit]:
    match asked.action:
        case "merge":
            return whole.merge_names(asked.names, asked.into)
        case "rename":
            return [whole.rename_name(asked.names[0], asked.into)]
        case "hide":
            return whole.hide_names(asked.names)
        case "undo":
            return [whole.undo_name_edit(asked.number or 0)]
        case "dismiss":
            whole.dismiss_merge(asked.names[0], asked.into)
        case "allow":
            whole.undo_dismissed_merge(asked.names[0], asked.into)
    return []


def _with_dismissed(whole: Knowledge, edits: list[StoredNameEdit]) -> NameEditList:
    return NameEditList(tuple(edits), tuple(whole.dismissed_merges()))
