"""Sends requests to a language model, caches its answers, parses structured answers and records usage.

Index stages and question answering use this module.
"""

from __future__ import annotations

import concurrent.futures
import contextvars
import logging
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, NoReturn, TypeVar

from overstory.cancellation import check, is_cancelled
from overstory.closable import Closable
from overstory.errors import AnswerTruncated, AnswerUnusable, LlmCancelled, LlmError
from overstory.llm.budget import Estimate, UsageMeter, prompt_tokens_at_most
from overstory.llm.cache import AnswerCache, request_key
from overstory.llm.digests import digest_of
from overstory.llm.structured_answers import Malformed, correction, parsed, schema_of
from overstory.model import Completion, JsonSchema, Message, Usage
from overstory.model.passage_text import count_at_most
from overstory.protocols import ChatModel, StreamingChatModel

if TYPE_CHECKING:
    from pydantic import BaseModel

T = TypeVar("T", bound="BaseModel")
V = TypeVar("V")
A = TypeVar("A")
R = TypeVar("R")

_REQUESTS_AT_ONCE = 4
_CANCEL_SECONDS = 0.2
_CUT_OFF, _UNUSABLE = "cut off", "unusable"
"""Reasons for a failed request. The cache stores them under the key that `_of_failure` returns."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Reply(Generic[V]):
    """A usable answer: the parsed value, and the completion with the original text and the usage."""

    value: V
    completion: Completion


@dataclass(frozen=True, slots=True)
class Request:
    """A request whose usage is to be estimated.

    Attributes:
        kind: the pydantic model of a structured answer; None if the answer is text.
        max_tokens: token limit of the answer; None for the default of the language model.
    """

    messages: Sequence[Message]
    kind: type[BaseModel] | None = None
    max_tokens: int | None = None


class SingleFlight:
    """Lets only one thread at a time send the same request. The other threads then find the answer in the cache."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: dict[str, tuple[threading.Lock, int]] = {}  # a lock, and how many threads hold it or wait for it

    @contextmanager
    def of(self, key: str) -> Generator[None]:
        with self._lock:
            turn, wanted = self._held.get(key, (threading.Lock(), 0))
            self._held[key] = (turn, wanted + 1)
        try:
            with turn:
                yield
        finally:
            with self._lock:
                turn, wanted = self._held.pop(key)
                if wanted > 1:
                    self._held[key] = (turn, wanted - 1)


