"""Routes that are compatible with OpenAI's `/v1/chat/completions` and `/v1/models`.

The name of a model is the name of a corpus, or of a corpus and a retriever in the form "corpus:retriever".
"""

from __future__ import annotations

import asyncio
import json
import re
import time
import uuid
from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal
from urllib.parse import quote

from fastapi import APIRouter, Path, Request
from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from starlette.responses import JSONResponse, Response, StreamingResponse

from overstory.answer import Answer, Citation, OnText, Quoted
from overstory.conversation.conversation import AskOptions
from overstory.display import on_one_line, shortened
from overstory.knowledge.asynchronous import AnswerStream
from overstory.model.plain import plain
from overstory.settings import DEFAULT_RETRIEVER
from overstory_service.addresses import with_slashes
from overstory_service.problems import NotThere, Refused, problem_of
from overstory_service.responses import PROBLEMS
from overstory_service.routes.questions import LONGEST_QUESTION, ask_after
from overstory_service.service_host import LONGEST_FILTER, Admitted, address_of_service, host_of

SideTask = Literal["title", "tags", "follow_ups", "queries", "autocompletion", "emoji"]

_TITLE_CHARACTERS = 60
_LONGEST_WISH = 400
"""Number of characters at the beginning of a prompt that are searched for its task."""
DEFAULT_TITLE = "Conversation"

