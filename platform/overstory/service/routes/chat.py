"""OpenAI's `/v1/chat/completions` and `/v1/models`: a corpus, or corpus:retriever, is the model."""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Request
from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from starlette.responses import JSONResponse, Response, StreamingResponse

from overstory.answer import Answer, OnText
from overstory.conversation.conversation import AskOptions
from overstory.knowledge.asynchronous import AnswerStream
from overstory.service.addresses import with_slashes
from overstory.service.chat.asking import ask_after
from overstory.service.chat.side_tasks import side_answer
from overstory.service.chat.sources import ShownAnswer, citations, shown_text, source_list, url_citations
from overstory.service.chat.wrapped import unwrapped
from overstory.service.hosted import LONGEST_FILTER, Admitted, address_of_service, hosted
from overstory.service.problems import problem_of
from overstory.service.refusals import NotThere, Refused
from overstory.service.routes.questions import LONGEST_QUESTION
from overstory.service.sending import PROBLEMS
from overstory.settings import DEFAULT_RETRIEVER

router = APIRouter(prefix="/v1", tags=["chat"], responses=PROBLEMS)

RETRIEVERS = ("dense", "lexical", "hybrid", "canopy")
"""Listed as models beside the corpus itself; those of systems can be asked, too."""
_MOST_MESSAGES = 1_000
_PASSAGES_OF_AN_ANSWER = 5
OWNER = "overstory"
STREAM_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
"""Headers of streams, as the other streams of the service have them: nginx passes pieces on as they come."""


class ContentPart(BaseModel):
    """A part of a message. Only texts are read."""

    model_config = ConfigDict(extra="allow")

    type: str = Field(max_length=100)
    text: str = ""


class ChatMessage(BaseModel):
    """What somebody said."""

    model_config = ConfigDict(extra="allow")

    role: str = Field(max_length=100)
    content: str | list[ContentPart] | None = None

    @property
    def said(self) -> str:
        """Its text."""
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if part.type == "text").strip()
        return (self.content or "").strip()


class StreamOptions(BaseModel):
    """What a stream has besides its pieces."""

    model_config = ConfigDict(extra="allow")

    include_usage: bool = False


class ChatRequest(BaseModel):
    """A request for an answer. Of what OpenAI's API has besides, nothing is read: the language model is set up where
    the service runs."""

    model_config = ConfigDict(extra="allow")

    model: str = Field(min_length=1, max_length=1_000, description="A corpus, or corpus:retriever.")
    messages: list[ChatMessage] = Field(min_length=1, max_length=_MOST_MESSAGES)
    stream: bool = False
    stream_options: StreamOptions | None = None
    where: str | None = Field(None, max_length=LONGEST_FILTER, description="A filter on the metadata of documents.")


@dataclass(frozen=True, slots=True)
class ListedModel:
    """A model, as OpenAI's API lists it."""

    id: str
    object: Literal["model"]
    created: int
    owned_by: str


@dataclass(frozen=True, slots=True)
class ListedModels:
    """The models of a token."""

    object: Literal["list"]
    data: tuple[ListedModel, ...]


@router.get("/models/", response_model=None, include_in_schema=False)
@router.get("/models", response_model=None, responses={200: {"model": ListedModels}})
async def models(request: Request, access: Admitted) -> Response:
    """The corpora of the token, each by itself and with a retriever."""
    host = hosted(request)
    found = await host.run(request, host.corpora.base.corpora)
    seen = [each.corpus for each in found if access.sees(each.corpus.name)]
    listed = [
        _listed(name, corpus.created)
        for corpus in seen
        for name in (corpus.name, *(f"{corpus.name}:{retriever}" for retriever in RETRIEVERS))
    ]
    return JSONResponse({"object": "list", "data": listed})


@router.get("/models/{model:path}", response_model=None, responses={200: {"model": ListedModel}})
async def model(
    model: Annotated[str, Path(max_length=1_000), AfterValidator(with_slashes)], request: Request, access: Admitted
) -> Response:
    """One of them, or a corpus with any other retriever."""
    host = hosted(request)
    found = await host.run(request, host.corpora.base.corpora)
    created = {each.corpus.name: each.corpus.created for each in found if access.sees(each.corpus.name)}
    corpus, _ = _chosen(model, list(created))
    return JSONResponse(_listed(model, created[corpus]))


@router.post(
    "/chat/completions",
    response_model=None,
    responses={
        200: {
            "description": "As OpenAI's API: `chat.completion`, or a stream of `chat.completion.chunk` and [DONE]. The "
            "message, or the last piece, has `annotations` and `citations`.",
            "content": {
                "application/json": {"schema": {"type": "object"}},
                "text/event-stream": {"schema": {"type": "object"}},
            },
        }
    },
)
async def complete(asked: ChatRequest, request: Request, access: Admitted) -> Response:
    """Answer the last question of a conversation, with the passages that the answer stands on."""
    host = hosted(request)
    question, history = _conversation(asked.messages)
    known = await host.run(request, host.corpora.base.corpora)
    corpus, retriever = _chosen(asked.model, [each.corpus.name for each in known if access.sees(each.corpus.name)])
    aside = side_answer(question, [said for said, _ in history])
    made = CompletionForm(asked.model, address_of_service(request), corpus, _includes_usage(asked))
    if aside is not None:
        return made.stream_of(aside.text) if asked.stream else JSONResponse(made.whole(aside.text))
    if len(question) > LONGEST_QUESTION:
        raise Refused(f"The question has {len(question):,} characters.", remedy=f"Ask in {LONGEST_QUESTION:,} or less.")
    request.state.question = question

    def work(hear: OnText) -> Answer:
        with host.opened(access, corpus) as view:
            options = AskOptions(retriever=retriever, where=asked.where, on_text=hear)
            return ask_after(view, question, history, _PASSAGES_OF_AN_ANSWER, **options)

    stream = AnswerStream(host.threads, work)
    if not asked.stream:
        return JSONResponse(made.answer(await host.wanted(request, stream.answer())))
    first = await host.wanted(request, anext(stream, None))
    events = made.events(stream, first, host.settings.request_seconds)
    return StreamingResponse(events, media_type="text/event-stream", headers=STREAM_HEADERS)


