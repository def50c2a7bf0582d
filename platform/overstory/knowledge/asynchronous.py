"""The API for asynchronous code: methods in a bounded number of threads, which cancelling the task that waits ends."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextvars
import functools
import inspect
import threading
import weakref
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Protocol, Self, TypeVar, Unpack

from overstory.answer import Answer, OnText
from overstory.cancellation import Cancellation, WorkCancelled, cancellable
from overstory.closable import Closable
from overstory.conversation import AskOptions
from overstory.errors import QuestionError

P = ParamSpec("P")
R = TypeVar("R")

_ASYNC_CALLS_AT_ONCE = 10
"""Asynchronous calls of one `Knowledge` that work at a time; others wait for their turn."""


class WorkThreads:
    """Runs what blocks for tasks that wait for it. Threads start when they are needed, and end with `close`."""

    def __init__(self, most: int = _ASYNC_CALLS_AT_ONCE) -> None:
        """
        Args:
            most: threads.
        """
        self._most = most
        self._lock = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None
        self._running: dict[Future[Any], Cancellation] = {}  # results of any type
        self._writing: set[Future[Any]] = set()

    async def run(self, work: Callable[[], R], *, writes: bool = False) -> R:
        """The result of `work`. Cancelling the task that waits cancels the work, and does not
        wait for its end.

        Args:
            writes: the work begins when what wrote before it, and was cancelled, has ended.
        """
        future, cancellation = self.start(work, writes=writes)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            cancellation.cancel()
            raise
        except WorkCancelled:  # by `close`
            raise asyncio.CancelledError from None

    def start(self, work: Callable[[], R], *, writes: bool = False) -> tuple[Future[R], Cancellation]:
        """Starts `work` without waiting for it, with the context of the caller."""
        cancellation = Cancellation()

        def begun() -> R:
            with cancellable(cancellation):
                cancellation.check()
                if writes:
                    concurrent.futures.wait(before)
                return work()

        with self._lock:
            before = [each for each in self._writing if self._running[each].cancelled] if writes else []
            if self._pool is None:
                self._pool = ThreadPoolExecutor(self._most, thread_name_prefix="overstory-async")
            future = self._pool.submit(contextvars.copy_context().run, begun)
            self._running[future] = cancellation
            if writes:
                self._writing.add(future)
        future.add_done_callback(self._forget)
        return future, cancellation

    def close(self) -> None:
        """Cancels the work, and returns when it has ended, with its threads. The next call starts others."""
        with self._lock:
            pool, self._pool = self._pool, None
            running = list(self._running.values())
        for each in running:
            each.cancel()
        if pool is not None:
            pool.shutdown(cancel_futures=True)

    def _forget(self, future: Future[R]) -> None:
        with self._lock:
            self._running.pop(future, None)
            self._writing.discard(future)


class HasThreads(Protocol):
    """Whatever works in threads for who awaits it."""

    @property
    def threads(self) -> WorkThreads: ...


class AsksInThreads(HasThreads, Protocol):
    """Whatever answers questions there."""

    @property
    def ask(self) -> Callable[..., Answer]:
        """Takes a question, `k` and `AskOptions`."""
        ...

    def astream(self, question: str, k: int = 5, **options: Unpack[AskOptions]) -> AnswerStream: ...


C = TypeVar("C", bound=HasThreads)


def in_thread(
    method: Callable[Concatenate[C, P], R], *, writes: bool = False
) -> Callable[Concatenate[C, P], Coroutine[Any, Any, R]]:
    """A method that takes what `method` takes, and awaits it.

    Args:
        writes: it is a writer of the corpus, of which there may be one at a time.
    """
    name = method.__name__

    @functools.wraps(method)
    async def awaited(self: C, /, *args: P.args, **kwargs: P.kwargs) -> R:
        blocking = functools.partial(getattr(self, name), *args, **kwargs)  # a subclass may have its own
        return await self.threads.run(blocking, writes=writes)

    awaited.__name__ = f"a{name}"
    awaited.__qualname__ = f"{method.__qualname__.rpartition('.')[0]}.a{name}"
    awaited.__doc__ = f"`{name}` in a thread: cancelling the task ends it.\n\n{inspect.getdoc(method)}"
    return awaited


class AnswerStream:
    """An answer while it is made: `async for piece in stream`, then `await stream.answer()`.

    Nothing is asked before one of them. Leaving an `async with` block, `aclose`, cancelling the task that waits, and
    forgetting the stream end the question.
    """

    def __init__(self, threads: WorkThreads, ask: Callable[[OnText], Answer]) -> None:
        """
        Args:
            ask: blocks, and tells the function it is given the pieces.
        """
        self._threads = threads
        self._ask = ask
        self._pieces: asyncio.Queue[str | None] = asyncio.Queue()  # None after the last
        self._cancel: Callable[[], object] = _nothing
        self._whole: asyncio.Future[Answer] | None = None
        self._closed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> str:
        """The next piece, as `on_text` of `Knowledge.ask` hears it.

        Raises:
            what `Knowledge.ask` raises, after the pieces.
        """
        self._begin()
        try:
            piece = await self._pieces.get()
        except asyncio.CancelledError:
            self._cancel()
            raise
        if piece is not None:
            return piece
        self._pieces.put_nowait(None)  # for who asks once more
        await self.answer()
        raise StopAsyncIteration

    async def answer(self) -> Answer:
        """The whole answer, when it is there. Pieces need not be read.

        Raises:
            what `Knowledge.ask` raises.
        """
        whole = self._begin()
        try:
            return await asyncio.shield(whole)  # others may wait for it, too
        except asyncio.CancelledError:
            self._cancel()
            raise
        except WorkCancelled:
            raise asyncio.CancelledError from None

    async def aclose(self) -> None:
        """Ends the question, if it is not answered yet; returns at once."""
        self._closed = True
        self._cancel()

    def _begin(self) -> asyncio.Future[Answer]:
        if self._whole is None:
            if self._closed:
                raise QuestionError("This answer was closed before it was asked for.", remedy="Ask again.")
            loop, pieces = asyncio.get_running_loop(), self._pieces

            def on_piece(piece: str) -> None:
                loop.call_soon_threadsafe(pieces.put_nowait, piece)

            def end(whole: asyncio.Future[Answer]) -> None:
                pieces.put_nowait(None)
                if not whole.cancelled():
                    whole.exception()  # raised for whoever reads on; marked as seen, since nobody may

            future, cancellation = self._threads.start(functools.partial(self._ask, on_piece))
            self._whole = asyncio.wrap_future(future)
            self._whole.add_done_callback(end)
            self._cancel = weakref.finalize(self, cancellation.cancel)
        return self._whole


def _nothing() -> None: ...


class AsynchronousQuestions:
    """`ask` for asynchronous code."""

    def astream(self: AsksInThreads, question: str, k: int = 5, **options: Unpack[AskOptions]) -> AnswerStream:
        """The answer of `ask` while it is made: `async for piece in knowledge.astream(question)`.

        Args:
            k, options: as of `ask`, but for `on_text`.

        Raises:
            QuestionError: `on_text` is given; others are raised where the answer is awaited.
        """
        if options.get("on_text") is not None:
            raise QuestionError("astream takes no on_text.", remedy="Read the pieces with async for, or call aask.")
        return AnswerStream(self.threads, lambda on_piece: self.ask(question, k, **(options | {"on_text": on_piece})))

    async def aask(self: AsksInThreads, question: str, k: int = 5, **options: Unpack[AskOptions]) -> Answer:
        """`ask` in a thread: cancelling the task ends it.

        Args:
            k, options: as of `ask`. `on_text` is called in the event loop, and may be an async function.

        Raises:
            what `ask` raises; what `on_text` raises ends the question.
        """
        on_text = options.pop("on_text", None)
        async with self.astream(question, k, **options) as stream:
            if on_text is not None:
                async for piece in stream:
                    pending = on_text(piece)
                    if inspect.isawaitable(pending):
                        await pending
            return await stream.answer()


class ClosesAsynchronously(Closable):
    """`with`, and `async with`, for what `close` ends."""

    async def aclose(self) -> None:
        """`close` without blocking the event loop: what other tasks await is cancelled, and has ended afterwards."""
        thread = ThreadPoolExecutor(1, thread_name_prefix="overstory-close")
        closed = asyncio.wrap_future(thread.submit(self.close))
        thread.shutdown(wait=False)
        await asyncio.shield(closed)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()