_TASK = re.compile(r"\s*#{1,4}\s*task\s*:", re.IGNORECASE)
_SIGNS: tuple[tuple[SideTask, re.Pattern[str]], ...] = (
    ("follow_ups", re.compile(r"follow[- _]?up", re.IGNORECASE)),
    ("title", re.compile(r"\btitle\b", re.IGNORECASE)),
    ("tags", re.compile(r"\btags\b", re.IGNORECASE)),
    ("queries", re.compile(r"\bqueries\b", re.IGNORECASE)),
    ("autocompletion", re.compile(r"autocomplet", re.IGNORECASE)),
    ("emoji", re.compile(r"\bemoji\b", re.IGNORECASE)),
)
_TITLE_WISH = re.compile(
    r"\s*(?:please\s+)?(?:provide|generate|create|write|give|summari[sz]e|suggest)\b.{0,200}"
    r"\btitle\b.{0,80}\b(?:conversation|chat|dialog|discussion|message)",
    re.IGNORECASE | re.DOTALL,
)
_HISTORY_BEGINS = re.compile(r"<chat_history>", re.IGNORECASE)
_HISTORY_ENDS = re.compile(r"</chat_history>", re.IGNORECASE)
_USER = re.compile(r"^[ \t]*(?:user|human)[ \t]*:", re.IGNORECASE | re.MULTILINE)
_ASSISTANT = re.compile(r"^[ \t]*(?:assistant|ai)[ \t]*:", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class SideAnswer:
    """The response to a housekeeping request. Chat applications send such requests for a title, for tags and the like.

    Attributes:
        text: the response, in the form that chat applications expect.
    """

    task: SideTask
    text: str


def side_answer(last: str, earlier: list[str]) -> SideAnswer | None:
    """Return the response to a housekeeping request of a chat application, or None if the message is a question.

    Args:
        earlier: the user's earlier messages, oldest first.
    """
    task = _task(last)
    if task is None:
        return None
    if task == "title":
        title = _side_tasks_title(last, earlier)
        wants_json = re.search(r"json", last, re.IGNORECASE)
        return SideAnswer(task, json.dumps({"title": title}, ensure_ascii=False) if wants_json else title)
    texts = {
        "tags": '{"tags": []}',
        "follow_ups": '{"follow_ups": []}',
        "queries": '{"queries": []}',
        "autocompletion": '{"text": ""}',
        "emoji": "💬",
    }
    return SideAnswer(task, texts[task])


def _task(text: str) -> SideTask | None:
    """Return the task of a housekeeping request, or None if the text is not such a request.

    Such a request begins with the heading "Task:", or it asks for the title of a conversation in its first words.
    """
    if _TASK.match(text):
        wish = text.partition(":")[2].lstrip()[:_LONGEST_WISH]
        found: list[tuple[int, SideTask]] = [
            (match.start(), task) for task, sign in _SIGNS if (match := sign.search(wish))
        ]
        return min(found)[1] if found else None
    return "title" if _TITLE_WISH.match(text) else None


def _side_tasks_title(text: str, earlier: list[str]) -> str:
    begin = _HISTORY_BEGINS.search(text)
    end = _HISTORY_ENDS.search(text, begin.end()) if begin else None
    first = _first_message(text[begin.end() : end.start()] if begin and end else text)
    first = first or (earlier[0] if earlier else "")
    return shortened(" ".join(first.split()), _TITLE_CHARACTERS) or DEFAULT_TITLE


def _first_message(history: str) -> str:
    user = _USER.search(history)
    if user is None:
        return ""
    assistant = _ASSISTANT.search(history, user.end())
    return history[user.end() : assistant.start() if assistant else len(history)].strip()


# Chat applications render all Markdown and HTML that they receive, and they load images. With an image, the author of a
# document could learn the address of the reader. Text from documents is therefore escaped completely. Text from a
# language model may quote a document, too. It keeps its headings, lists, tables and code, but a space is inserted into
# links, images and HTML, so that they are not rendered. This is also done in code, because applications do not agree
# where code ends.

_RUN = re.compile(r"[^\s<>()\[\]{}|`\"'\\*]+")
_ADDRESS = re.compile(
    r"//[^\s/]|www\.|(?:mailto|xmpp):|[\w.+-]@[\w-]"
    r"|\w\.(?:(?:com|org|net|edu|gov|mil|int|info|biz|name|app|dev)\b|[a-z]{2}[/?#:])",
    re.IGNORECASE,
)
"""Text that chat applications turn into a link even without markup."""
_AFTER_ADDRESS = ".,;:!?_~"
_MARKUP = re.compile(
    r"(?P<number>\[\d+\])(?![(:])|[\\`*|~$\[\]]|(?<=\])\(|(?<![^\W_])_|_(?![^\W_])"
    r"|<(?=[A-Za-z/!?])|&(?=#?\w{1,40};)"
)
"""Markup, and citation numbers such as [1].

"(" is escaped after "]", because some applications remove the backslashes from `\\[` and `\\]` in the text of a link.
"""
_BEGINS_BLOCK = re.compile(r"[#>+=:-]|\d+(?=[.)](?:\s|$))")
_MAKES_LINK_OR_HTML = re.compile(r"(?<=\])(?=[(:])|(?<=<)(?=[A-Za-z/!?])")


def escaped(text: str, *, numbers: bool = False) -> str:
    """Escape text from documents, so that Markdown shows it literally.

    Addresses are marked as code, because some applications remove backslashes before they look for addresses.

    Args:
        numbers: if True, numbers in square brackets are citations and are not escaped.
    """
    return "\n".join(_escaped_line(line.strip(), numbers) for line in text.split("\n"))


def _escaped_line(line: str, numbers: bool) -> str:
    def kept_or_escaped(found: re.Match[str]) -> str:
        number = found["number"]
        if number is None:
            return f"\\{found[0]}"
        return number if numbers else f"\\{number[:-1]}\\]"

    made: list[str] = []
    at = 0
    for run in _RUN.finditer(line):
        if _ADDRESS.search(run[0]):
            address = run[0].strip(_AFTER_ADDRESS)
            address = address if _ADDRESS.search(address) else run[0]  # in "www.", the full stop is part of the address
            start = run.start() + run[0].index(address)
            made += [_MARKUP.sub(kept_or_escaped, line[at:start]), f"`{address}`"]
            at = start + len(address)
    made.append(_MARKUP.sub(kept_or_escaped, line[at:]))
    text = "".join(made)
    begins = _BEGINS_BLOCK.match(text)
    if begins is None:
        return text
    end = begins.end() if begins[0].isdecimal() else 0
    return f"{text[:end]}\\{text[end:]}"


class ModelMarkdown:
    """Disables images, links and HTML in the Markdown text of a language model. The text may arrive in pieces."""

    def __init__(self) -> None:
        self._last = ""  # the last character of the previous piece

    def take(self, piece: str) -> str:
        """Return the next piece of the text, with spaces inserted into images, links and HTML."""
        text = self._last + piece
        shown = _MAKES_LINK_OR_HTML.sub(" ", text)[len(self._last) :]
        self._last = text[-1:]
        return shown


SOURCES_HEADING = "\n\n**Sources**\n\n"
_NUMBER = re.compile(r"\[(\d{1,9})\]")
_WEB = re.compile(r"https?://[^\s<>\"]+")


class ShownAnswer:
    """Converts the text of an answer to the text that is sent to a chat application.

    Attributes:
        text: the text that has been sent so far.
    """

    def __init__(self) -> None:
        self.text = ""
        self._model = ModelMarkdown()

    def take(self, piece: str) -> str:
        """Return the next piece of the answer as safe Markdown.

        Args:
            piece: text from a language model, or sentences from documents (`Quoted`).
        """
        shown = escaped(piece, numbers=True) if isinstance(piece, Quoted) else self._model.take(piece)
        self.text += shown
        return shown


def shown_text(answer: Answer) -> str:
    """Return the complete text of an answer as safe Markdown."""
    return ShownAnswer().take(Quoted(answer.text) if answer.kind == "extractive" else answer.text)


def source_list(answer: Answer, base: str, corpus: str) -> str:
    """Return a Markdown list of the sources of an answer, which is appended to its text.

    Return "" if the answer contains no citations.

    Args:
        base: the address of the service.
    """
    lines = [
        f"- [{each.number}] [{escaped(_title(each))}]({_address(each, base, corpus)}): "
        f"{escaped(on_one_line(each.places))}"
        for each in answer.citations
    ]
    return SOURCES_HEADING + "\n".join(lines) if lines else ""


def url_citations(text: str, answer: Answer, base: str, corpus: str) -> list[dict[str, Any]]:
    """Return a `url_citation` object of OpenAI's API for each citation number in the text.

    The object contains the position of the number, and the title and address of the source.

    Args:
        text: the text of the answer, as it was sent.
    """
    cited = {each.number: each for each in answer.citations}
    return [
        {
            "type": "url_citation",
            "url_citation": {
                "start_index": match.start(),
                "end_index": match.end(),
                "title": _title(cited[int(match[1])]),
                "url": _address(cited[int(match[1])], base, corpus),
            },
        }
        for match in _NUMBER.finditer(text)
        if int(match[1]) in cited
    ]


def citations(answer: Answer) -> list[dict[str, Any]]:
    return [plain(each) for each in answer.citations]


def _title(citation: Citation) -> str:
    return on_one_line(citation.title) or on_one_line(citation.text)[:60] or citation.source


def _address(citation: Citation, base: str, corpus: str) -> str:
    if _WEB.fullmatch(citation.source):
        return quote(citation.source, safe=":/?#[]@!$&'*+,;=%~-._")
    place = "/".join(quote(part, safe="") for part in (corpus, citation.document_id))
    return f"{base}/#/document/{place}?passage={quote(citation.chunk_id, safe='')}"


OPENING, CLOSING = "<user_query>", "</user_query>"
_CONTEXT_OPENING, _CONTEXT_CLOSING = "<context>", "</context>"


def unwrapped(message: str) -> str:
    """Return the text between the tags <user_query> and </user_query>, or the complete message if it has no such tags.

    Text between <context> and </context> is ignored, because it comes from documents and may contain such tags.
    """
    before, opened, rest = message.partition(_CONTEXT_OPENING)
    _, closed, after = rest.rpartition(_CONTEXT_CLOSING)
    own = f"{before}{after}" if opened and closed else message
    for text in (own, message):
        question = text.partition(OPENING)[2].rpartition(CLOSING)[0].strip()
        if question:
            return question
    return message


router = APIRouter(prefix="/v1", tags=["chat"], responses=PROBLEMS)

RETRIEVERS = ("dense", "lexical", "hybrid", "canopy")
"""Retrievers for which a model is listed for each corpus. The retrievers of systems can be used, but are not listed."""
_MOST_MESSAGES = 1_000
_PASSAGES_OF_AN_ANSWER = 5
OWNER = "overstory"
STREAM_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
"""Headers of streamed responses. Because of X-Accel-Buffering, nginx forwards each piece at once."""


class ContentPart(BaseModel):
    """A part of a message. Only text parts are used."""

    model_config = ConfigDict(extra="allow")

    type: str = Field(max_length=100)
    text: str = ""


class ChatMessage(BaseModel):
    """A message of a conversation."""

    model_config = ConfigDict(extra="allow")

    role: str = Field(max_length=100)
    content: str | list[ContentPart] | None = None

    @property
    def text(self) -> str:
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if part.type == "text").strip()
        return (self.content or "").strip()


