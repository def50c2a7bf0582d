"""Names, communities and reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from overstory.index import ListedName
from overstory.model.communities import CommunityTree
from overstory.model.community_reports import CommunityReports, FullReport
from overstory.service.hosted import Admitted, CorpusName, hosted
from overstory.service.sending import PROBLEMS, Sent

router = APIRouter(prefix="/v1/corpora/{corpus}", tags=["names and communities"], responses=PROBLEMS)

CommunityId = Annotated[str, Path(max_length=200, description="The id of a community, or a unique prefix of it.")]
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
) -> Response:
    """The names that most passages mention."""
    found = await hosted(request).whole(
        request, access, corpus, "Names", lambda whole: whole.names(limit=limit, type=type, like=like)
    )
    return Sent(NameList(tuple(found)))


@router.get("/tree", response_model=None, responses={200: {"model": CommunityTree}})
async def tree(
    corpus: CorpusName,
    request: Request,
    access: Admitted,
    node: Annotated[str | None, Query(max_length=200, description="A community; the whole if left out.")] = None,
    depth: Annotated[int, Query(ge=1, le=10)] = 1,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    tree: TreeName = "",
) -> Response:
    """Communities of a tree that a system's index has."""
    found = await hosted(request).whole(
        request, access, corpus, "A tree", lambda whole: whole.tree(node, depth=depth, limit=limit, tree=tree)
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
) -> Response:
    """The reports on communities, those of the highest rating first."""
    found = await hosted(request).whole(
        request, access, corpus, "Reports", lambda whole: whole.reports(level=level, limit=limit, tree=tree)
    )
    return Sent(found)


@router.get("/reports/{community}", response_model=None, responses={200: {"model": FullReport}})
async def report(
    corpus: CorpusName, community: CommunityId, request: Request, access: Admitted, tree: TreeName = ""
) -> Response:
    """The report on a community, each finding with the passages it stands on."""
    found = await hosted(request).whole(
        request, access, corpus, "Reports", lambda whole: whole.report(community, tree=tree)
    )
    return Sent(found)
