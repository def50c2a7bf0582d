"""A call of a tool: by whom, on which corpus, and how it asks the library."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from mcp.types import ToolAnnotations
from pydantic import BaseModel, ConfigDict
from starlette.requests import Request

from overstory.knowledge import Knowledge
from overstory_service.access import Access
from overstory_service.hosted import Askable, Hosted, Readable
from overstory_service.mcp.quoting import Quotation
from overstory_service.refusals import Refused
from overstory_service.tokens import Rights

R = TypeVar("R")
A = TypeVar("A", bound="Arguments")

_MOST_CORPORA_NAMED = 20
"""Corpora that are named to an agent that named none."""
READS = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)


class Arguments(BaseModel):
    """What an agent gives a tool."""

    model_config = ConfigDict(extra="forbid")


@dataclass(slots=True)
class Call:
    """A call of a tool.

    Attributes:
        request: that it came with; None on stdio.
        asked: the corpus that is meant, once that is known.
    """

    host: Hosted
    access: Access
    request: Request | None
    asked: str = ""

    async def corpus(self, named: str | None) -> str:
        """The corpus that is meant: the one that is named, or the only one there is.

        Raises:
            Refused: none is named, and there are several, or none.
            DatabaseError, TookTooLong, ClientGone: the corpora cannot be listed.
        """
        self.asked = await self._only() if named is None else named
        return self.asked

    async def _only(self) -> str:
        if self.access.corpora is not None and len(self.access.corpora) == 1:
            return next(iter(self.access.corpora))
        found = await self.run(self.host.corpora.base.corpora)
        names = sorted(each.corpus.name for each in found if self.access.sees(each.corpus.name))
        if len(names) == 1:
            return names[0]
        if not names:
            raise Refused("There is no corpus yet.", remedy="Load documents first: overstory ingest, overstory index.")
        listed = ", ".join(map(repr, names[:_MOST_CORPORA_NAMED]))
        more = "" if len(names) <= _MOST_CORPORA_NAMED else ", …"
        raise Refused("Which corpus is not said.", remedy=f"Give `corpus`, one of {listed}{more}.")

    def asks(self, question: str) -> None:
        """Leaves a question for the access log, which has it only if the service was told to."""
        if self.request is not None:
            self.request.state.question = question

    async def run(self, call: Callable[[], R]) -> R:
        """As `Hosted.run`."""
        return await self.host.run(self.request, call)

    async def read(self, corpus: str, call: Callable[[Readable], R]) -> R:
        """As `Hosted.read`."""
        return await self.host.read(self.request, self.access, corpus, call)

    async def ask(self, corpora: Sequence[str], call: Callable[[Askable], R]) -> R:
        """As `Hosted.ask`."""
        return await self.host.ask(self.request, self.access, corpora, call)

    async def whole(self, corpus: str, what: str, call: Callable[[Knowledge], R]) -> R:
        """As `Hosted.whole`."""
        return await self.host.whole(self.request, self.access, corpus, what, call)


@dataclass(frozen=True, slots=True)
class AgentTool(Generic[A, R]):
    """A tool.

    Attributes:
        arguments: the model of what it takes.
        result: the dataclass of what it gives.
        work: makes the result.
        shown: the result as text, in which what comes from documents stands in blocks.
        rights: that a token needs; tools that need more than `read` are only there if the server was started so.
    """

    name: str
    title: str
    description: str
    arguments: type[A]
    result: type[R]
    work: Callable[[Call, A], Awaitable[R]]
    shown: Callable[[R, Quotation], str]
    rights: Rights = "read"
    annotations: ToolAnnotations = field(default_factory=lambda: READS)


AnyTool = AgentTool[Any, Any]  # of any arguments and result