class StreamOptions(BaseModel):
    """Options of a stream."""

    model_config = ConfigDict(extra="allow")

    include_usage: bool = False


class ChatRequest(BaseModel):
    """A chat request. Other parameters of OpenAI's API are ignored: the service configures the language model."""

    model_config = ConfigDict(extra="allow")

    model: str = Field(min_length=1, max_length=1_000, description="Name of a corpus, or corpus:retriever.")
    messages: list[ChatMessage] = Field(min_length=1, max_length=_MOST_MESSAGES)
    stream: bool = False
    stream_options: StreamOptions | None = None
    where: str | None = Field(None, max_length=LONGEST_FILTER, description="Filter on document metadata.")


@dataclass(frozen=True, slots=True)
class ListedModel:
    """A model in the form of OpenAI's API."""

    id: str
    object: Literal["model"]
    created: int
    owned_by: str


@dataclass(frozen=True, slots=True)
class ListedModels:
    """Models that the token can use."""

    object: Literal["list"]
    data: tuple[ListedModel, ...]


@router.get("/models/", response_model=None, include_in_schema=False)
@router.get("/models", response_model=None, responses={200: {"model": ListedModels}})
async def list_models(request: Request, access: Admitted) -> Response:
    """List models: each corpus that the token can access, alone and with each retriever."""
    host = host_of(request)
    found = await host.run(request, host.corpora.base.corpora)
    seen = [each.corpus for each in found if access.sees(each.corpus.name)]
    listed = [
        _listed(name, corpus.created)
        for corpus in seen
        for name in (corpus.name, *(f"{corpus.name}:{retriever}" for retriever in RETRIEVERS))
    ]
    return JSONResponse({"object": "list", "data": listed})


