"""Routes that list, show and edit entities, and that return trees of communities and reports on communities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query
from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from starlette.responses import Response

from overstory.index import DismissedMerge, ListedEntity, StoredEntityEdit
from overstory.knowledge import Knowledge
from overstory.knowledge.entities import MOST_NAME_FACTS, MOST_NAME_PASSAGES
from overstory.model.communities import CommunityReports, CommunityTree, FullReport, ListedTree
from overstory.model.entity_paths import EntityFacts, EntityPassages
from overstory.retrieve.suggested_merges import SuggestedMerges
from overstory.systems.tree.view import MOST_MEMBERS_PAGED
from overstory_service.addresses import with_slashes
from overstory_service.problems import DESCRIBED, Refused
from overstory_service.responses import PROBLEMS, DataclassResponse
from overstory_service.service_host import OnCorpus, Where

router = APIRouter(prefix="/v1/corpora/{corpus}", tags=["entities and communities"], responses=PROBLEMS)

CommunityId = Annotated[
    str, Path(max_length=200, description="Id of a community, or a unique prefix of it."), AfterValidator(with_slashes)
]
TreeName = Annotated[str, Query(max_length=200, description="Name of a tree; the first tree by default.")]


@dataclass(frozen=True, slots=True)
class EntityList:
    """Entities, most frequent first."""

    entities: tuple[ListedEntity, ...]


@dataclass(frozen=True, slots=True)
class TreeList:
    """Trees of a corpus, by system."""

    trees: tuple[ListedTree, ...]


@router.get("/entities", response_model=None, responses={200: {"model": EntityList}})
async def list_entities(
    call: OnCorpus,
    like: Annotated[str, Query(max_length=1_000, description="Only entities whose name starts with this text.")] = "",
    words: Annotated[
        str,
        Query(max_length=1_000, description="Only entities whose name contains words that start so; replaces `like`."),
    ] = "",
    type: Annotated[str, Query(max_length=100, description="Only entities of this type: PERSON, ORG, …")] = "",  # noqa: A002 # the parameter of `Knowledge.entities` has the same name
    limit: Annotated[int, Query(ge=1, le=1_000)] = 50,
    where: Where = None,
) -> Response:
    """List entities: people, organisations, places and works first, technical names last, most mentioned first."""
    found = await call.read(lambda view: view.entities(limit=limit, type=type, like=like, words=words, where=where))
    return DataclassResponse(EntityList(tuple(found)))


@router.get("/entity", response_model=None, responses={200: {"model": EntityFacts}})
async def read_entity(
    call: OnCorpus,
    name: Annotated[str, Query(min_length=1, max_length=1_000, description="Name of the entity, as in the texts.")],
    limit: Annotated[
        int, Query(ge=1, le=MOST_NAME_FACTS, description="Maximum number of facts, and of related entities.")
    ] = 20,
    where: Where = None,
) -> Response:
    """Return an entity: type, aliases, related entities, and facts with the sentences that state them."""
    return DataclassResponse(await call.read(lambda view: view.entity(name, limit=limit, where=where)))


@router.get("/entity/passages", response_model=None, responses={200: {"model": EntityPassages}})
async def list_entity_passages(
    call: OnCorpus,
    name: Annotated[str, Query(min_length=1, max_length=1_000, description="Name of the entity, as in the texts.")],
    first: Annotated[int, Query(ge=0, le=2**31, description="Number of passages to skip.")] = 0,
    limit: Annotated[int, Query(ge=1, le=MOST_NAME_PASSAGES)] = 20,
    where: Where = None,
) -> Response:
    """List the passages that mention an entity or are about it."""
    return DataclassResponse(
        await call.read(lambda view: view.entity_passages(name, first=first, limit=limit, where=where))
    )


@router.get("/tree", response_model=None, responses={200: {"model": CommunityTree}})
async def read_tree(
    call: OnCorpus,
    node: Annotated[
        str | None, Query(max_length=200, description="Id of a community; the whole tree by default.")
    ] = None,
    depth: Annotated[int, Query(ge=1, le=10, description="Number of levels below the community.")] = 1,
    limit: Annotated[int, Query(ge=1, le=100, description="Maximum number of communities and of members.")] = 20,
    first: Annotated[
        int, Query(ge=0, le=MOST_MEMBERS_PAGED, description="Number of children of the community to skip.")
    ] = 0,
    sentences: Annotated[bool, Query(description="Also return central sentences of each community (slower).")] = True,
    tree: TreeName = "",
    where: Where = None,
) -> Response:
    """Return the communities of a tree, from the root or from one community down."""
    return DataclassResponse(
        await call.read(
            lambda view: view.tree(
                node, depth=depth, limit=limit, first=first, sentences=sentences, tree=tree, where=where
            )
        )
    )


@router.get("/trees", response_model=None, responses={200: {"model": TreeList}})
async def list_trees(call: OnCorpus) -> Response:
    """List the trees of a corpus."""
    found = await call.read(lambda view: view.trees())
    return DataclassResponse(TreeList(tuple(found)))


@router.get("/reports", response_model=None, responses={200: {"model": CommunityReports}})
async def list_reports(
    call: OnCorpus,
    level: Annotated[int | None, Query(ge=1, le=100)] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    tree: TreeName = "",
    where: Where = None,
) -> Response:
    """List the reports on communities, highest rating first."""
    return DataclassResponse(
        await call.read(lambda view: view.reports(level=level, limit=limit, tree=tree, where=where))
    )


@router.get("/reports/{community}", response_model=None, responses={200: {"model": FullReport}})
async def read_report(call: OnCorpus, community: CommunityId, tree: TreeName = "", where: Where = None) -> Response:
    """Return the report on a community, with the passages that support each finding."""
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


class EntityEditRequest(BaseModel):
    """An edit of entities."""

    model_config = ConfigDict(extra="forbid", strict=True)

    action: EditAction = Field(
        description="`merge` names into one entity; `rename` an entity, whose old name becomes an alias; `hide` names "
        "that are not entities; `undo` an edit; `dismiss` a merge suggestion; `allow` a dismissed suggestion again."
    )
    names: list[Annotated[str, Field(min_length=1, max_length=1_000)]] = Field(
        [],
        max_length=100,
        description="Names: one or more for `merge` and `hide`, one for `rename`, `dismiss`, `allow`.",
    )
    into: str = Field("", max_length=1_000, description="The other name for `merge`, `rename`, `dismiss` and `allow`.")
    number: int | None = Field(None, ge=0, le=2**53, description="Number of the edit to undo, from the list of edits.")

    def require_complete(self) -> None:
        """Check that the request contains the fields that its action needs.

        Raises:
            Refused: a field is missing, or several names were given for an action that takes only one.
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
class EntityEditList:
    """Edits of entities, which take effect with the next index run.

    Attributes:
        edits: all edits; in the response to an edit, only the edits that it made or undid.
        dismissed: all dismissed merge suggestions, newest first.
    """

    edits: tuple[StoredEntityEdit, ...]
    dismissed: tuple[DismissedMerge, ...]


