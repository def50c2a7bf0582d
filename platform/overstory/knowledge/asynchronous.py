"""Asynchronous variants of API methods. They run in a limited number of threads, and can be cancelled."""

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
"""Maximum number of asynchronous calls that one `Knowledge` runs at the same time; further calls wait."""


class WorkThreads:
    """A pool of threads for blocking calls that asyncio tasks await. Threads start on demand and end with `close`."""

    def __init__(self, most: int = _ASYNC_CALLS_AT_ONCE) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None
        self._running: dict[Future[Any], Cancellation] = {}  # futures may have any result type
        self._writing: set[Future[Any]] = set()

    async def run(self, work: Callable[[], R], *, writes: bool = False) -> R:
        """Run `work` in a thread and return its result.

        If the awaiting task is cancelled, `work` is cancelled, too, but nothing waits until it has ended.

        Args:
            writes: True if `work` writes to the corpus. It then starts only after cancelled writers have ended.
        """
        future, cancellation = self.start(work, writes=writes)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            cancellation.cancel()
            raise
        except WorkCancelled:  # `close` cancelled the work
            raise asyncio.CancelledError from None

    def start(self, work: Callable[[], R], *, writes: bool = False) -> tuple[Future[R], Cancellation]:
        """Start `work` in a thread, with a copy of the caller's context variables, without waiting for its end."""
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
        """Cancel all running calls, and wait until their threads have ended. A later call starts new threads."""
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
    """An object that runs asynchronous calls in threads."""

    @property
    def threads(self) -> WorkThreads: ...


class AsksInThreads(HasThreads, Protocol):
    """An object that answers questions in threads."""

    @property
    def ask(self) -> Callable[..., Answer]:
        """Function that answers a question. It takes the question, `k`, and the keyword arguments in `AskOptions`."""
        ...

    def astream(self, question: str, k: int = 5, **options: Unpack[AskOptions]) -> AnswerStream: ...


C = TypeVar("C", bound=HasThreads)


def in_thread(
    method: Callable[Concatenate[C, P], R], *, writes: bool = False
) -> Callable[Concatenate[C, P], Coroutine[Any, Any, R]]:
    """Return an asynchronous variant of a method, with the same arguments.

    Args:
        writes: True if the method writes to the corpus. A corpus allows only one writer at a time.
    """
    name = method.__name__

    @functools.wraps(method)
    async def awaited(self: C, /, *args: P.args, **kwargs: P.kwargs) -> R:
        blocking = functools.partial(getattr(self, name), *args, **kwargs)  # by name, so that an override is called
        return await self.threads.run(blocking, writes=writes)

    awaited.__name__ = f"a{name}"
    awaited.__qualname__ = f"{method.__qualname__.rpartition('.')[0]}.a{name}"
    awaited.__doc__ = f"Run `{name}` in a thread; cancelling the task cancels the call.\n\n{inspect.getdoc(method)}"
    return awaited


class AnswerStream:
    """An answer that is still being generated: `async for piece in stream`, then `await stream.answer()`.

    The question is sent when the first piece or the answer is awaited. It is cancelled by `aclose`, at the end of an
    `async with` block, when the awaiting task is cancelled, and when the stream is garbage-collected.
    """

    def __init__(self, threads: WorkThreads, ask: Callable[[OnText], Answer]) -> None:
        """Create a stream without sending the question yet.

        Args:
            ask: blocking function that returns the answer. Its argument is a function, which it must call with each
                piece of the answer.
        """
        self._threads = threads
        self._ask = ask
        self._pieces: asyncio.Queue[str | None] = asyncio.Queue()  # None marks the end of the answer
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
        """Return the next piece of the answer. The pieces are those that `on_text` of `Knowledge.ask` would receive.

        Raises:
            the errors of `Knowledge.ask`, after the last piece.
        """
        self._begin()
        try:
            piece = await self._pieces.get()
        except asyncio.CancelledError:
            self._cancel()
            raise
        if piece is not None:
            return piece
        self._pieces.put_nowait(None)  # the next call must also find the end
        await self.answer()
        raise StopAsyncIteration

    async def answer(self) -> Answer:
        """Wait for the complete answer, and return it. The pieces need not be read.

        Raises:
            the errors of `Knowledge.ask`.
        """
        whole = self._begin()
        try:
            return await asyncio.shield(whole)  # other tasks may await the same answer
        except asyncio.CancelledError:
            self._cancel()
            raise
        except WorkCancelled:
            raise asyncio.CancelledError from None

    async def aclose(self) -> None:
        """Cancel the question if it has not been answered yet. This method does not wait."""
        self._closed = True
        self._cancel()

    def _begin(self) -> asyncio.Future[Answer]:
        if self._whole is None:
            if self._closed:
                raise QuestionError("The answer stream was closed before the question was sent.", remedy="Ask again.")
            loop, pieces = asyncio.get_running_loop(), self._pieces

            def on_piece(piece: str) -> None:
                loop.call_soon_threadsafe(pieces.put_nowait, piece)

            def end(whole: asyncio.Future[Answer]) -> None:
                pieces.put_nowait(None)
                if not whole.cancelled():
                    whole.exception()  # retrieves the error, so that asyncio does not log it; readers still get it

            future, cancellation = self._threads.start(functools.partial(self._ask, on_piece))
            self._whole = asyncio.wrap_future(future)
            self._whole.add_done_callback(end)
            self._cancel = weakref.finalize(self, cancellation.cancel)
        return self._whole


def _nothing() -> None: ...


class AsynchronousQuestions:
    """Mixin class with the asynchronous variants of `ask`."""

    def astream(self: AsksInThreads, question: str, k: int = 5, **options: Unpack[AskOptions]) -> AnswerStream:
        """Return the answer to a question as a stream: `async for piece in knowledge.astream(question)`.

        Args:
            k, options: as for `ask`, but `on_text` is not allowed.

        Raises:
            QuestionError: `on_text` is given. Other errors are raised when the answer is awaited.
        """
        if options.get("on_text") is not None:
            raise QuestionError(
                "astream does not accept on_text.", remedy="Iterate over the stream with async for, or call aask."
            )
        return AnswerStream(self.threads, lambda on_piece: self.ask(question, k, **(options | {"on_text": on_piece})))

    async def aask(self: AsksInThreads, question: str, k: int = 5, **options: Unpack[AskOptions]) -> Answer:
        """Run `ask` in a thread. If the awaiting task is cancelled, the question is cancelled, too.

        Args:
            k, options: as for `ask`. `on_text` is called in the event loop, and may be an async function.

        Raises:
            the errors of `ask` and `on_text`. If `on_text` raises an error, the question is cancelled.
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
    """Base class of objects that support `with` and `async with`."""

    async def aclose(self) -> None:
        """Run `close` without blocking the event loop. Asynchronous calls that are still running are cancelled."""
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