class Chat(Closable):
    """Sends requests to a language model, caches usable answers and records usage.

    A chat is safe to share between threads.
    """

    def __init__(
        self,
        model: ChatModel,
        *,
        cache: AnswerCache | None = None,
        usage: UsageMeter | None = None,
        at_once: int = _REQUESTS_AT_ONCE,
        stage: str = "chat",
        question: str | None = None,
        quotes: Iterable[str] = (),
        _flights: SingleFlight | None = None,
    ) -> None:
        """
        Args:
            usage: meter to which usage is added; by default a new meter without a budget.
            at_once: maximum number of concurrent calls in `each`.
            stage, question: stage and question to which usage is attributed.
            quotes: ids of the passages that the prompts quote; see `quoting`.
        """
        self.model = model
        self.cache = cache
        self.usage = usage or UsageMeter()
        self.at_once = max(1, at_once)
        self.stage = stage
        self.question = question
        self.quotes = frozenset(quotes)
        self._flights = _flights or SingleFlight()

    def close(self) -> None:
        """Close the model. Chats that `booked` and `quoting` have returned share this model."""
        self.model.close()

    def booked(self, stage: str, question: str | None = None) -> Chat:
        """Return a chat with the same model, cache and meter that attributes usage to another stage and question."""
        return self._like(stage=stage, question=question, quotes=self.quotes)

    def quoting(self, passages: Iterable[str]) -> Chat:
        """Return a chat for requests that quote the given passages, or text derived from them.

        When one of the passages is deleted, the answers that this chat has cached are deleted, too.

        Args:
            passages: ids of the passages.
        """
        return self._like(stage=self.stage, question=self.question, quotes=passages)

    def ask(self, messages: Sequence[Message], *, max_tokens: int | None = None) -> Completion:
        """Return the model's answer as text, from the cache if possible."""
        limit = self._limit(max_tokens)
        key = self._key(messages, None, limit)
        with self._flights.of(key):
            remembered = self._cached(key)
            if remembered is not None:
                self._book(remembered)
                return remembered
            reply = self._send(messages, None, limit, _text)
            if isinstance(reply, Malformed):
                raise _empty()
            self._store(key, reply.completion)
            return reply.completion

    def stream(self, messages: Sequence[Message], *, max_tokens: int | None = None) -> Generator[str, None, Completion]:
        """Yield the answer piece by piece as the model generates it. The generator returns the completion.

        Read the generator to its end, or close it to cancel the request. If the answer comes from the cache, or the
        model cannot stream, the generator yields one piece. The usage of an incomplete answer counts as wasted, and the
        answer is not cached. If two threads stream the same request at the same time, both requests are sent and paid
        for.
        """
        limit = self._limit(max_tokens)
        key = self._key(messages, None, limit)
        completion = self._cached(key)
        if completion is not None:
            self._book(completion)
            yield completion.text
            return completion
        if self.cache is not None:
            self.cache.prepare()
        with self.usage.reserved(prompt_tokens_at_most(messages) + limit):
            completion = yield from self._streamed(messages, limit)
            if isinstance(self._judged(completion, limit, _text), Malformed):
                raise _empty()
        self._store(key, completion)
        return completion

    def ask_for(
        self, kind: type[T], messages: Sequence[Message], *, max_tokens: int | None = None, once: bool = False
    ) -> Reply[T]:
        """Return the model's answer as an instance of a pydantic class.

        If the answer is not valid, the model is asked once to correct it.

        Args:
            once: True to remember in the cache if an answer was cut off or unusable. The same request then fails
                immediately and is not paid for again. Use this for work that can continue without the answer.
        """

        def judge(text: str) -> T:
            return parsed(kind, text)

        schema, limit = schema_of(kind), self._limit(max_tokens)
        key = self._key(messages, schema, limit)
        with self._flights.of(key):
            remembered = self._cached(key)
            if remembered is not None:
                # A cached answer is no longer valid if a validator of the class has changed: the schema and therefore
                # the cache key do not depend on validators.
                with suppress(Malformed):
                    value = judge(remembered.text)
                    self._book(remembered)
                    return Reply(value, remembered)
            failed = self._cached(_of_failure(key)) if once else None
            if failed is not None:
                self._book(failed)
                raise _truncated(limit) if failed.text == _CUT_OFF else _known_unusable(kind)
            try:
                reply = self._send(messages, schema, limit, judge)
                if isinstance(reply, Malformed):
                    again = [*messages, *correction(reply.text, str(reply))]
                    reply = self._send(again, schema, limit, judge)
                if isinstance(reply, Malformed):
                    _unusable(kind, reply)
            except (AnswerTruncated, AnswerUnusable) as error:
                if once:
                    why = _CUT_OFF if isinstance(error, AnswerTruncated) else _UNUSABLE
                    self._store(_of_failure(key), Completion(why, "", Usage()))
                raise
            self._store(key, reply.completion)
            return reply

    def each(self, work: Callable[[A], R], items: Iterable[A]) -> Iterator[R]:
        """Call `work` for each item in several threads, and yield the results in the order of the items.

        If a call fails, the running calls are finished, so that their answers are cached, before the error is raised.
        If this thread is interrupted, the running calls are cancelled.
        """
        stopping = threading.Event()

        def one(item: A) -> R:
            if stopping.is_set():
                raise LlmCancelled("The work was cancelled before this request.", remedy="Run the same command again.")
            return work(item)

        pool = ThreadPoolExecutor(self.at_once, thread_name_prefix="chat")
        running: list[Future[R]] = []
        try:
            for item in items:
                running.append(pool.submit(contextvars.copy_context().run, one, item))  # for `record_usage`
                if len(running) >= 2 * self.at_once:
                    yield running.pop(0).result()
            while running:
                yield running.pop(0).result()
        except Exception:
            stopping.set()
            raise
        except BaseException:  # the thread was interrupted, or the generator was closed
            stopping.set()
            while concurrent.futures.wait(running, timeout=_CANCEL_SECONDS).not_done:
                if not is_cancelled():  # after a cancellation, each thread ends its own request
                    self.model.cancel()
            raise
        finally:
            pool.shutdown(cancel_futures=True)

    def estimate(self, requests: Iterable[Request]) -> Estimate:
        """Return an upper bound on the usage of the requests whose answers are not cached. Nothing is sent."""
        count = remembered = 0
        usage = Usage(estimated=True)
        for request in requests:
            schema = None if request.kind is None else schema_of(request.kind)
            limit = self._limit(request.max_tokens)
            key = self._key(request.messages, schema, limit)
            if self._cached(key) is not None or self._cached(_of_failure(key)) is not None:
                remembered += 1
                continue
            count += 1
            usage += Usage(prompt_tokens_at_most(request.messages, schema), limit)
        return Estimate(count, remembered, usage, self.usage.prices.of(usage))

    def _send(
        self, messages: Sequence[Message], schema: JsonSchema | None, limit: int, judge: Callable[[str], V]
    ) -> Reply[V] | Malformed:
        """Send a request if the budget allows it, and record its usage even if the answer is unusable.

        Args:
            limit: token limit of the answer.
            judge: parses the text of the answer, or raises `Malformed`.
        """
        check()
        if self.cache is not None:
            self.cache.prepare()
        with self.usage.reserved(prompt_tokens_at_most(messages, schema) + limit):
            return self._judged(self.model.complete(messages, schema, max_tokens=limit), limit, judge)

    def _judged(self, completion: Completion, limit: int, judge: Callable[[str], V]) -> Reply[V] | Malformed:
        if completion.truncated:
            self._book(completion, wasted=True)
            raise _truncated(limit)
        try:
            value = judge(completion.text)
        except Malformed as problem:
            self._book(completion, wasted=True)
            problem.text = completion.text
            return problem
        self._book(completion)
        return Reply(value, completion)

    def _streamed(self, messages: Sequence[Message], limit: int) -> Generator[str, None, Completion]:
        """Yield the answer piece by piece, and return the completion.

        The usage of an incomplete answer counts as wasted.
        """
        check()
        received: list[str] = []
        pieces = _pieces(self.model, messages, limit)
        try:
            while True:
                try:
                    received.append(next(pieces))
                except StopIteration as end:
                    whole: Completion = end.value
                    return whole
                check()
                yield received[-1]
        except BaseException:
            if received:
                usage = Usage(prompt_tokens_at_most(messages), count_at_most("".join(received)), estimated=True)
                self._book(Completion("".join(received), "", usage), wasted=True)
            raise
        finally:
            pieces.close()

    def _like(self, *, stage: str, question: str | None, quotes: Iterable[str]) -> Chat:
        return Chat(
            self.model,
            cache=self.cache,
            usage=self.usage,
            at_once=self.at_once,
            stage=stage,
            question=question,
            quotes=quotes,
            _flights=self._flights,
        )

    def _limit(self, max_tokens: int | None) -> int:
        return self.model.max_tokens if max_tokens is None else max_tokens

    def _key(self, messages: Sequence[Message], schema: JsonSchema | None, limit: int) -> str:
        return request_key(self.model.fingerprint, messages, schema, limit)

    def _cached(self, key: str) -> Completion | None:
        return None if self.cache is None else self.cache.get(key, quotes=self.quotes)

    def _store(self, key: str, completion: Completion) -> None:
        if self.cache is not None:
            try:
                self.cache.put(key, completion, quotes=self.quotes)
            except LlmError as error:  # the answer has been paid for, so it is used even if it cannot be cached
                _log.warning("An answer could not be cached. %s", error)

    def _book(self, completion: Completion, *, wasted: bool = False) -> None:
        self.usage.add(completion, stage=self.stage, question=self.question, wasted=wasted)


