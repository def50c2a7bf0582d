"""Routes that list corpora, return their status and models, delete them, and return links to Neo4j Browser."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from overstory.browser import Addresses, place_commands
from overstory.graph import CorpusSize, read_corpus
from overstory.index import CorpusStatus
from overstory.knowledge import Knowledge
from overstory.llm import Spent
from overstory_service.problems import Refused
from overstory_service.responses import PROBLEMS, DataclassResponse
from overstory_service.service_host import Call, OnCorpus, OnService

router = APIRouter(prefix="/v1", tags=["corpora"], responses=PROBLEMS)


@dataclass(frozen=True, slots=True)
class ListedCorpus:
    """A corpus and its size. The size is null for a token with a filter."""

    name: str
    documents: int | None
    chunks: int | None


@dataclass(frozen=True, slots=True)
class CorpusList:
    """Corpora that the token can access."""

    corpora: tuple[ListedCorpus, ...]


@dataclass(frozen=True, slots=True)
class DeletedCorpus:
    """Name of a deleted corpus."""

    deleted: str


@dataclass(frozen=True, slots=True)
class CorpusModels:
    """Models of a corpus, and the usage of the language model.

    Attributes:
        embedder: embedder of the corpus; "" before it is indexed.
        language_model: "" if no language model is set.
        input_price, output_price: price per million tokens, in any currency.
        usage: usage by stage, for questions that this process answered. The usage of jobs is part of the corpus status.
    """

    embedder: str
    language_model: str
    input_price: float
    output_price: float
    usage: dict[str, Spent]


@router.get("/corpora", response_model=None, responses={200: {"model": CorpusList}})
async def list_corpora(call: OnService) -> Response:
    """List the corpora that the token can access."""
    return DataclassResponse(await accessible_corpora(call))


async def accessible_corpora(call: Call) -> CorpusList:
    """Return the corpora that the token can access.

    Raises:
        DatabaseError, TookTooLong, ClientGone: the corpora cannot be listed.
    """
    access, found = call.access, await call.run(call.host.corpora.base.corpora)
    return CorpusList(tuple(_listed(each, counts=not access.where) for each in found if access.sees(each.corpus.name)))


@router.get("/corpora/{corpus}", response_model=None, responses={200: {"model": CorpusStatus}})
async def read_status(
    call: OnCorpus,
    sizes: Annotated[bool, Query(description="Also count the contents. This takes longer in a large corpus.")] = False,
) -> Response:
    """Return the contents of a corpus, its pending index work, and the last run of each stage."""

    def read(knowledge: Knowledge) -> CorpusStatus:
        return knowledge.status(sizes=sizes)

    return DataclassResponse(await call.whole("The status of a corpus", read))


@router.get("/corpora/{corpus}/models", response_model=None, responses={200: {"model": CorpusModels}})
async def read_models(call: OnCorpus) -> Response:
    """Return the models of a corpus, and the usage of the language model since this process opened the corpus."""
    call.access.require("write")

    def read(knowledge: Knowledge) -> CorpusModels:
        llm = knowledge.settings.llm
        return CorpusModels(
            embedder=knowledge.status(sizes=False).corpus.embedder,
            language_model=(llm.model or llm.llm or "") if llm.llm else "",
            input_price=llm.input_price,
            output_price=llm.output_price,
            usage=knowledge.model_usage(),
        )

    return DataclassResponse(await call.whole("The usage of models", read))


@router.delete("/corpora/{corpus}", response_model=None, responses={200: {"model": DeletedCorpus}})
async def delete_corpus(call: OnCorpus) -> Response:
    """Delete a corpus with all its documents and its index. Needs admin rights."""
    call.access.require("admin")
    await call.whole("Deleting", lambda knowledge: knowledge.delete_corpus())
    return DataclassResponse(DeletedCorpus(call.corpus))


@dataclass(frozen=True, slots=True)
class BrowserPlace:
    """Link to Neo4j Browser.

    Attributes:
        address: address of Neo4j Browser, with a saved query and its parameters in the editor.
        query: title of the saved query.
    """

    address: str
    query: str


@router.get("/corpora/{corpus}/browser", response_model=None, responses={200: {"model": BrowserPlace}})
async def link_to_browser(
    call: OnCorpus,
    name: Annotated[str, Query(max_length=1_000, description="Name of an entity.")] = "",
    other: Annotated[str, Query(max_length=1_000, description="Name of a second entity, to show paths to it.")] = "",
    document: Annotated[str, Query(max_length=200, description="Source of a document.")] = "",
    tree: Annotated[str, Query(max_length=200, description="Name of a tree.")] = "",
    community: Annotated[str, Query(max_length=200, description="Id of a community of the tree.")] = "",
) -> Response:
    """Return a link that shows an entity, the paths between two entities, a document or a community in Neo4j Browser.

    Needs admin rights.
    """
    call.access.require("admin")
    values = {"name": name, "other": other, "document": document, "tree": tree, "community": community}
    given = {key: value for key, value in values.items() if value}

    def work(knowledge: Knowledge) -> BrowserPlace:
        found = place_commands(read_corpus(knowledge.graph, call.corpus).label, given)
        if found is None:
            raise Refused(
                "No saved query takes these parameters.",
                remedy="Send one of these: `name`; `name` and `other`; `document`; `tree` and `community`.",
            )
        title, commands = found
        return BrowserPlace(Addresses.of(knowledge.graph).link(editor=commands), title)

    return DataclassResponse(await call.whole("Neo4j Browser", work))


def _listed(corpus: CorpusSize, *, counts: bool) -> ListedCorpus:
    return ListedCorpus(corpus.corpus.name, corpus.documents if counts else None, corpus.chunks if counts else None)
