"""The API for asynchronous code: the same methods, over threads, which cancelling the task that waits ends."""

from __future__ import annotations

import asyncio
import functools
import inspect
import weakref
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Protocol, Self, TypeVar, Unpack

from overstory import index
from overstory.answer import Answer, OnText
from overstory.cancelling import WorkCancelled, cancellable
from overstory.closing import Closing
from overstory.conversation import AskOptions
from overstory.errors import OverstoryError, QuestionError
from overstory.graph import Writer, read_corpus, writing
from overstory.index import IndexReport
from overstory.knowledge.connection import CorpusConnection
from overstory.knowledge.loading import Loading
from overstory.knowledge.questions import Questions
from overstory.knowledge.threads import WorkThreads
from overstory.llm import Estimate
from overstory.systems import (
    BuildContext,
    SystemReport,
    all_wishes,
    find_system,
    lifecycle,
    missing_systems,
    systems_of,
    vector_indexes,
    wishes,
)
from overstory.systems.settings import SettingsClass
from overstory.text.extraction.sharing import ReadsLanguages
from overstory.text.parsing.parsed_texts import ParsedTexts

NOTHING_TO_IMPROVE = "nothing to cluster again: no system of this corpus has changes that were added without clustering"


class Indexing(CorpusConnection):
    """The index of the corpus: its stages, and systems."""

    def index(
        self,
        *,
        re_embed: bool = False,
        embedder: str | None = None,
        rebuild_indexes: bool = False,
        systems: str | SettingsClass | Sequence[str | SettingsClass] = (),
        model: str | None = None,
        improve: bool = False,
    ) -> IndexReport:
        """Brings the index up to date: vectors, mentions, facts, relationships. Runs only steps whose input changed.

        Args:
            re_embed: change to the embedder of the settings where the corpus has another one's vectors.
            embedder: change the corpus to this embedder ("multilingual"), and keep it whatever the settings say:
                whoever opens the corpus later uses it. Searches use the old vectors until the new ones are there;
                interrupted, the same call goes on.
            rebuild_indexes: first drop the database's indexes over vectors and words, those of systems included,
                and make them again. Searches by meaning scan all vectors meanwhile, others may fail and say why.
            systems: also build what these systems need, and so does every later run: their names, with options
                after a colon ("NAME:option=value"), or the settings object of one. They are
                checked before anything is done.
            model: the language model that these systems read with, as `use_model` names it; "none" for none. Without
                it they keep to what they were built with, which at first is none: an index costs nothing unasked.
            improve: systems that added changes to communities they had, without clustering again, now cluster the whole
                again (`SystemReport.notes` says which did); takes as long as their first build, without the embedding.

        Raises:
            SettingsError: there is no such system, or it has no such option.
            CorpusNotFound: nothing was loaded yet.
            GdsMissing, ExtraMissing: one of `systems` needs what the server or this environment lacks; of others that
                the corpus has, a note says so.
            LlmError, BudgetExhausted: of a system's language model.
            EmbedderMismatch, ModelError, WriterBusy, LeaseLost, DatabaseError: what was committed before stays;
                call again to go on.
        """
        wished = wishes(systems, model)
        if embedder is not None or (re_embed and not self._embedder_is_given):
            self._set_embedder(self.settings.embedding.embedder if embedder is None else embedder)
        self._check_models(extracts=True)
        with self._changing(read_corpus(self.graph, self.corpus_name), "index") as writer:
            if embedder is None and not re_embed:
                self._use_embedder_of(writer.corpus)
            wanted = all_wishes(writer.corpus, wished, model)
            for wish in wished.values():
                wish.require(self.graph, writer.corpus)
            if rebuild_indexes:
                self._rebuild_indexes(writer)
            readings = [each for wish in wanted.values() for each in wish.readings(writer.corpus)]
            try:
                with ParsedTexts(self.settings.places.cache, readings) as parsed:
                    report = index.build_index(
                        writer,
                        self.embedder,
                        self.extractor,
                        replace_vectors=re_embed or embedder is not None,
                        embedder_name=embedder or "",
                        megabytes=self.settings.memory_megabytes,
                        progress=self.progress,
                        parsed=parsed,
                    )
                    context = replace(self._build_context(), parsed=parsed)
                    built = {
                        name: lifecycle.build(writer, wish, context, asked=name in wished, improve=improve)
                        for name, wish in wanted.items()
                    }
            except (KeyboardInterrupt, WorkCancelled):
                with suppress(OverstoryError), cancellable(None):  # the interruption matters more
                    lifecycle.remember(writer, wanted.values())
                raise
            gone = [
                f"the index of the system {name!r} was not brought up to date: its package is not installed"
                for name in missing_systems(writer.corpus)
            ]
        idle = [NOTHING_TO_IMPROVE] if improve and not any(system.improvable for system in built.values()) else []
        read = self.extractor
        of_languages = read.language_notes(writer.corpus.languages) if isinstance(read, ReadsLanguages) else ()
        notes = (*map(str, of_languages), *(note for system in built.values() for note in system.notes), *gone, *idle)
        did = [*(["indexes"] if rebuild_indexes else []), *report.done]
        did += [name for name, outcome in built.items() if outcome.something]
        return replace(report, done=tuple(did), notes=notes)

    def estimate_index(
        self, systems: str | SettingsClass | Sequence[str | SettingsClass] = (), *, model: str | None = None
    ) -> Estimate:
        """An upper bound on what `index` would ask of a language model for these systems, by default those of the
        corpus. Nothing is sent or written.

        Raises:
            SettingsError, CorpusNotFound, LlmError, ModelError, DatabaseError: as `index`.
        """
        wished = wishes(systems, model)
        corpus, context = read_corpus(self.graph, self.corpus_name), self._build_context()
        wanted = wished or all_wishes(corpus, {}, model)
        estimates = [lifecycle.estimate(self.graph, corpus, wish, context) for wish in wanted.values()]
        return sum(estimates, start=Estimate.nothing())

    def remove_system(self, name: str, *, forget: bool = False) -> None:
        """Removes the index of a system, if it has one here; nothing else changes.

        Args:
            forget: also the answers that it remembers (`memory`), which no run brings back.

        Raises:
            SettingsError: there is no such system.
            MemoryKept: it remembers answers, and is not to forget them; nothing was removed.
            CorpusNotFound, WriterBusy, LeaseLost, DatabaseError: call again to go on.
        """
        system = find_system(name)
        with writing(self.graph, read_corpus(self.graph, self.corpus_name), "index") as writer:
            lifecycle.remove(writer, system, forget=forget)

    def system_reports(self) -> list[SystemReport]:
        """Reports what the systems' indexes of this corpus hold, took, and lack.

        Raises:
            CorpusNotFound, DatabaseError: the corpus is not there, or cannot be read.
        """
        corpus = read_corpus(self.graph, self.corpus_name)
        reports = [lifecycle.report(self.graph, corpus, system) for system in systems_of(corpus)]
        return reports + [SystemReport(name, 0, "its package is not installed") for name in missing_systems(corpus)]

    def _rebuild_indexes(self, writer: Writer) -> None:
        found = vector_indexes.indexes_of(writer.corpus, systems_of(writer.corpus))
        others = {each.name: functools.partial(vector_indexes.rebuild, writer, each) for each in found}
        index.rebuild_indexes(writer, others, progress=self.progress)

    def _build_context(self) -> BuildContext:
        return BuildContext(self.embedder, self.settings.extraction, self._model.chat_with, self.progress)


