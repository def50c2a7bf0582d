"""Corpora: which there are, what they hold, how they are indexed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from overstory.graph import CorpusSize
from overstory.index import CorpusStatus
from overstory.knowledge import Knowledge
from overstory.service.hosted import Admitted, CorpusName, hosted
from overstory.service.sending import PROBLEMS, Sent

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


@router.delete("/corpora/{corpus}", response_model=None, responses={200: {"model": DeletedCorpus}})
async def delete(corpus: CorpusName, request: Request, access: Admitted) -> Response:
    """Delete a corpus with all that it holds."""
    access.require("admin")
    host = hosted(request)
    await host.whole(request, access, corpus, "Deleting", lambda knowledge: knowledge.delete_corpus())
    return Sent(DeletedCorpus(corpus))


def _listed(corpus: CorpusSize, *, counts: bool) -> ListedCorpus:
    return ListedCorpus(corpus.corpus.name, corpus.documents if counts else None, corpus.chunks if counts else None)
