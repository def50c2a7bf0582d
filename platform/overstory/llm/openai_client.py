"""A chat model that calls an OpenAI-compatible endpoint. OpenAI, vLLM, Ollama and llama.cpp offer such endpoints."""

from __future__ import annotations

import asyncio
import concurrent.futures
import importlib.util
import random
import threading
import time
import weakref
from collections.abc import Awaitable, Callable, Coroutine, Generator, Sequence
from dataclasses import dataclass, field, replace
from queue import SimpleQueue
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import httpx

from overstory.cancellation import ended_by
from overstory.display import printable
from overstory.endpoints import (
    CONNECT_SECONDS,
    LONGEST_MESSAGE_CHARACTERS,
    Backoff,
    KeyMask,
    bounded,
    cause_without_key,
    cleaned,
    redirect_elsewhere,
)
from overstory.errors import AnswerRefused, ExtraMissing, LlmCancelled, LlmError
from overstory.llm.budget import prompt_tokens_at_most
from overstory.llm.digests import fingerprint_of
from overstory.llm.structured_answers import schema_message
from overstory.model import Completion, JsonSchema, Message, Usage
from overstory.model.passage_text import count_at_most
from overstory.settings import LlmSettings
from overstory.surrogates import is_key, well_formed

if TYPE_CHECKING:
    from openai import AsyncOpenAI


R = TypeVar("R")

AtEnd = Callable[[], Awaitable[object]]


class LoopThread:
    """Runs coroutines in an event loop in a separate thread, so that other threads can wait for their results.

    The thread starts with the first coroutine. It ends when `close` is called or this object is garbage-collected.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting: set[concurrent.futures.Future[Any]] = set()  # coroutines can return any type
        self._at_end: list[AtEnd] = []
        self._stop: Callable[[], object] = _nothing

    def run(self, coroutine: Coroutine[Any, Any, R]) -> R:  # only the type of the result matters here
        """Run a coroutine and return its result.

        If the calling thread is interrupted or cancelled, the coroutine is cancelled.
        """
        future = self.start(coroutine)
        try:
            with ended_by(future.cancel):
                return future.result()
        except BaseException:
            future.cancel()
            raise

    def start(self, coroutine: Coroutine[Any, Any, R]) -> concurrent.futures.Future[R]:  # types as in `run`
        """Start a coroutine, and return a future for its result."""
        future = asyncio.run_coroutine_threadsafe(coroutine, self._running())
        with self._lock:
            self._waiting.add(future)
        future.add_done_callback(self._forget)
        return future

    def at_end(self, close: AtEnd) -> None:
        """Register a function that is called and awaited in the event loop before the loop ends."""
        self._at_end.append(close)

    def cancel(self) -> None:
        """Cancel all running coroutines."""
        with self._lock:
            waiting = list(self._waiting)
        for future in waiting:
            future.cancel()

    def close(self) -> None:
        """Cancel all running coroutines and end the thread. The next coroutine starts a new thread."""
        self.cancel()
        with self._lock:
            self._loop, self._at_end = None, []
            stop, self._stop = self._stop, _nothing
        stop()

    def _forget(self, future: concurrent.futures.Future[Any]) -> None:  # the result can have any type
        with self._lock:
            self._waiting.discard(future)

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                thread = threading.Thread(
                    target=_serve, args=(self._loop, self._at_end), name="language model", daemon=True
                )
                thread.start()
                self._stop = weakref.finalize(self, _end, self._loop, thread)
            return self._loop


def _serve(loop: asyncio.AbstractEventLoop, at_end: list[AtEnd]) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        for close in at_end:
            loop.run_until_complete(close())
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


def _end(loop: asyncio.AbstractEventLoop, thread: threading.Thread) -> None:
    if loop.is_closed():
        return
    loop.call_soon_threadsafe(loop.stop)
    if threading.current_thread() is not thread:
        thread.join()


def _nothing() -> None: ...


@dataclass(slots=True)
class StreamedAnswer:
    """The part of a streamed answer that has been received so far.

    Its attributes have the same names as those of a complete response.

    Attributes:
        mask: masks the API key in the text.
        most: maximum number of characters. If the answer is longer, it is cut off and `finish` is set to "length".
        cut: True if the answer was cut off, so that the rest need not be read.
        finish: the reason why the answer ended; None if it has not ended.
    """

    mask: KeyMask
    most: int
    text: str = ""
    refusal: str = ""
    begun: bool = False
    cut: bool = False
    finish: str | None = None
    model: str | None = None
    usage: Any = field(default=None)  # the client does not validate the type

    @property
    def choices(self) -> list[SimpleNamespace]:
        message = SimpleNamespace(content=self.text, refusal=self.refusal or None)
        return [SimpleNamespace(message=message, finish_reason=self.finish)]

    def take(self, chunk: Any) -> str:  # the client does not validate the type of `chunk`
        """Add a chunk of the stream to the answer, and return the chunk's text, or "" if it contains no text."""
        self.usage = getattr(chunk, "usage", None) or self.usage
        self.model = self.model or getattr(chunk, "model", None)
        choices = getattr(chunk, "choices", None)
        if not choices:  # the chunk is a keep-alive, or the last chunk, which contains only the usage
            return ""
        self.begun = True
        self.finish = getattr(choices[0], "finish_reason", None) or self.finish
        delta = getattr(choices[0], "delta", None)
        self.refusal += str(getattr(delta, "refusal", None) or "")
        piece = getattr(delta, "content", None) or ""
        if not isinstance(piece, str):
            raise ValueError(f"its text must consist of strings, got {type(piece).__name__}.")
        return self._added(self.mask.take(well_formed(piece)))

    def rest(self) -> str:
        """Return the text that the mask still holds back. Call this at the end of the stream."""
        return self._added(self.mask.rest())

    def _added(self, piece: str) -> str:
        room = self.most - len(self.text)
        if len(piece) > room:
            piece, self.finish, self.cut = piece[:room], "length", True
        self.text += piece
        return piece


