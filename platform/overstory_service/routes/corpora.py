"""Corpora: which there are, what they hold, how they are indexed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from overstory.graph import CorpusSize
from overstory.index import CorpusStatus
from overstory.knowledge import Knowledge
from overstory.llm import Spent
from overstory_service.hosted import Admitted, CorpusName, hosted
from overstory_service.sending import PROBLEMS, Sent

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
async def corpora(request: Request, access: Admitted) -> Response:
    """List the corpora that the token is good for."""
    host = hosted(request)
    found = await host.run(request, host.corpora.base.corpora)
    return Sent(
        CorpusList(tuple(_listed(each, counts=not access.where) for each in found if access.sees(each.corpus.name)))
    )


@router.get("/corpora/{corpus}", response_model=None, responses={200: {"model": CorpusStatus}})
async def status(
    corpus: CorpusName,
    request: Request,
    access: Admitted,
    sizes: Annotated[bool, Query(description="Whether to count what it holds, which looks at every name.")] = False,
) -> Response:
    """What a corpus holds, what its index lacks, and what each stage did."""

    def read(knowledge: Knowledge) -> CorpusStatus:
        return knowledge.status(sizes=sizes)

    return Sent(await hosted(request).whole(request, access, corpus, "The status of a corpus", read))


@router.get("/corpora/{corpus}/models", response_model=None, responses={200: {"model": CorpusModels}})
async def models(corpus: CorpusName, request: Request, access: Admitted) -> Response:
    """The models of a corpus, and what the language model cost this process since it opened the corpus."""
    access.require("write")

    def read(knowledge: Knowledge) -> CorpusModels:
        llm = knowledge.settings.llm
        return CorpusModels(
            embedder=knowledge.status(sizes=False).corpus.embedder,
            language_model=(llm.model or llm.llm or "") if llm.llm else "",
            input_price=llm.input_price,
            output_price=llm.output_price,
            usage=knowledge.model_usage(),
        )

    return Sent(await hosted(request).whole(request, access, corpus, "The usage of models", read))


@router.delete("/corpora/{corpus}", response_model=None, responses={200: {"model": DeletedCorpus}})
async def delete(corpus: CorpusName, request: Request, access: Admitted) -> Response:
    """Delete a corpus with all that it holds."""
    access.require("admin")
    host = hosted(request)
    await host.whole(request, access, corpus, "Deleting", lambda knowledge: knowledge.delete_corpus())
    return Sent(DeletedCorpus(corpus))


def _listed(corpus: CorpusSize, *, counts: bool) -> ListedCorpus:
    return ListedCorpus(corpus.corpus.name, corpus.documents if counts else None, corpus.chunks if counts else None)