@router.get("/models/{model:path}", response_model=None, responses={200: {"model": ListedModel}})
async def read_model(
    model: Annotated[str, Path(max_length=1_000), AfterValidator(with_slashes)], request: Request, access: Admitted
) -> Response:
    """Return a model: a corpus, or a corpus with any retriever."""
    host = host_of(request)
    found = await host.run(request, host.corpora.base.corpora)
    created = {each.corpus.name: each.corpus.created for each in found if access.sees(each.corpus.name)}
    corpus, _ = _chosen(model, list(created))
    return JSONResponse(_listed(model, created[corpus]))


@router.post(
    "/chat/completions",
    response_model=None,
    responses={
        200: {
            "description": "A `chat.completion`, or a stream of `chat.completion.chunk` and [DONE], as in OpenAI's "
            "API. The message, or the last chunk, has `annotations` and `citations`.",
            "content": {
                "application/json": {"schema": {"type": "object"}},
                "text/event-stream": {"schema": {"type": "object"}},
            },
        }
    },
)
async def create_chat_completion(body: ChatRequest, request: Request, access: Admitted) -> Response:
    """Answer the last question of a conversation, and cite the passages that support the answer."""
    host = host_of(request)
    question, history = _conversation(body.messages)
    known = await host.run(request, host.corpora.base.corpora)
    corpus, retriever = _chosen(body.model, [each.corpus.name for each in known if access.sees(each.corpus.name)])
    aside = side_answer(question, [earlier for earlier, _ in history])
    made = CompletionForm(body.model, address_of_service(request), corpus, _includes_usage(body))
    if aside is not None:
        return made.stream_of(aside.text) if body.stream else JSONResponse(made.whole(aside.text))
    if len(question) > LONGEST_QUESTION:
        raise Refused(
            f"The question is too long: {len(question):,} characters.",
            remedy=f"Send at most {LONGEST_QUESTION:,} characters.",
        )
    request.state.question = question

    def work(on_text: OnText) -> Answer:
        with host.opened(access, corpus) as view:
            options = AskOptions(retriever=retriever, where=body.where, on_text=on_text)
            return ask_after(view, question, history, _PASSAGES_OF_AN_ANSWER, **options)

    stream = AnswerStream(host.threads, work)
    if not body.stream:
        return JSONResponse(made.answer(await host.wanted(request, stream.answer())))
    first = await host.wanted(request, anext(stream, None))
    events = made.events(stream, first, host.settings.request_seconds)
    return StreamingResponse(events, media_type="text/event-stream", headers=STREAM_HEADERS)