OPENAI = "https://api.openai.com/v1"
UNCOMPRESSED = {"Accept-Encoding": "identity"}
"""Header that disables compression. The size limit counts received bytes, but a few compressed bytes could expand to
any size."""
_CHAT_ENDPOINT_VERSION = 1

_MOST_CHARACTERS_A_TOKEN = 16
"""Maximum number of characters per token of the token limit. An answer with more characters is cut off, because the
endpoint apparently ignores the token limit."""
MOST_ANSWER_BYTES, MOST_BYTES_A_TOKEN = 4_000_000, 4_096
"""A response may have at most the first number of bytes, plus the second number per token of the token limit. This is
enough for the events, escape sequences and thoughts that it contains."""
_MOST_TOKENS_COUNTED = 10_000_000
"""Highest token count that is accepted from an endpoint. Higher counts are ignored as implausible."""

A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class Dialect:
    """The features that an endpoint is assumed to support. Rejected requests show which features it lacks.

    Attributes:
        enforces: True if the endpoint accepts and enforces JSON schemas.
        limit: name of the field for the token limit. OpenAI has renamed this field, other endpoints have not.
        temperature: True if the endpoint accepts a temperature.
        counts: True if the endpoint reports the usage at the end of a stream.
    """

    enforces: bool = True
    limit: str = "max_tokens"
    temperature: bool = True
    streams: bool = True
    counts: bool = True

    def without(self, message: str) -> Dialect | None:
        """Return a dialect without the feature that an error message names, or None if it names no known feature."""
        if self.limit == "max_tokens" and "max_completion_tokens" in message:
            return replace(self, limit="max_completion_tokens")
        if self.enforces and any(each in message for each in ("response_format", "json_schema", "schema", "grammar")):
            return replace(self, enforces=False)
        if self.temperature and "temperature" in message:
            return replace(self, temperature=False)
        if self.counts and any(each in message for each in ("stream_options", "include_usage")):
            return replace(self, counts=False)
        if self.streams and "stream" in message:
            return replace(self, streams=False)
        return None