def _conversation(messages: list[ChatMessage]) -> tuple[str, list[tuple[str, str]]]:
    """The last question, and the questions and answers before it."""
    said = [
        (each.role, unwrapped(each.said) if each.role == "user" else each.said)
        for each in messages
        if each.role in ("user", "assistant") and each.said
    ]
    if not said or said[-1][0] != "user":
        raise Refused(
            "The last message is none of a user, or has no text.",
            remedy="End `messages` with the question, role `user`.",
        )
    pairs: list[tuple[str, str]] = []
    for role, text in said[:-1]:
        if role == "user":
            pairs.append((text, ""))
        elif pairs:
            pairs[-1] = (pairs[-1][0], text)
    return said[-1][1], pairs


def _chosen(model: str, corpora: list[str]) -> tuple[str, str]:
    """The corpus and the retriever that a model stands for: the longest name of a corpus that it begins with."""
    fitting = [name for name in corpora if model == name or model.startswith(f"{name}:")]
    if not fitting:
        raise NotThere(model.partition(":")[0])
    corpus = max(fitting, key=len)
    return corpus, model[len(corpus) + 1 :] or DEFAULT_RETRIEVER


def _listed(name: str, created: datetime) -> dict[str, str | int]:
    return {"id": name, "object": "model", "created": int(created.timestamp()), "owned_by": OWNER}


def _includes_usage(asked: ChatRequest) -> bool:
    return asked.stream_options is not None and asked.stream_options.include_usage


class CompletionForm:
    """Answers in the form of OpenAI's API."""

    def __init__(self, model: str, base: str, corpus: str, includes_usage: bool) -> None:
        self._common = {"id": f"chatcmpl-{uuid.uuid4().hex}", "created": int(time.time()), "model": model}
        self._base = base
        self._corpus = corpus
        self._includes_usage = includes_usage

    def whole(
        self, text: str, more: dict[str, Any] | None = None, usage: dict[str, int] | None = None
    ) -> dict[str, Any]:
        """A complete answer."""
        message = {"role": "assistant", "content": text, "refusal": None, **(more or {})}
        choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
        return {**self._common, "object": "chat.completion", "choices": [choice], "usage": usage or _tokens(0, 0)}

    def answer(self, answer: Answer) -> dict[str, Any]:
        """A complete answer of ours."""
        text = shown_text(answer)
        listed = source_list(answer, self._base, self._corpus)
        return self.whole(text + listed, self._more(text, answer), _usage(answer))

    def stream_of(self, text: str) -> Response:
        """A stream with one piece."""
        pieces = [self._piece({"role": "assistant", "content": text}), *self._end({}, _tokens(0, 0))]
        return StreamingResponse(iter(pieces), media_type="text/event-stream", headers=STREAM_HEADERS)

    async def events(self, stream: AnswerStream, first: str | None, seconds: float) -> AsyncGenerator[str]:
        """The pieces of an answer, the list of its sources, and the last piece with the citations."""
        shown = ShownAnswer()
        yield self._piece({"role": "assistant", "content": shown.take(first or "")})
        try:
            async with asyncio.timeout(seconds):
                async for piece in stream:
                    yield self._piece({"content": shown.take(piece)})
                answer = await stream.answer()
        except Exception as error:  # noqa: BLE001 # whatever it is, the client hears of it
            yield _event({"error": _error(error)})
        else:
            listed = source_list(answer, self._base, self._corpus)
            if listed:
                yield self._piece({"content": listed})
            for each in self._end(self._more(shown.text, answer), _usage(answer)):
                yield each
        finally:
            await stream.aclose()

    def _more(self, text: str, answer: Answer) -> dict[str, Any]:
        return {
            "annotations": url_citations(text, answer, self._base, self._corpus),
            "citations": citations(answer),
            "notes": list(answer.notes),
        }

    def _piece(self, delta: dict[str, Any], finish: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        return _event({**self._common, "object": "chat.completion.chunk", "choices": [choice]})

    def _end(self, more: dict[str, Any], usage: dict[str, int]) -> Iterator[str]:
        yield self._piece(more, "stop")
        if self._includes_usage:
            yield _event({**self._common, "object": "chat.completion.chunk", "choices": [], "usage": usage})
        yield "data: [DONE]\n\n"


def _usage(answer: Answer) -> dict[str, int]:
    """Tokens of language models; an extractive answer takes none."""
    return _tokens(answer.usage.usage.prompt_tokens, answer.usage.usage.completion_tokens)


def _tokens(asked: int, answered: int) -> dict[str, int]:
    return {"prompt_tokens": asked, "completion_tokens": answered, "total_tokens": asked + answered}


def _error(error: Exception) -> dict[str, Any]:
    problem = problem_of(error if not isinstance(error, TimeoutError) else Refused("The answer took too long."))
    return {"message": f"{problem.detail} {problem.remedy}".strip(), "type": problem.type, "code": problem.status}


def _event(value: dict[str, Any]) -> str:
    return f"data: {json.dumps(value, ensure_ascii=False)}\n\n"
