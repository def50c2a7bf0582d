"""Copies of parts of the graph in memory, for the retrievers of one `Knowledge`, within a budget.

The graph stays the source of truth. A question reads the version of its corpus in its own transaction, and uses a copy
only if it is of that version; otherwise it asks the graph. A copy is made and brought up to date in a thread, which
starts when a question finds none that it can use, and ends when the copy is of the version that the corpus has then.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar, cast

from overstory.errors import CorpusNotFound, OverstoryError
from overstory.graph import Corpus, GraphClient, read_corpus

_QUESTIONS_BEFORE_A_COPY = 8
"""A copy is made when so many questions were asked: a command that asks one need not pay for it."""

_MOST_COPY_ROUNDS = 5
"""Times that a copy is brought up to date in a row, where the corpus changes meanwhile."""

RETRY_SECONDS, MOST_RETRY_SECONDS = 30.0, 600.0
"""After the first failure, and at most."""

_MOST_REST_SECONDS = 0.2  # a copy rests as long as it worked, and no longer than this
_CLOSING_SECONDS = 10.0  # that closing waits for a copy in the making

_log = logging.getLogger(__name__)


class HasSize(Protocol):
    """What can be held: it says how many bytes it takes."""

    @property
    def nbytes(self) -> int: ...


T = TypeVar("T", bound=HasSize)


class Work:
    """The work on a copy, as its loader sees it: rests between its pieces, and the room that is left."""

    def __init__(self, stopped: threading.Event, room: Callable[[], int]) -> None:
        self._stopped = stopped
        self._room = room
        self._began = time.perf_counter()

    def rest(self) -> None:
        """Rests as long as the last piece took, so that questions get the processor; called after each piece."""
        if self._stopped.wait(min(time.perf_counter() - self._began, _MOST_REST_SECONDS)):
            raise Stopped
        self._began = time.perf_counter()

    def check_room(self, nbytes: int) -> None:
        if nbytes > self._room():
            raise NoRoom


class Stopped(Exception):
    """The copy is no longer wanted."""


class NoRoom(Exception):
    """The copy is larger than the budget allows."""


class CopyLoader(Protocol[T]):
    """Reads a part of the graph, in pieces, with `Work.rest` after each and `Work.check_room` as it grows."""

    def load(self, graph: GraphClient, corpus: Corpus, work: Work) -> T:
        """The part as it is now. It may have changed while it was read, after `corpus` was."""
        ...

    def update(self, held: T, since: Corpus, graph: GraphClient, corpus: Corpus, work: Work) -> T:
        """The part as it is now, from a copy that has all changes up to `since`, and maybe some of later ones. The copy
        itself stays as it is: questions use it."""
        ...


@dataclass(frozen=True, slots=True)
class Held(Generic[T]):
    """A copy, and the corpus that it is of."""

    corpus: Corpus
    value: T

    def is_of(self, corpus: Corpus) -> bool:
        """Whether it is what the graph has at this version of the corpus."""
        return _state(self.corpus) == _state(corpus)


class GraphCopy(Generic[T]):
    """One copy; safe to share between threads."""

    def __init__(
        self, what: str, loader: CopyLoader[T], room: Callable[[GraphCopy[T]], int], *, retry_seconds: float
    ) -> None:
        self.what = what
        self._retry_seconds = retry_seconds
        self._loader = loader
        self._room = room
        self._lock = threading.Lock()
        self._asked = 0
        self._held: Held[T] | None = None
        self._partly: Held[T] | None = None
        self._thread: threading.Thread | None = None
        self._stopped = threading.Event()
        self._retry_at = 0.0
        self._failures = 0
        self._too_large: object = None

    @property
    def nbytes(self) -> int:
        """What it takes now."""
        held = self._held
        return held.value.nbytes if held else 0

    def latest(self) -> Held[T] | None:
        """The copy, of whatever version: for what is begun before the corpus is read, and done again if it has
        changed."""
        return self._held

    def current(self, graph: GraphClient, corpus: Corpus) -> T | None:
        """The copy if it is of this version; None otherwise, and then it is brought up to date meanwhile.

        Args:
            corpus: as the transaction of the question has read it.
        """
        held = self._held
        if held is not None and held.is_of(corpus):
            return held.value
        with self._lock:
            self._asked += 1
            if self._may_begin(corpus):
                self._thread = threading.Thread(
                    target=self._bring_up_to_date,
                    args=(graph, corpus, self._stopped),
                    name=f"copy of {self.what}",
                    daemon=True,
                )
                self._thread.start()
        return None

    def wait(self) -> None:
        """Returns when no work is under way."""
        thread = self._thread
        if thread is not None:
            thread.join()

    def close(self) -> None:
        """Ends the work on it, and drops it. A later question may begin again."""
        with self._lock:
            thread, self._thread = self._thread, None
            self._stopped.set()
            self._stopped = threading.Event()
            self._held = self._partly = self._too_large = None
            self._asked, self._retry_at, self._failures = 0, 0.0, 0
        if thread is not None:
            thread.join(_CLOSING_SECONDS)

    def _may_begin(self, corpus: Corpus) -> bool:
        if self._thread is not None and self._thread.is_alive():
            return False
        wanted = self._asked >= _QUESTIONS_BEFORE_A_COPY or self._held is not None
        fits = self._too_large != (corpus.label, corpus.created)
        return wanted and fits and time.monotonic() >= self._retry_at and self._room(self) > 0

    def _bring_up_to_date(self, graph: GraphClient, corpus: Corpus, stopped: threading.Event) -> None:
        """In a thread of its own. What fails here is asked of the graph, and tried again later."""
        try:
            self._read(graph, corpus.name, stopped)
        except Stopped:
            return
        except NoRoom:
            self._held = self._partly = None
            self._too_large = (corpus.label, corpus.created)
            _log.warning(
                "%s of corpus %r need more memory than OVERSTORY_RETRIEVAL_MB leaves them: "
                "questions go on to be answered from the graph, some milliseconds slower",
                self.what.capitalize(),
                corpus.name,
            )
        except CorpusNotFound:
            self._held = self._partly = None
        except Exception as error:  # noqa: BLE001 # of whatever kind: no question may fail by it
            if stopped.is_set():
                return  # the connection was closed
            self._partly = None
            self._retry_at = time.monotonic() + min(self._retry_seconds * 2.0**self._failures, MOST_RETRY_SECONDS)
            self._failures += 1
            expected = isinstance(error, OverstoryError)
            _log.log(
                logging.INFO if expected else logging.WARNING,
                "%s of corpus %r were not read into memory, which is tried again later: %s",
                self.what.capitalize(),
                corpus.name,
                error,
                exc_info=not expected,
            )

    def _read(self, graph: GraphClient, name: str, stopped: threading.Event) -> None:
        """Reads until the corpus is of the same version before and after."""
        work = Work(stopped, lambda: self._room(self))
        before = read_corpus(graph, name)
        for _ in range(_MOST_COPY_ROUNDS):
            known = self._partly or self._held
            if known is not None and (known.corpus.label, known.corpus.created) == (before.label, before.created):
                value = self._loader.update(known.value, known.corpus, graph, before, work)
            else:
                value = self._loader.load(graph, before, work)
            work.check_room(value.nbytes)
            work.rest()
            after = read_corpus(graph, name)
            with self._lock:
                if stopped.is_set():
                    raise Stopped
                self._failures = 0
                if _state(before) == _state(after):
                    self._held, self._partly = Held(after, value), None
                    return
                self._partly = Held(before, value)  # all up to here is in it, and maybe more
            before = after


class GraphCopies:
    """The copies of one `Knowledge`, which share a budget."""

    def __init__(self, most_bytes: int, *, retry_seconds: float = RETRY_SECONDS) -> None:
        """
        Args:
            most_bytes: of all copies together; while one is made or brought up to date, it takes up to three times its
                part for a moment. 0 for no copies.
            retry_seconds: after a failure; twice as long after each that follows.
        """
        self._most_bytes = most_bytes
        self._retry_seconds = retry_seconds
        self._lock = threading.Lock()
        self._copies: dict[str, GraphCopy[HasSize]] = {}

    def of(self, what: str, make_loader: Callable[[], CopyLoader[T]]) -> GraphCopy[T]:
        """The copy of this name, which is the same for all that ask for it.

        Args:
            what: what it holds, in the plural, as messages say it ("names and links").
        """
        with self._lock:
            if what not in self._copies:
                made = GraphCopy(what, make_loader(), self._room, retry_seconds=self._retry_seconds)
                self._copies[what] = cast("GraphCopy[HasSize]", made)
            return cast("GraphCopy[T]", self._copies[what])

    def wait(self) -> None:
        """Returns when no work is under way."""
        with self._lock:
            copies = list(self._copies.values())
        for each in copies:
            each.wait()

    def close(self) -> None:
        """Ends all work, and drops the copies. Later questions may begin again."""
        with self._lock:
            copies = list(self._copies.values())
        for each in copies:
            each.close()

    def _room(self, copy: GraphCopy[T]) -> int:
        """Bytes that are left for a copy."""
        others = sum(each.nbytes for each in self._copies.values() if each is not cast("object", copy))
        return self._most_bytes - others


def _state(corpus: Corpus) -> tuple[str, object, int]:
    return corpus.label, corpus.created, corpus.version