class OpenAiChat:
    """A chat model that is available at `settings.base_url`, by default at OpenAI.

    It is safe to use from several threads. The timeout limits the total time of a request, even if the endpoint keeps
    sending a few bytes. If a response asks to wait (Retry-After), no request is sent before that time is over.
    """

    def __init__(self, settings: LlmSettings, *, backoff: Backoff | None = None, direct: bool = False) -> None:
        """Check the settings without sending anything.

        Args:
            direct: True to ignore the proxies that environment variables set.
        """
        self._address = _checked(settings)
        self._settings = settings
        self._model = settings.model or ""
        self._key = settings.api_key
        self._direct = direct
        self.max_tokens = settings.max_tokens
        self.fingerprint = fingerprint_of(
            f"openai:{self._model}", _CHAT_ENDPOINT_VERSION, self._address, self._model, settings.temperature
        )
        self._backoff = backoff or Backoff(retries=settings.retries)
        self._dialect = Dialect(enforces=settings.form != "prompt")
        self._client: AsyncOpenAI | None = None
        self._slots = asyncio.Semaphore(max(1, settings.at_once))
        self._check = _ResponseCheck(self._address, settings.api_key, settings.max_tokens)
        self._not_before = 0.0  # no request is sent before this time (`time.monotonic`)
        self._thread = LoopThread()

    def __repr__(self) -> str:
        return f"OpenAiChat(model={self._model!r}, base_url={self._address!r})"

    def complete(
        self, messages: Sequence[Message], schema: JsonSchema | None = None, *, max_tokens: int | None = None
    ) -> Completion:
        limit = self.max_tokens if max_tokens is None else max_tokens
        try:
            return self._thread.run(self._answer(list(messages), schema, limit))
        except concurrent.futures.CancelledError as error:
            raise LlmCancelled(
                f"A request to {self._address} was cancelled.", remedy="Run the command again."
            ) from error

    def stream(self, messages: Sequence[Message], *, max_tokens: int | None = None) -> Generator[str, None, Completion]:
        """Yield the model's answer piece by piece, or as one piece if the endpoint cannot stream."""
        limit = self.max_tokens if max_tokens is None else max_tokens
        pieces: SimpleQueue[str | None] = SimpleQueue()
        whole = self._thread.start(self._streamed(list(messages), limit, pieces.put))
        whole.add_done_callback(lambda _: pieces.put(None))
        try:
            with ended_by(whole.cancel):
                while (piece := pieces.get()) is not None:
                    yield piece
                return whole.result()
        except concurrent.futures.CancelledError as error:
            raise LlmCancelled(
                f"A request to {self._address} was cancelled.", remedy="Run the command again."
            ) from error
        finally:
            whole.cancel()

    def cancel(self) -> None:
        self._thread.cancel()

    def close(self) -> None:
        self._thread.close()
        self._client = None
        self._slots = asyncio.Semaphore(max(1, self._settings.at_once))  # the old semaphore belongs to the closed loop

    async def _answer(self, messages: list[Message], schema: JsonSchema | None, limit: int) -> Completion:
        async with self._slots:
            began = time.monotonic()
            answer, retries = await self._tried(lambda: self._send(messages, schema, limit))
            seconds = time.monotonic() - began
            return self._completion(answer, messages, schema, limit, seconds=seconds, retries=retries)

    async def _streamed(self, messages: list[Message], limit: int, on_piece: Callable[[str], object]) -> Completion:
        async with self._slots:
            began = time.monotonic()
            answer, retries = await self._tried(lambda: self._receive(messages, limit, on_piece))
            seconds = time.monotonic() - began
            completion = self._completion(answer, messages, None, limit, seconds=seconds, retries=retries)
            if not isinstance(answer, StreamedAnswer):
                on_piece(completion.text)
            return completion

    async def _tried(self, attempt: Callable[[], Awaitable[A]]) -> tuple[A, int]:
        """Repeat an attempt until it succeeds or must not be retried again.

        Return its result and the number of failed attempts.
        """
        import openai

        retry = 0
        while True:
            await asyncio.sleep(max(0.0, self._not_before - time.monotonic()))
            try:
                return await attempt(), retry
            # The client raises ValueError if the response is not JSON, and RecursionError if it is nested too deeply.
            except (openai.OpenAIError, OSError, ValueError, RecursionError) as error:
                retry += 1
                await self._pause(error, retry)

    async def _pause(self, error: Exception, retry: int) -> None:
        from overstory.llm.faults import fault_of

        fault = fault_of(
            error,
            address=self._address,
            seconds=self._settings.seconds,
            key=self._key,
            retries=self._backoff.retries,
        )
        pause = self._backoff.pause(retry, asked=fault.asked, chance=random.random())  # noqa: S311 # no secret
        if pause is None or retry > fault.retries:
            raise fault.error from cause_without_key(error, self._key)
        if fault.asked is not None:
            self._not_before = max(self._not_before, time.monotonic() + fault.asked)
        await asyncio.sleep(pause)

    async def _receive(self, messages: list[Message], limit: int, on_piece: Callable[[str], object]) -> Any:
        """Return the streamed answer, or the complete response if the endpoint cannot stream.

        While the answer is streamed, each piece is passed to `on_piece`. A complete response is not passed to it.
        """
        import openai

        from overstory.llm.faults import broken_off

        received = StreamedAnswer(KeyMask(self._key), _MOST_CHARACTERS_A_TOKEN * limit)
        try:
            async with asyncio.timeout(self._settings.seconds or None):
                chunks = await self._send(messages, None, limit, stream=True)
                if not isinstance(chunks, openai.AsyncStream):
                    return chunks
                async with chunks:
                    async for chunk in chunks:
                        if piece := received.take(chunk):
                            on_piece(piece)
                        if received.cut:
                            break
            if piece := received.rest():
                on_piece(piece)
            if received.begun and received.finish is None:
                raise ConnectionError("the stream ended before the answer was complete.")
        except (openai.OpenAIError, OSError, ValueError, RecursionError, httpx.HTTPError) as error:
            if received.text:  # the request is not retried, because the caller has already received a part
                broke = broken_off(self._address, len(received.text), self._masked(str(error)))
                raise broke from cause_without_key(error, self._key)
            if isinstance(error, httpx.HTTPError):  # older clients do not wrap errors of httpx
                raise ConnectionError(str(error)) from error
            raise
        if received.begun:
            return received
        self._dialect = replace(self._dialect, streams=False)
        return await self._send(messages, None, limit)

    async def _send(
        self, messages: list[Message], schema: JsonSchema | None, limit: int, *, stream: bool = False
    ) -> Any:
        """Send a request, and return the response. The client does not validate the types in the response."""
        import openai

        self._check.longest = max(self._check.longest, limit)
        while True:
            dialect = self._dialect
            try:
                async with asyncio.timeout(self._settings.seconds or None):
                    body = _request(self._model, messages, schema, limit, dialect, self._settings.temperature)
                    if stream and dialect.streams:
                        body |= {"stream": True}
                        body |= {"stream_options": {"include_usage": True}} if dialect.counts else {}
                    return await self._opened().chat.completions.create(**body, extra_headers=UNCOMPRESSED)
            except openai.APIStatusError as error:
                if self._dialect != dialect:  # another request changed the dialect in the meantime
                    continue
                message = f"{error.message} {error.param or ''}".lower()
                other = dialect.without(message) if error.status_code in (400, 422, 501) else None
                if other is None or (self._settings.form == "schema" and not other.enforces):
                    raise
                self._dialect = other

    def _completion(
        self,
        answer: Any,
        messages: list[Message],
        schema: JsonSchema | None,
        limit: int,
        *,
        seconds: float,
        retries: int,
    ) -> Completion:
        from overstory.llm.faults import unusable

        try:
            choice = answer.choices[0]
            text = choice.message.content or ""
            refusal = getattr(choice.message, "refusal", None)
            finish = choice.finish_reason
        except (AttributeError, IndexError, TypeError) as error:
            message = getattr(answer, "error", None) or "it has no message."
            raise unusable(self._address, self._masked(str(message))) from error
        if not isinstance(text, str):
            raise unusable(self._address, f"its text must be a string, got {type(text).__name__}.")
        if refusal or finish == "content_filter":
            raise AnswerRefused(
                f"The model refused to answer: {self._masked(str(refusal or 'its content filter blocked the answer'))}",
                remedy="Rephrase the question, or use another model.",
            )
        mask = KeyMask(self._key)
        text, most = mask.whole(well_formed(text)), _MOST_CHARACTERS_A_TOKEN * limit
        return Completion(
            text[:most],
            model=mask.whole(printable(str(getattr(answer, "model", None) or self._model)))[
                :LONGEST_MESSAGE_CHARACTERS
            ],
            usage=_usage(answer, text, messages, schema),
            truncated=finish == "length" or len(text) > most,
            seconds=seconds,
            retries=retries,
        )

    def _masked(self, message: str) -> str:
        return cleaned(message, self._key)

    def _opened(self) -> AsyncOpenAI:
        if self._client is None:
            import openai

            settings = self._settings
            self._client = openai.AsyncOpenAI(
                api_key=settings.api_key or "none",
                base_url=settings.base_url or OPENAI,
                timeout=openai.Timeout(settings.seconds or None, connect=CONNECT_SECONDS),
                max_retries=0,
                http_client=openai.DefaultAsyncHttpxClient(
                    trust_env=not self._direct, event_hooks={"response": [self._check.check]}
                ),
            )
            self._thread.at_end(self._client.close)
        return self._client


