"""What stages and answers talk to: a chat model with a memory, accounts, and answers of a given form."""

from __future__ import annotations

import concurrent.futures
import logging
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Generic, NoReturn, Self, TypeVar

from overstory.errors import AnswerTruncated, AnswerUnusable, LlmCancelled, LlmError
from overstory.llm.budget import Estimate, UsageMeter, prompt_tokens_at_most
from overstory.llm.cache import AnswerCache, request_key
from overstory.llm.structured import Malformed, correction, parsed, schema_of
from overstory.model import Completion, JsonSchema, Message, Usage
from overstory.model.token_bound import count_at_most
from overstory.protocols import ChatModel, StreamingChatModel

if TYPE_CHECKING:
    from pydantic import BaseModel

T = TypeVar("T", bound="BaseModel")
V = TypeVar("V")
A = TypeVar("A")
R = TypeVar("R")

AT_ONCE = 4
CANCEL_SECONDS = 0.2

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Reply(Generic[V]):
    """An answer that can be used: its value, and what it took."""

    value: V
    completion: Completion


@dataclass(frozen=True, slots=True)
class Request:
    """What could be asked, for an estimate.

    Attributes:
        kind: a pydantic model, where the answer is to be one.
    """

    messages: Sequence[Message]
    kind: type[BaseModel] | None = None
    max_tokens: int | None = None


