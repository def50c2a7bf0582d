"""Several corpora that a question asks at the same time.

Each step of a question reads every corpus in a transaction of its own, for they may lie in different databases. One
whose database cannot be reached is left out, with a note, and for a while the next questions do not wait for it.
"""

from __future__ import annotations

import contextvars
import functools
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Generic, TypeVar

from overstory.errors import DatabaseUnreachable, EmbedderMismatch, MetadataNotFound, OverstoryError, ServerError
from overstory.filters import Expression
from overstory.graph import Corpus, Transaction
from overstory.protocols import Retriever
from overstory.retrieve.context import RetrievalContext, query_current_corpus

_ABSENCE_SECONDS = 30.0
"""How long a corpus that could not be reached is not asked again: that takes a question some 15 seconds."""

T = TypeVar("T")
U = TypeVar("U")
M = TypeVar("M")
P_co = TypeVar("P_co", covariant=True)


@dataclass(frozen=True, slots=True)
class AskedCorpus:
    """A corpus among several, ready to be asked.

    Attributes:
        title: how hits and notes call it; no two have the same.
        plain: its retriever, as `make_retriever` makes it.
        where: the documents that may be found; None where all may.
        filtered: the retriever that finds these alone.
    """

    title: str
    context: RetrievalContext
    plain: Retriever
    where: Expression | None
    filtered: Retriever


class Absences:
    """The corpora that could not be reached lately. Safe to share between threads."""

    def __init__(self, seconds: float = _ABSENCE_SECONDS) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._away: dict[str, tuple[float, OverstoryError]] = {}

    def of(self, title: str) -> OverstoryError | None:
        """Why a corpus was not there, if that is not long ago."""
        with self._lock:
            until, error = self._away.get(title, (0.0, None))
            return error if time.monotonic() < until else None

    def add(self, title: str, error: OverstoryError) -> None:
        with self._lock:
            self._away[title] = time.monotonic() + self._seconds, error


class AtOnce(Generic[M]):
    """Several corpora that are asked at the same time, of which some may turn out not to be there.

    Attributes:
        members: those that are, by their titles.
    """

    def __init__(self, members: Mapping[str, Callable[[], M]], absences: Absences) -> None:
        """
        Args:
            members: makes each ready, or asks it what is wanted, by its title.

        Raises:
            DatabaseUnreachable, ServerError: none can be reached.
        """
        self._absences = absences
        self._titles = members.keys()
        known = {title: error for title in members if (error := absences.of(title)) is not None}
        self._left_out = known if len(known) < len(members) else {}
        self.members: dict[str, M] = {}
        self.members = self._all({title: make for title, make in members.items() if title not in self._left_out})

    @property
    def notes(self) -> tuple[str, ...]:
        """On those that were left out."""
        return tuple(f"the corpus {title!r} was left out: {error}" for title, error in self._left_out.items())

    def each(self, ask: Callable[[M], T], titles: Iterable[str] | None = None) -> dict[str, T]:
        """What each says, all asked at the same time; those that cannot be reached, or have no documents with metadata
        that is asked for, are left out from now on.

        Args:
            titles: of those to ask; all if left out.

        Raises:
            DatabaseUnreachable, ServerError, MetadataNotFound: none is left.
            what `ask` raises.
        """
        wanted = self._titles if titles is None else set(titles)
        members = {title: member for title, member in self.members.items() if title in wanted}
        return self._all({title: functools.partial(ask, member) for title, member in members.items()})

    def _all(self, asks: Mapping[str, Callable[[], T]]) -> dict[str, T]:
        if len(asks) > 1:
            with ThreadPoolExecutor(len(asks), thread_name_prefix="overstory-several") as pool:  # waits for all
                run = {title: pool.submit(contextvars.copy_context().run, ask) for title, ask in asks.items()}
            asks = {title: future.result for title, future in run.items()}
        results: dict[str, T] = {}
        for title, ask in asks.items():
            try:
                results[title] = ask()
            except (DatabaseUnreachable, ServerError, MetadataNotFound) as error:
                self._leave_out(title, error)
        if self._left_out.keys() == self._titles:
            raise next(iter(self._left_out.values()))
        return results

    def _leave_out(self, title: str, error: OverstoryError) -> None:
        self._left_out[title] = error
        self.members.pop(title, None)
        if not isinstance(error, MetadataNotFound):
            self._absences.add(title, error)


class JoinedCorpora(AtOnce[AskedCorpus]):
    """The corpora of one question, whose vectors can be compared."""

    def __init__(self, members: Mapping[str, Callable[[], AskedCorpus]], absences: Absences) -> None:
        """As `AtOnce`.

        Raises:
            EmbedderMismatch: their vectors cannot be compared.
            DatabaseUnreachable, ServerError: none can be reached.
        """
        super().__init__(members, absences)
        _check_embedders(self.members.values())

    @property
    def context(self) -> RetrievalContext:
        """That of the first, whose embedder is that of all."""
        return next(iter(self.members.values())).context

    def opened(self, doing: str, opened: Callable[[AskedCorpus, Transaction, Corpus], U]) -> OpenedCorpora[U]:
        """
        Args:
            doing: as of `query_current_corpus`.
            opened: what a step asks of a corpus, in its transaction.
        """
        return OpenedCorpora(self, doing, opened)


class OpenedCorpora(Generic[P_co]):
    """Several corpora, each opened in a transaction of its own for every step."""

    def __init__(
        self, corpora: JoinedCorpora, doing: str, opened: Callable[[AskedCorpus, Transaction, Corpus], P_co]
    ) -> None:
        self._corpora = corpora
        self._doing = doing
        self._opened = opened
        self._homes: dict[str, str] = {}

    @property
    def notes(self) -> tuple[str, ...]:
        """As of `JoinedCorpora`."""
        return self._corpora.notes

    @property
    def dimension(self) -> int:
        """Of the vectors."""
        return self._corpora.context.embedder.dimension

    def each(self, ask: Callable[[P_co], T]) -> dict[str, T]:
        """As `JoinedCorpora.each`."""
        return self._corpora.each(lambda member: self._in_transaction(member, ask))

    def each_of(self, ids: Iterable[str], ask: Callable[[P_co, list[str]], T]) -> dict[str, T]:
        """As `each`, of those alone that have some chunks: each is told which."""
        of: dict[str, list[str]] = {}
        for id_ in dict.fromkeys(ids):
            if id_ in self._homes:
                of.setdefault(self._homes[id_], []).append(id_)

        return self._corpora.each(lambda member: self._in_transaction(member, ask, of[member.title]), of)

    def found_in(self, title: str, ids: Iterable[str]) -> None:
        """Remembers in which corpus chunks were found. One that two of them have is that of the first."""
        for id_ in ids:
            self._homes.setdefault(id_, title)

    def _in_transaction(self, member: AskedCorpus, ask: Callable[..., T], *given: object) -> T:
        def query(tx: Transaction, corpus: Corpus) -> T:
            return ask(self._opened(member, tx, corpus), *given)

        return query_current_corpus(member.context, self._doing, query)


def _check_embedders(members: Iterable[AskedCorpus]) -> None:
    used = {member.title: member.context.embedder.fingerprint for member in members}
    if len(set(used.values())) > 1:
        said = ", ".join(f"{title!r} has those of {embedder}" for title, embedder in used.items())
        raise EmbedderMismatch(
            f"The vectors of these corpora cannot be compared: {said}.",
            remedy="Ask them one by one, or give them one embedder: overstory index --corpus NAME --embedder NAME.",
        )