@dataclass(slots=True)
class _ResponseCheck:
    """Checks a response before the client reads its body.

    This is a separate class because the client keeps it alive, and must not keep an `OpenAiChat` alive.

    Attributes:
        longest: highest token limit of any request so far.
    """

    address: str
    key: str | None
    longest: int

    async def check(self, response: Any) -> None:  # newer clients pass a response that is not from httpx
        """Limit the size of a response's body.

        Raises:
            LlmRefused: The response redirects to another address.
            AnswerUnusable: The response is compressed.
        """
        from overstory.llm.faults import compressed, redirected, too_long

        if elsewhere := redirect_elsewhere(response):
            raise redirected(self.address, cleaned(elsewhere, self.key))
        if response.headers.get("content-encoding", "identity").lower() not in ("", "identity"):
            raise compressed(self.address)
        most = MOST_ANSWER_BYTES + MOST_BYTES_A_TOKEN * self.longest
        response.stream = bounded(response.stream, most, lambda: too_long(self.address, most))


def _checked(settings: LlmSettings) -> str:
    """Check the settings, and return the endpoint's address without its query string, for messages."""
    if importlib.util.find_spec("openai") is None:
        raise ExtraMissing("openai", extra="llm")
    if not settings.model:
        raise LlmError(
            "The name of the language model is not set.",
            remedy="Set OVERSTORY_LLM_MODEL to the endpoint's name for the model.",
        )
    if not settings.api_key and not settings.base_url:
        raise LlmError(
            "The API key for the language model is not set.",
            remedy="Set OVERSTORY_LLM_API_KEY, or OVERSTORY_LLM_BASE_URL for an endpoint without keys.",
        )
    if settings.api_key and not is_key(settings.api_key):
        raise LlmError(
            "The API key for the language model contains a line break or another invalid character.",
            remedy="Check OVERSTORY_LLM_API_KEY, or the first line of the file in OVERSTORY_LLM_API_KEY_FILE.",
        )
    parts = urlsplit(settings.base_url or OPENAI)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise LlmError(
            "The address of the language model is not an HTTP address.",
            remedy="Set OVERSTORY_LLM_BASE_URL to something like http://localhost:11434/v1.",
        )
    if "@" in parts.netloc:
        raise LlmError(
            "The address of the language model contains a user or a password, which web libraries write to logs.",
            remedy="Remove it from OVERSTORY_LLM_BASE_URL; a key belongs in OVERSTORY_LLM_API_KEY.",
        )
    return parts._replace(query="", fragment="").geturl()