class SingleFlight:
    """Lets threads that would ask the same wait for each other, so that the second finds the answer remembered."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: dict[str, tuple[threading.Lock, int]] = {}  # with how many hold or want it

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


class Chat:
    """Asks a model, remembers answers that can be used, books what they take. Safe to share between threads."""

    def __init__(
        self,
        model: ChatModel,
        *,
        cache: AnswerCache | None = None,
        accounts: UsageMeter | None = None,
        at_once: int = AT_ONCE,
        stage: str = "chat",
        question: str | None = None,
        _turns: SingleFlight | None = None,
    ) -> None:
        """
        Args:
            cache: None remembers nothing.
            at_once: requests of `each` under way at the same time.
            stage, question: what answers are booked under.
        """
        self.model = model
        self.cache = cache
        self.accounts = accounts or UsageMeter()
        self.at_once = max(1, at_once)
        self.stage = stage
        self.question = question
        self._turns = _turns or SingleFlight()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the model, also for those that `booked` gave."""
        self.model.close()

    def booked(self, stage: str, question: str | None = None) -> Chat:
        """The same model, memory and accounts; what it takes is booked under this stage and question."""
        return Chat(
            self.model,
            cache=self.cache,
            accounts=self.accounts,
            at_once=self.at_once,
            stage=stage,
            question=question,
            _turns=self._turns,
        )

    def ask(self, messages: Sequence[Message], *, max_tokens: int | None = None) -> Completion:
        """A text.

        Raises:
            AnswerTruncated: it was cut at `max_tokens`.
            AnswerUnusable: it is empty.
            BudgetExhausted: it might have gone over the budget; nothing was sent.
            LlmError: there is no answer.
        """
        limit = self._limit(max_tokens)
        key = self._key(messages, None, limit)
        with self._turns.of(key):
            remembered = self._remembered(key)
            if remembered is not None:
                self._book(remembered)
                return remembered
            reply = self._paid(messages, None, limit, _text)
            if isinstance(reply, Malformed):
                raise _empty()
            self._remember(key, reply.completion)
            return reply.completion

    def stream(self, messages: Sequence[Message], *, max_tokens: int | None = None) -> Generator[str, None, Completion]:
        """A text in pieces, while the model makes it; what the generator returns is the whole. Read it to its end, or
        close it, which ends the request.

        One that is remembered, or whose model gives it only whole, is one piece. An answer that breaks off, is cut, or
        is not read to its end is booked as wasted, and not remembered. Two that stream the same at the same time do not
        wait for each other: both pay.

        Raises:
            AnswerTruncated: it was cut at `max_tokens`, after its last piece.
            LlmUnreachable: it broke off, maybe after some pieces.
            AnswerUnusable, BudgetExhausted, LlmError: as `ask`.
        """
        limit = self._limit(max_tokens)
        key = self._key(messages, None, limit)
        completion = self._remembered(key)
        if completion is not None:
            self._book(completion)
            yield completion.text
            return completion
        if self.cache is not None:
            self.cache.prepare()
        with self.accounts.reserved(prompt_tokens_at_most(messages) + limit):
            completion = yield from self._heard(messages, limit)
            if isinstance(self._judged(completion, limit, _text), Malformed):
                raise _empty()
        self._remember(key, completion)
        return completion

    def ask_for(self, kind: type[T], messages: Sequence[Message], *, max_tokens: int | None = None) -> Reply[T]:
        """A value of a pydantic model. An answer that is none is corrected once by the model itself.

        Raises:
            AnswerUnusable: the corrected answer is none either.
            AnswerTruncated, BudgetExhausted, LlmError: as `ask`.
        """

        def judge(text: str) -> T:
            return parsed(kind, text)

        schema, limit = schema_of(kind), self._limit(max_tokens)
        key = self._key(messages, schema, limit)
        with self._turns.of(key):
            remembered = self._remembered(key)
            if remembered is not None:
                # Where it is none: a check of the class's own has changed, which no schema shows.
                with suppress(Malformed):
                    value = judge(remembered.text)
                    self._book(remembered)
                    return Reply(value, remembered)
            reply = self._paid(messages, schema, limit, judge)
            if isinstance(reply, Malformed):
                again = [*messages, *correction(reply.text, str(reply))]
                reply = self._paid(again, schema, limit, judge)
            if isinstance(reply, Malformed):
                _unusable(kind, reply)
            self._remember(key, reply.completion)
            return reply

    def each(self, work: Callable[[A], R], items: Iterable[A]) -> Iterator[R]:
        """`work(item)` for each item, in order, several at a time.

        Where one fails, those under way are finished, and so remembered, before its error is raised. An interruption
        ends them at once.
        """
        stopping = threading.Event()

        def one(item: A) -> R:
            if stopping.is_set():
                raise LlmCancelled("The work was ended before this request.", remedy="Run the same again.")
            return work(item)

        pool = ThreadPoolExecutor(self.at_once, thread_name_prefix="chat")
        under_way: list[Future[R]] = []
        try:
            for item in items:
                under_way.append(pool.submit(one, item))
                if len(under_way) >= 2 * self.at_once:
                    yield under_way.pop(0).result()
            while under_way:
                yield under_way.pop(0).result()
        except Exception:
            stopping.set()
            raise
        except BaseException:  # interrupted, or nobody wants the rest
            stopping.set()
            while concurrent.futures.wait(under_way, timeout=CANCEL_SECONDS).not_done:
                self.model.cancel()
            raise
        finally:
            pool.shutdown(cancel_futures=True)

    def estimate(self, requests: Iterable[Request]) -> Estimate:
        """What requests would take at most, of those whose answers are not remembered. Nothing is sent."""
        count = remembered = 0
        usage = Usage(estimated=True)
        for request in requests:
            schema = None if request.kind is None else schema_of(request.kind)
            limit = self._limit(request.max_tokens)
            if self._remembered(self._key(request.messages, schema, limit)) is not None:
                remembered += 1
                continue
            count += 1
            usage += Usage(prompt_tokens_at_most(request.messages, schema), limit)
        return Estimate(count, remembered, usage, self.accounts.prices.of(usage))

    def _paid(
        self, messages: Sequence[Message], schema: JsonSchema | None, limit: int, judge: Callable[[str], V]
    ) -> Reply[V] | Malformed:
        """Sends a request within the budget, and books what it took, whether its answer can be used or not."""
        if self.cache is not None:
            self.cache.prepare()
        with self.accounts.reserved(prompt_tokens_at_most(messages, schema) + limit):
            return self._judged(self.model.complete(messages, schema, max_tokens=limit), limit, judge)

    def _judged(self, completion: Completion, limit: int, judge: Callable[[str], V]) -> Reply[V] | Malformed:
        """Books an answer, whether it can be used or not."""
        if completion.truncated:
            self._book(completion, wasted=True)
            raise AnswerTruncated(
                f"The answer was cut at {limit:,} tokens.",
                remedy="Raise OVERSTORY_LLM_MAX_TOKENS, or the model's context if that is what ended it.",
            )
        try:
            value = judge(completion.text)
        except Malformed as problem:
            self._book(completion, wasted=True)
            problem.text = completion.text
            return problem
        self._book(completion)
        return Reply(value, completion)

    def _heard(self, messages: Sequence[Message], limit: int) -> Generator[str, None, Completion]:
        """The pieces of an answer and the whole; what was heard of one that has no end is booked as wasted."""
        heard: list[str] = []
        pieces = _pieces(self.model, messages, limit)
        try:
            while True:
                try:
                    heard.append(next(pieces))
                except StopIteration as end:
                    whole: Completion = end.value
                    return whole
                yield heard[-1]
        except BaseException:
            if heard:
                usage = Usage(prompt_tokens_at_most(messages), count_at_most("".join(heard)), estimated=True)
                self._book(Completion("".join(heard), "", usage), wasted=True)
            raise
        finally:
            pieces.close()

    def _limit(self, max_tokens: int | None) -> int:
        return self.model.max_tokens if max_tokens is None else max_tokens

    def _key(self, messages: Sequence[Message], schema: JsonSchema | None, limit: int) -> str:
        return request_key(self.model.fingerprint, messages, schema, limit)

    def _remembered(self, key: str) -> Completion | None:
        return None if self.cache is None else self.cache.get(key)

    def _remember(self, key: str, completion: Completion) -> None:
        if self.cache is not None:
            try:
                self.cache.put(key, completion)
            except LlmError as error:  # it was paid for: better used once than lost
                _log.warning("An answer could not be remembered. %s", error)

    def _book(self, completion: Completion, *, wasted: bool = False) -> None:
        self.accounts.add(completion, stage=self.stage, question=self.question, wasted=wasted)


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


def _empty() -> AnswerUnusable:
    return AnswerUnusable("The model gave an empty answer.", remedy="Ask again, or use another model.")


def _unusable(kind: type[BaseModel], problem: Malformed) -> NoReturn:
    raise AnswerUnusable(
        f"The model's answer is no {kind.__name__}, also after a correction: {problem}",
        remedy="Use a model, or an endpoint, that keeps to JSON schemas.",
    ) from problem
