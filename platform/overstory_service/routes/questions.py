"""Routes that search for passages, answer questions, and find paths between entities."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from typing import Annotated, Literal, Unpack

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field
from sse_starlette import EventSourceResponse, JSONServerSentEvent, ServerSentEvent
from starlette.responses import Response

from overstory.answer import Answer, OnText
from overstory.conversation.conversation import AskOptions, stands_alone, turns_spoken, with_last_names
from overstory.errors import ModelError
from overstory.knowledge.asynchronous import AnswerStream
from overstory.model import Evidence
from overstory.model.entity_paths import EntityPaths
from overstory.model.plain import plain
from overstory.protocols import Extractor
from overstory.settings import DEFAULT_RETRIEVER
from overstory_service.problems import TookTooLong, problem_of
from overstory_service.responses import EVENTS, PROBLEMS, DataclassResponse
from overstory_service.service_host import LONGEST_CORPUS_NAME, LONGEST_FILTER, Askable, OnCorpus, Where


def ask_after(
    view: Askable, question: str, history: Sequence[tuple[str, str]], k: int, **options: Unpack[AskOptions]
) -> Answer:
    """Return the answer to a question. If it is a follow-up question, it is first completed from the history.

    Args:
        history: pairs of an earlier question and its answer, oldest first.

    Raises:
        the errors of `Conversation.ask`.
    """
    extractor = _extractor(view)
    turns = turns_spoken(history, extractor)
    if view.chat() is not None:  # in this case, the language model completes the question
        return view.conversation(turns).ask(question, k, **options)
    if not stands_alone(question, turns, extractor):
        turns = turns_spoken(
            history, extractor, lambda earlier: view.search(earlier, k, where=options.get("where")).hits
        )
    return view.conversation(turns).ask(with_last_names(question, turns, extractor), k, **options)


def _extractor(view: Askable) -> Extractor | None:
    try:
        return view.extractor
    except ModelError:
        return None


router = APIRouter(prefix="/v1/corpora/{corpus}", tags=["questions"], responses=PROBLEMS)

LONGEST_QUESTION = 10_000
"""Maximum number of characters in a question."""
_LONGEST_ANSWER = 100_000
"""Maximum number of characters in an earlier answer."""
_MOST_HISTORY = 100
_MOST_CONTEXT_TOKENS = 200_000
LAST_EVENT = "end"
MOST_OTHER_CORPORA = 15
"""Maximum number of corpora that can be asked in addition to the corpus of the request."""
OtherCorpus = Annotated[str, Field(min_length=1, max_length=LONGEST_CORPUS_NAME)]


class SearchRequest(BaseModel):
    """A question and search options."""

    model_config = ConfigDict(extra="forbid", strict=True)

    question: str = Field(min_length=1, max_length=LONGEST_QUESTION)
    k: int = Field(5, ge=1, le=1_000, description="Number of passages.")
    retriever: str = Field(
        DEFAULT_RETRIEVER,
        min_length=1,
        max_length=1_000,
        description="Name of the retriever, optionally followed by a colon and its options.",
    )
    where: str | None = Field(None, max_length=LONGEST_FILTER, description="Filter on document metadata.")
    also: list[OtherCorpus] = Field(
        [], max_length=MOST_OTHER_CORPORA, description="Names of other corpora to ask together with this one."
    )
    rerank: bool = False
    decompose: bool = False
    hypothetical: bool = False


class EarlierQuestion(BaseModel):
    """An earlier question of the conversation, and its answer."""

    model_config = ConfigDict(extra="forbid", strict=True)

    question: str = Field(min_length=1, max_length=LONGEST_QUESTION)
    answer: str = Field("", max_length=_LONGEST_ANSWER, description="Only the first line is used.")


class AskRequest(SearchRequest):
    """A question, search options and answer options."""

    stream: bool = Field(default=False, description="Stream the answer while it is written.")
    context_tokens: int | None = Field(None, ge=1, le=_MOST_CONTEXT_TOKENS)
    strict: bool = Field(
        default=False, description="Fail if the language model fails, instead of answering without it."
    )
    style: Literal["short", "report"] | None = None
    remember: bool = Field(
        default=False,
        description="Let the retriever's system remember the answer for later questions. Needs write rights.",
    )
    history: list[EarlierQuestion] = Field(
        default_factory=list[EarlierQuestion],
        max_length=_MOST_HISTORY,
        description="Earlier questions of the conversation, oldest first; the last six are used. If the question is a "
        "follow-up question, it is completed from them, and the answer has the original question in `follow_up`.",
    )

    def options(self) -> AskOptions:
        options = AskOptions(
            retriever=self.retriever,
            where=self.where,
            rerank=self.rerank,
            decompose=self.decompose,
            hypothetical=self.hypothetical,
            strict=self.strict,
            remember=self.remember,
            style=self.style,
        )
        if self.context_tokens is not None:
            options["context_tokens"] = self.context_tokens
        return options


@router.post("/search", response_model=None, responses={200: {"model": Evidence}})
async def search(call: OnCorpus, body: SearchRequest) -> Response:
    """Find the passages that answer a question, best first, and other results of the retriever."""
    call.note_question(body.question)

    def find(view: Askable) -> Evidence:
        return view.search(
            body.question,
            body.k,
            retriever=body.retriever,
            rerank=body.rerank,
            decompose=body.decompose,
            hypothetical=body.hypothetical,
            where=body.where,
        )

    return DataclassResponse(await call.ask(body.also, find))


@router.post(
    "/ask",
    response_model=None,
    responses={
        200: {
            "model": Answer,
            "description": "The answer. With `stream`, events: `text` with a piece of text, `answer` with the complete "
            "answer, `problem` on failure, and finally `end`.",
            "content": EVENTS,
        }
    },
)
async def ask(call: OnCorpus, body: AskRequest) -> Response:
    """Answer a question, and return the passages that support the answer."""
    if body.remember:
        call.access.require("write")
    call.note_question(body.question)
    host = call.host

    def work(on_text: OnText | None) -> Answer:
        options = body.options() | AskOptions(on_text=on_text)
        history = [(each.question, each.answer) for each in body.history]
        with host.opened_as_one(call.access, [call.corpus, *body.also]) as view:
            if history:
                return ask_after(view, body.question, history, body.k, **options)
            return view.ask(body.question, body.k, **options)

    if not body.stream:
        return DataclassResponse(await call.run(lambda: work(None)))
    stream = AnswerStream(host.threads, work)
    first = await host.wanted(call.request, anext(stream, None))
    return EventSourceResponse(_events(stream, first, host.settings.request_seconds, call.corpus))


async def _events(
    stream: AnswerStream, first: str | None, seconds: float, corpus: str
) -> AsyncGenerator[ServerSentEvent]:
    """Yield the pieces of an answer, and then the complete answer. If the generator is closed, the work is cancelled.

    Args:
        first: the first piece of the answer; None if the answer is not sent in pieces.
        seconds: timeout for the complete answer.
    """
    try:
        async with asyncio.timeout(seconds):
            if first is not None:
                yield JSONServerSentEvent({"text": first}, event="text")
            async for piece in stream:
                yield JSONServerSentEvent({"text": piece}, event="text")
            answer = await stream.answer()
        yield JSONServerSentEvent(plain(answer), event="answer")
    except TimeoutError:
        late = TookTooLong("The answer was not complete in time.", remedy="Ask a simpler question, or try again later.")
        yield JSONServerSentEvent(problem_of(late).body, event="problem")
    except Exception as error:  # noqa: BLE001 # the client must get every error as an event
        yield JSONServerSentEvent(problem_of(error, corpus=corpus).body, event="problem")
    finally:
        await stream.aclose()
    yield JSONServerSentEvent({}, event=LAST_EVENT)


@router.get("/paths", response_model=None, responses={200: {"model": EntityPaths}})
async def find_paths(
    call: OnCorpus,
    start: Annotated[str, Query(min_length=1, max_length=1_000, description="Name of an entity.")],
    end: Annotated[str, Query(min_length=1, max_length=1_000, description="Name of another entity.")],
    k: Annotated[int, Query(ge=1, le=100, description="Number of paths.")] = 3,
    steps: Annotated[int, Query(ge=1, le=6, description="Maximum number of steps in a path.")] = 4,
    where: Where = None,
) -> Response:
    """Find the shortest path between two entities, and other good paths, with the sentences that state each step."""
    return DataclassResponse(await call.read(lambda view: view.paths(start, end, k, steps=steps, where=where)))
