"""Search, answers, paths."""

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
    """The answer to a question that may go on from those before, which is completed first.

    Args:
        history: questions and their answers, oldest first.

    Raises:
        as `Conversation.ask`.
    """
    extractor = _extractor(view)
    turns = turns_spoken(history, extractor)
    if view.chat() is not None:  # which reads the turns
        return view.conversation(turns).ask(question, k, **options)
    if not stands_alone(question, turns, extractor):
        turns = turns_spoken(history, extractor, lambda asked: view.search(asked, k, where=options.get("where")).hits)
    return view.conversation(turns).ask(with_last_names(question, turns, extractor), k, **options)


def _extractor(view: Askable) -> Extractor | None:
    try:
        return view.extractor
    except ModelError:
        return None


router = APIRouter(prefix="/v1/corpora/{corpus}", tags=["questions"], responses=PROBLEMS)

LONGEST_QUESTION = 10_000
"""Characters."""
_LONGEST_ANSWER = 100_000
"""Characters of an answer that was given before."""
_MOST_HISTORY = 100
_MOST_CONTEXT_TOKENS = 200_000
LAST_EVENT = "end"
MOST_OTHER_CORPORA = 15
"""That are asked together with one."""
OtherCorpus = Annotated[str, Field(min_length=1, max_length=LONGEST_CORPUS_NAME)]


class SearchRequest(BaseModel):
    """A question, and how to search for it."""

    model_config = ConfigDict(extra="forbid", strict=True)

    question: str = Field(min_length=1, max_length=LONGEST_QUESTION)
    k: int = Field(5, ge=1, le=1_000, description="How many passages.")
    retriever: str = Field(
        DEFAULT_RETRIEVER, min_length=1, max_length=1_000, description="Its name, with options after a colon."
    )
    where: str | None = Field(None, max_length=LONGEST_FILTER, description="A filter on the metadata of documents.")
    also: list[OtherCorpus] = Field(
        [], max_length=MOST_OTHER_CORPORA, description="Names of other corpora, asked with this one as if all were one."
    )
    rerank: bool = False
    decompose: bool = False
    hypothetical: bool = False


class EarlierQuestion(BaseModel):
    """A question that was asked before, and what was answered."""

    model_config = ConfigDict(extra="forbid", strict=True)

    question: str = Field(min_length=1, max_length=LONGEST_QUESTION)
    answer: str = Field("", max_length=_LONGEST_ANSWER, description="Its first line counts.")


class AskRequest(SearchRequest):
    """A question, how to search for it, and how to answer it."""

    stream: bool = Field(default=False, description="Send the answer in pieces while it is written.")
    context_tokens: int | None = Field(None, ge=1, le=_MOST_CONTEXT_TOKENS)
    strict: bool = Field(default=False, description="Fail if the language model does, instead of answering without it.")
    style: Literal["short", "report"] | None = None
    remember: bool = Field(
        default=False,
        description="Let the retriever's system learn from the answer, for whoever asks later. Needs the rights write.",
    )
    history: list[EarlierQuestion] = Field(
        default_factory=list[EarlierQuestion],
        max_length=_MOST_HISTORY,
        description="Questions that this one may go on from, oldest first; the last six count. It is completed from "
        "them, and the answer's `follow_up` is what was sent.",
    )

    def options(self) -> AskOptions:
        """As `Knowledge.ask` takes them."""
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
async def search(call: OnCorpus, asked: SearchRequest) -> Response:
    """Find the passages that answer a question, best first, with all that the retriever found besides."""
    call.note_question(asked.question)

    def find(view: Askable) -> Evidence:
        return view.search(
            asked.question,
            asked.k,
            retriever=asked.retriever,
            rerank=asked.rerank,
            decompose=asked.decompose,
            hypothetical=asked.hypothetical,
            where=asked.where,
        )

    return DataclassResponse(await call.ask(asked.also, find))


@router.post(
    "/ask",
    response_model=None,
    responses={
        200: {
            "model": Answer,
            "description": "The answer; with `stream` events: `text` with a piece, `answer` with the whole, "
            "`problem` if it failed, and `end`.",
            "content": EVENTS,
        }
    },
)
async def ask(call: OnCorpus, asked: AskRequest) -> Response:
    """Answer a question, with the passages that the answer stands on."""
    if asked.remember:
        call.access.require("write")
    call.note_question(asked.question)
    host = call.host

    def work(hear: OnText | None) -> Answer:
        options = asked.options() | AskOptions(on_text=hear)
        history = [(each.question, each.answer) for each in asked.history]
        with host.opened_as_one(call.access, [call.corpus, *asked.also]) as view:
            if history:
                return ask_after(view, asked.question, history, asked.k, **options)
            return view.ask(asked.question, asked.k, **options)

    if not asked.stream:
        return DataclassResponse(await call.run(lambda: work(None)))
    stream = AnswerStream(host.threads, work)
    first = await host.wanted(call.request, anext(stream, None))
    return EventSourceResponse(_events(stream, first, host.settings.request_seconds, call.corpus))


async def _events(
    stream: AnswerStream, first: str | None, seconds: float, corpus: str
) -> AsyncGenerator[ServerSentEvent]:
    """The pieces of an answer, from the first on, and the whole. Closing it, as when the client leaves, ends the
    question."""
    try:
        async with asyncio.timeout(seconds):
            if first is not None:
                yield JSONServerSentEvent({"text": first}, event="text")
            async for piece in stream:
                yield JSONServerSentEvent({"text": piece}, event="text")
            answer = await stream.answer()
        yield JSONServerSentEvent(plain(answer), event="answer")
    except TimeoutError:
        late = TookTooLong("The answer was not complete in time.", remedy="Ask for less, or try again later.")
        yield JSONServerSentEvent(problem_of(late).body, event="problem")
    except Exception as error:  # noqa: BLE001 # whatever it is, the client hears of it
        yield JSONServerSentEvent(problem_of(error, corpus=corpus).body, event="problem")
    finally:
        await stream.aclose()
    yield JSONServerSentEvent({}, event=LAST_EVENT)


@router.get("/paths", response_model=None, responses={200: {"model": EntityPaths}})
async def paths(
    call: OnCorpus,
    start: Annotated[str, Query(min_length=1, max_length=1_000, description="A name.")],
    end: Annotated[str, Query(min_length=1, max_length=1_000, description="Another.")],
    k: Annotated[int, Query(ge=1, le=100, description="How many paths.")] = 3,
    steps: Annotated[int, Query(ge=1, le=6, description="The most that a path may have.")] = 4,
    where: Where = None,
) -> Response:
    """How two names are connected: the shortest path and the best others, with the sentences that state each step."""
    return DataclassResponse(await call.read(lambda view: view.paths(start, end, k, steps=steps, where=where)))
