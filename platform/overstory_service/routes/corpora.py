"""Corpora: their list, status and models, and their place in Neo4j Browser."""

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
    """A corpus. Its sizes are None for a token with a filter, which is not told how many documents there are."""

    name: str
    documents: int | None
    chunks: int | None


@dataclass(frozen=True, slots=True)
class CorpusList:
    """The corpora of a token."""

    corpora: tuple[ListedCorpus, ...]


@dataclass(frozen=True, slots=True)
class DeletedCorpus:
    """The name of a corpus that is no longer there."""

    deleted: str


@dataclass(frozen=True, slots=True)
class CorpusModels:
    """Models, and what they cost.

    Attributes:
        embedder: whose vectors the corpus has; "" before the first index.
        language_model: "" where none is set.
        input_price, output_price: per million tokens, in any currency.
        usage: of the language model by stage, of questions that this process answered; jobs have theirs in the stages
            of the status.
    """

    embedder: str
    language_model: str
    input_price: float
    output_price: float
    usage: dict[str, Spent]


@router.get("/corpora", response_model=None, responses={200: {"model": CorpusList}})
async def corpora(call: OnService) -> Response:
    """List the corpora that the token is good for."""
    return DataclassResponse(await list_corpora(call))


async def list_corpora(call: Call) -> CorpusList:
    """Return the corpora that the token is good for.

    Raises:
        DatabaseError, TookTooLong, ClientGone: they cannot be listed.
    """
    access, found = call.access, await call.run(call.host.corpora.base.corpora)
    return CorpusList(tuple(_listed(each, counts=not access.where) for each in found if access.sees(each.corpus.name)))


@router.get("/corpora/{corpus}", response_model=None, responses={200: {"model": CorpusStatus}})
async def status(
    call: OnCorpus,
    sizes: Annotated[bool, Query(description="Whether to count what it holds, which looks at every name.")] = False,
) -> Response:
    """What a corpus holds, what its index lacks, and what each stage did."""

    def read(knowledge: Knowledge) -> CorpusStatus:
        return knowledge.status(sizes=sizes)

    return DataclassResponse(await call.whole("The status of a corpus", read))


@router.get("/corpora/{corpus}/models", response_model=None, responses={200: {"model": CorpusModels}})
async def models(call: OnCorpus) -> Response:
    """The models of a corpus, and what the language model cost this process since it opened the corpus."""
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
async def delete(call: OnCorpus) -> Response:
    """Delete a corpus with all that it holds."""
    call.access.require("admin")
    await call.whole("Deleting", lambda knowledge: knowledge.delete_corpus())
    return DataclassResponse(DeletedCorpus(call.corpus))


@dataclass(frozen=True, slots=True)
class BrowserPlace:
    """Attributes:
    address: of Neo4j Browser, with what sets the values of a saved query and the query in its editor.
    query: the title of that query.
    """

    address: str
    query: str


@router.get("/corpora/{corpus}/browser", response_model=None, responses={200: {"model": BrowserPlace}})
async def browser(
    call: OnCorpus,
    name: Annotated[str, Query(max_length=1_000, description="A name.")] = "",
    other: Annotated[str, Query(max_length=1_000, description="Another one, to which paths lead.")] = "",
    document: Annotated[str, Query(max_length=200, description="The source of a document.")] = "",
    tree: Annotated[str, Query(max_length=200, description="A tree.")] = "",
    community: Annotated[str, Query(max_length=200, description="A community of the tree.")] = "",
) -> Response:
    """The address that opens Neo4j Browser at a place: a name, two, a document, or a community (admin)."""
    call.access.require("admin")
    values = {"name": name, "other": other, "document": document, "tree": tree, "community": community}
    given = {key: value for key, value in values.items() if value}

    def work(knowledge: Knowledge) -> BrowserPlace:
        found = place_commands(read_corpus(knowledge.graph, call.corpus).label, given)
        if found is None:
            raise Refused(
                "No saved query shows such a place.",
                remedy="Give `name`, `name` and `other`, `document`, or `tree` and `community`.",
            )
        title, commands = found
        return BrowserPlace(Addresses.of(knowledge.graph).link(editor=commands), title)

    return DataclassResponse(await call.whole("Neo4j Browser", work))


def _listed(corpus: CorpusSize, *, counts: bool) -> ListedCorpus:
    return ListedCorpus(corpus.corpus.name, corpus.documents if counts else None, corpus.chunks if counts else None)