def _request(
    model: str, messages: list[Message], schema: JsonSchema | None, limit: int, dialect: Dialect, temperature: float
) -> dict[str, Any]:
    if schema is not None and not dialect.enforces:
        messages = _with_system(messages, schema_message(schema).text)
    body: dict[str, Any] = {
        "model": model,
        "messages": [{"role": each.role, "content": well_formed(each.text)} for each in messages],
        dialect.limit: limit,
    }
    if dialect.temperature:
        body["temperature"] = temperature
    if schema is not None and dialect.enforces:
        name = "".join(char for char in str(schema.get("title", "")) if char.isascii() and char.isalnum())
        body["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": name or "answer", "schema": dict(schema), "strict": True},
        }
    return body


def _with_system(messages: list[Message], text: str) -> list[Message]:
    """Append a text to the system message, because many chat templates allow only one system message.

    If there is no system message, one is put first.
    """
    if messages and messages[0].role == "system":
        return [Message("system", f"{messages[0].text}\n\n{text}"), *messages[1:]]
    return [Message("system", text), *messages]


def _usage(answer: Any, text: str, messages: list[Message], schema: JsonSchema | None) -> Usage:
    reported = getattr(answer, "usage", None)
    counts = [getattr(reported, name, None) for name in ("prompt_tokens", "completion_tokens")]
    match counts:
        case [int(prompt), int(completion)] if (
            0 <= prompt <= _MOST_TOKENS_COUNTED and 0 <= completion <= _MOST_TOKENS_COUNTED
        ):
            return Usage(prompt, completion)
        case _:
            return Usage(prompt_tokens_at_most(messages, schema), count_at_most(text), estimated=True)