def _text(text: str) -> str:
    if not text.strip():
        raise Malformed("it is empty.")
    return text


def _pieces(model: ChatModel, messages: Sequence[Message], limit: int) -> Generator[str, None, Completion]:
    if isinstance(model, StreamingChatModel):
        return (yield from model.stream(messages, max_tokens=limit))
    completion = model.complete(messages, max_tokens=limit)
    yield completion.text
    return completion


def _of_failure(key: str) -> str:
    """Return the cache key that marks a request as having had no usable answer."""
    return digest_of(key, "failed")


def _truncated(limit: int) -> AnswerTruncated:
    return AnswerTruncated(
        f"The answer was cut off at {limit:,} tokens.",
        remedy="Raise OVERSTORY_LLM_MAX_TOKENS, or the model's context length if that was the limit.",
    )


def _known_unusable(kind: type[BaseModel]) -> AnswerUnusable:
    return AnswerUnusable(
        f"The model's earlier answer to this request was not {_form_of(kind)}, so it was not asked again.",
        remedy="Use another model, or run overstory llm cache --clear to ask again.",
    )


def _empty() -> AnswerUnusable:
    return AnswerUnusable("The model's answer is empty.", remedy="Ask again, or use another model.")


def _unusable(kind: type[BaseModel], problem: Malformed) -> NoReturn:
    raise AnswerUnusable(
        f"The model's answer is not {_form_of(kind)}, even after a request to correct it: {problem}",
        remedy="Use a model or an endpoint that follows JSON schemas.",
    ) from problem


def _form_of(kind: type[BaseModel]) -> str:
    """Describe the requested JSON by its fields, because users do not know the pydantic class."""
    return f"the requested JSON ({', '.join(kind.model_fields)})"