def _conversation(messages: list[ChatMessage]) -> tuple[str, list[tuple[str, str]]]:
    """Return the last question, and pairs of each earlier question and its answer.

    Raises:
        Refused: the last message was not sent by the user, or it contains no text.
    """
    spoken = [
        (each.role, unwrapped(each.text) if each.role == "user" else each.text)
        for each in messages
        if each.role in ("user", "assistant") and each.text
    ]
    if not spoken or spoken[-1][0] != "user":
        raise Refused(
            "The last message has no text, or its role is not `user`.",
            remedy="End `messages` with the question, with the role `user`.",
        )
    pairs: list[tuple[str, str]] = []
    for role, text in spoken[:-1]:
        if role == "user":
            pairs.append((text, ""))
        elif pairs:
            pairs[-1] = (pairs[-1][0], text)
    return spoken[-1][1], pairs


def _chosen(model: str, corpora: list[str]) -> tuple[str, str]:
    """Split the name of a model into the names of a corpus and a retriever, and return both.

    If several corpora match, the corpus with the longest name is chosen.

    Args:
        corpora: the names of all corpora that the token can access.

    Raises:
        NotThere: no corpus matches.
    """
    fitting = [name for name in corpora if model == name or model.startswith(f"{name}:")]
    if not fitting:
        raise NotThere(model.partition(":")[0])
    corpus = max(fitting, key=len)
    return corpus, model[len(corpus) + 1 :] or DEFAULT_RETRIEVER


def _listed(name: str, created: datetime) -> dict[str, str | int]:
    return {"id": name, "object": "model", "created": int(created.timestamp()), "owned_by": OWNER}


def _includes_usage(body: ChatRequest) -> bool:
    return body.stream_options is not None and body.stream_options.include_usage


class CompletionForm:
    """Creates responses in the form of OpenAI's API."""

    def __init__(self, model: str, base: str, corpus: str, includes_usage: bool) -> None:
        self._common = {"id": f"chatcmpl-{uuid.uuid4().hex}", "created": int(time.time()), "model": model}
        self._base = base
        self._corpus = corpus
        self._includes_usage = includes_usage

    def whole(
        self, text: str, more: dict[str, Any] | None = None, usage: dict[str, int] | None = None
    ) -> dict[str, Any]:
        message = {"role": "assistant", "content": text, "refusal": None, **(more or {})}
        choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
        return {**self._common, "object": "chat.completion", "choices": [choice], "usage": usage or _tokens(0, 0)}

    def answer(self, answer: Answer) -> dict[str, Any]:
        """Return the response for a complete answer, with its sources."""
        text = shown_text(answer)
        listed = source_list(answer, self._base, self._corpus)
        return self.whole(text + listed, self._more(text, answer), _usage(answer))

    def stream_of(self, text: str) -> Response:
        pieces = [self._piece({"role": "assistant", "content": text}), *self._end({}, _tokens(0, 0))]
        return StreamingResponse(iter(pieces), media_type="text/event-stream", headers=STREAM_HEADERS)

    async def events(self, stream: AnswerStream, first: str | None, seconds: float) -> AsyncGenerator[str]:
        """Yield the pieces of an answer, then the list of its sources, and finally a chunk that contains the citations.

        Args:
            first: the first piece of the answer; None if the answer is not sent in pieces.
            seconds: timeout for the complete answer.
        """
        shown = ShownAnswer()
        yield self._piece({"role": "assistant", "content": shown.take(first or "")})
        try:
            async with asyncio.timeout(seconds):
                async for piece in stream:
                    yield self._piece({"content": shown.take(piece)})
                answer = await stream.answer()
        except Exception as error:  # noqa: BLE001 # the client must get every error as an event
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
    return _tokens(answer.usage.usage.prompt_tokens, answer.usage.usage.completion_tokens)


def _tokens(prompt: int, completion: int) -> dict[str, int]:
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def _error(error: Exception) -> dict[str, Any]:
    problem = problem_of(error if not isinstance(error, TimeoutError) else Refused("The answer took too long."))
    return {"message": f"{problem.detail} {problem.remedy}".strip(), "type": problem.type, "code": problem.status}


def _event(value: dict[str, Any]) -> str:
    return f"data: {json.dumps(value, ensure_ascii=False)}\n\n"
