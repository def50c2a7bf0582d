"""Where Neo4j Browser shows a place of a corpus."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from overstory.browser import Addresses, place_commands
from overstory.graph import read_corpus
from overstory.knowledge import Knowledge
from overstory_service.hosted import Admitted, CorpusName, hosted
from overstory_service.refusals import Refused
from overstory_service.sending import PROBLEMS, Sent

router = APIRouter(prefix="/v1/corpora/{corpus}", tags=["corpora"], responses=PROBLEMS)


@dataclass(frozen=True, slots=True)
class BrowserPlace:
    """Attributes:
    address: of Neo4j Browser, with what sets the values of a saved query and the query in its editor.
    query: the title of that query.
    """

    address: str
    query: str


@router.get("/browser", response_model=None, responses={200: {"model": BrowserPlace}})
async def browser(
    corpus: CorpusName,
    request: Request,
    access: Admitted,
    name: Annotated[str, Query(max_length=1_000, description="A name.")] = "",
    other: Annotated[str, Query(max_length=1_000, description="Another one, to which paths lead.")] = "",
    document: Annotated[str, Query(max_length=200, description="The source of a document.")] = "",
    tree: Annotated[str, Query(max_length=200, description="A tree.")] = "",
    community: Annotated[str, Query(max_length=200, description="A community of the tree.")] = "",
) -> Response:
    """The address that opens Neo4j Browser at a place: a name, two, a document, or a community (admin)."""
    access.require("admin")
    values = {"name": name, "other": other, "document": document, "tree": tree, "community": community}
    given = {key: value for key, value in values.items() if value}

    def work(knowledge: Knowledge) -> BrowserPlace:
        found = place_commands(read_corpus(knowledge.graph, corpus).label, given)
        if found is None:
            raise Refused(
                "No saved query shows such a place.",
                remedy="Give `name`, `name` and `other`, `document`, or `tree` and `community`.",
            )
        title, commands = found
        return BrowserPlace(Addresses.of(knowledge.graph).link(editor=commands), title)

    return Sent(await hosted(request).whole(request, access, corpus, "Neo4j Browser", work))