@router.get("/entities/suggestions", response_model=None, responses={200: {"model": SuggestedMerges}})
async def list_merge_suggestions(call: OnCorpus, limit: Annotated[int, Query(ge=1, le=1_000)] = 50) -> Response:
    """List merge suggestions: pairs of entities that may be the same, with passages. Needs write rights."""
    call.access.require("write")
    suggestions = await call.whole("The list of merge suggestions", lambda whole: whole.suggested_merges(limit=limit))
    return DataclassResponse(suggestions)


@router.get("/entities/edits", response_model=None, responses={200: {"model": EntityEditList}})
async def list_edits(call: OnCorpus) -> Response:
    """List the manual edits of entities."""
    return DataclassResponse(
        await call.whole("The list of edits", lambda whole: _with_dismissed(whole, whole.entity_edits()))
    )


@router.post("/entities/edits", response_model=None, responses={200: {"model": EntityEditList}})
async def edit_entities(call: OnCorpus, body: EntityEditRequest) -> Response:
    """Edit entities, or undo an edit. Needs write rights."""
    call.access.require("write")
    body.require_complete()
    done = await call.whole("Editing entities", lambda whole: _with_dismissed(whole, _edit(whole, body)))
    return DataclassResponse(done)


def _edit(whole: Knowledge, body: EntityEditRequest) -> list[StoredEntityEdit]:
    match body.action:
        case "merge":
            return whole.merge_entities(body.names, body.into)
        case "rename":
            return [whole.rename_entity(body.names[0], body.into)]
        case "hide":
            return whole.hide_entities(body.names)
        case "undo":
            return [whole.undo_entity_edit(body.number or 0)]
        case "dismiss":
            whole.dismiss_merge(body.names[0], body.into)
        case "allow":
            whole.undo_dismissed_merge(body.names[0], body.into)
    return []


def _with_dismissed(whole: Knowledge, edits: list[StoredEntityEdit]) -> EntityEditList:
    return EntityEditList(tuple(edits), tuple(whole.dismissed_merges()))