P = ParamSpec("P")
R = TypeVar("R")


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

            def hear(piece: str) -> None:
                loop.call_soon_threadsafe(pieces.put_nowait, piece)

            def end(whole: asyncio.Future[Answer]) -> None:
                pieces.put_nowait(None)
                if not whole.cancelled():
                    whole.exception()  # raised for whoever reads on; marked as seen, since nobody may

            future, cancellation = self._threads.start(functools.partial(self._ask, hear))
            self._whole = asyncio.wrap_future(future)
            self._whole.add_done_callback(end)
            self._cancel = weakref.finalize(self, cancellation.cancel)
        return self._whole


async def whole_answer(stream: AnswerStream, on_text: OnText | None) -> Answer:
    """The answer of a stream, whose pieces `on_text` hears in the event loop; it may be an async function."""
    async with stream:
        if on_text is not None:
            async for piece in stream:
                heard = on_text(piece)
                if inspect.isawaitable(heard):
                    await heard
        return await stream.answer()


def refuse_on_text(options: AskOptions) -> None:
    """Says that a stream takes no `on_text`."""
    if options.get("on_text") is not None:
        raise QuestionError("astream takes no on_text.", remedy="Read the pieces with async for, or call aask.")


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
        refuse_on_text(options)
        return AnswerStream(self.threads, lambda hear: self.ask(question, k, **(options | {"on_text": hear})))

    async def aask(self: AsksInThreads, question: str, k: int = 5, **options: Unpack[AskOptions]) -> Answer:
        """`ask` in a thread: cancelling the task ends it.

        Args:
            k, options: as of `ask`. `on_text` is called in the event loop, and may be an async function.

        Raises:
            what `ask` raises; what `on_text` raises ends the question.
        """
        on_text = options.pop("on_text", None)
        return await whole_answer(self.astream(question, k, **options), on_text)


class ClosesAsynchronously(Closing):
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


class Asynchronous(AsynchronousQuestions, Loading, Indexing, Questions, ClosesAsynchronously):
    """The methods that asynchronous code awaits, and `async with`.

    `on_change` and `progress` are called in the thread that works, as ever.
    """

    asearch = in_thread(Questions.search)
    aingest = in_thread(Loading.ingest, writes=True)
    aingest_documents = in_thread(Loading.ingest_documents, writes=True)
    aindex = in_thread(Indexing.index, writes=True)
