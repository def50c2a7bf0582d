"""Search several corpora with any retriever, and rank their passages together.

A `MultiCorpusRetriever` searches all corpora together. Any other retriever searches each corpus separately, and the
hits are merged by rank. The corpora may be in different databases, so each of them is read in separate transactions.

If the database of a corpus cannot be reached, the corpus is left out, and a note states this. No attempt to reach it is
made for the next 30 seconds.
"""

from __future__ import annotations

import contextvars
import functools
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Generic, Protocol, TypeVar, runtime_checkable

from overstory.errors import DatabaseUnreachable, EmbedderMismatch, MetadataNotFound, OverstoryError, ServerError
from overstory.filters import Expression
from overstory.graph import Corpus, Transaction
from overstory.model import Evidence, Hit, Part, Reason
from overstory.protocols import Retriever, Vectors
from overstory.retrieve.context import RetrievalContext, query_current_corpus
from overstory.retrieve.hits import clause_of, with_hits
from overstory.retrieve.question import read_question
from overstory.retrieve.vector_search import chunk_cosines

_ABSENCE_SECONDS = 30.0
"""Seconds until the next attempt to reach an unreachable corpus. An attempt delays the question by about 15 seconds."""

T = TypeVar("T")
M = TypeVar("M")


@dataclass(frozen=True, slots=True)
class AskedCorpus:
    """One of several corpora, opened for a question.

    Attributes:
        title: name of the corpus in hits and notes, different for each corpus.
        plain: retriever of the corpus, without a filter.
        where: filter on the documents; None for all.
        filtered: retriever of the corpus, with the filter.
    """

    title: str
    context: RetrievalContext
    plain: Retriever
    where: Expression | None
    filtered: Retriever


class UnreachableCorpora:
    """Remembers corpora that could not be reached recently. Safe to share between threads."""

    def __init__(self, seconds: float = _ABSENCE_SECONDS) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._away: dict[str, tuple[float, OverstoryError]] = {}

    def of(self, title: str) -> OverstoryError | None:
        """Return the error of the last attempt if the corpus was unreachable recently, otherwise None."""
        with self._lock:
            until, error = self._away.get(title, (0.0, None))
            return error if time.monotonic() < until else None

    def add(self, title: str, error: OverstoryError) -> None:
        with self._lock:
            self._away[title] = time.monotonic() + self._seconds, error


class ReachableCorpora(Generic[M]):
    """Several corpora that are read concurrently. Unreachable corpora are left out.

    Attributes:
        members: map from title to opened corpus, for the reachable corpora.
    """

    def __init__(self, members: Mapping[str, Callable[[], M]], absences: UnreachableCorpora) -> None:
        """Open the corpora.

        Args:
            members: map from title to a function that opens the corpus.
            absences: corpora that were unreachable recently. They are left out without another attempt, unless this
                leaves none.

        Raises:
            DatabaseUnreachable, ServerError: no corpus can be reached.
        """
        self._absences = absences
        self._titles = members.keys()
        known = {title: error for title in members if (error := absences.of(title)) is not None}
        self._left_out = known if len(known) < len(members) else {}
        self.members: dict[str, M] = {}
        self.members = self._all({title: make for title, make in members.items() if title not in self._left_out})

    @property
    def notes(self) -> tuple[str, ...]:
        """One note for each corpus that was left out."""
        return tuple(f"the corpus {title!r} was left out: {error}" for title, error in self._left_out.items())

    def each(self, ask: Callable[[M], T], titles: Iterable[str] | None = None) -> dict[str, T]:
        """Call a function on each corpus, concurrently. Return a map from title to result.

        If a corpus cannot be reached, or none of its documents has a metadata key of the filter, it is left out, in
        later calls as well.

        Args:
            titles: titles of the corpora to use; by default all.

        Raises:
            DatabaseUnreachable, ServerError, MetadataNotFound: all corpora are left out.
            Exception: any other error that `ask` raises.
        """
        wanted = self._titles if titles is None else set(titles)
        members = {title: member for title, member in self.members.items() if title in wanted}
        return self._all({title: functools.partial(ask, member) for title, member in members.items()})

    def _all(self, asks: Mapping[str, Callable[[], T]]) -> dict[str, T]:
        if len(asks) > 1:
            with ThreadPoolExecutor(len(asks), thread_name_prefix="overstory-several") as pool:  # waits for all results
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


class JoinedCorpora(ReachableCorpora[AskedCorpus]):
    """The corpora of a question. The vectors of all of them are from the same embedder."""

    def __init__(self, members: Mapping[str, Callable[[], AskedCorpus]], absences: UnreachableCorpora) -> None:
        """Open the corpora, as `ReachableCorpora` does.

        Raises:
            EmbedderMismatch: the vectors of the corpora are from different embedders.
            DatabaseUnreachable, ServerError: no corpus can be reached.
        """
        super().__init__(members, absences)
        _check_embedders(self.members.values())

    @property
    def context(self) -> RetrievalContext:
        """The context of the first corpus. Its embedder is the embedder of all corpora."""
        return next(iter(self.members.values())).context


def _check_embedders(members: Iterable[AskedCorpus]) -> None:
    used = {member.title: member.context.embedder.fingerprint for member in members}
    if len(set(used.values())) > 1:
        listed = ", ".join(f"{title!r} uses {embedder}" for title, embedder in used.items())
        raise EmbedderMismatch(
            f"These corpora cannot be searched together, because their embedders differ: {listed}.",
            remedy="Search them one by one, or use one embedder: overstory index --corpus NAME --embedder NAME.",
        )


E = TypeVar("E", Hit, Part)


@runtime_checkable
class MultiCorpusRetriever(Protocol):
    """A retriever that can search several corpora together."""

    name: str

    def retrieve_joined(self, question: str, k: int, corpora: JoinedCorpora) -> Evidence:
        """Return the evidence from several corpora, as `Retriever.retrieve` does for one corpus.

        Args:
            corpora: the corpora. `AskedCorpus.plain` of each of them is a retriever of the same class as this one.
        """
        ...


class JoinedRetriever:
    """Retriever over several corpora. Safe to share between threads."""

    def __init__(
        self, name: str, members: Mapping[str, Callable[[], AskedCorpus]], absences: UnreachableCorpora
    ) -> None:
        self.name = name
        self._members = members
        self._absences = absences

    def retrieve(self, question: str, k: int) -> Evidence:
        """Return the `k` best passages of all corpora, with a note on each corpus that cannot be reached.

        Raises:
            EmbedderMismatch: the vectors of the corpora are from different embedders.
            DatabaseUnreachable, ServerError: no corpus can be reached.
            Exception: any other error of the retriever.
        """
        corpora = JoinedCorpora(self._members, self._absences)
        plain = next(iter(corpora.members.values())).plain
        if isinstance(plain, MultiCorpusRetriever):
            return plain.retrieve_joined(question, k, corpora)
        found = corpora.each(lambda member: member.filtered.retrieve(question, k))
        hits = _by_rank(question, found, corpora)
        merged = merged_evidence(found, corpora.notes)
        return with_hits(replace(merged, hits=tuple(hits)), list({hit.chunk_id: hit for hit in hits}.values())[:k])


def merged_evidence(found: Mapping[str, Evidence], notes: Iterable[str]) -> Evidence:
    """Merge the evidence of several corpora.

    The hits are interleaved: first the best hit of each corpus, then the second-best hit of each corpus, and so on. The
    parts of the evidence are interleaved in the same way.

    Args:
        found: map from the title of a corpus to its evidence. It must not be empty.
    """
    first = next(iter(found.values()))
    titles_of: dict[str, list[str]] = {}
    for title, evidence in found.items():
        for note in evidence.notes:
            titles_of.setdefault(note, []).append(title)
    of_all = [
        note if len(titles) == len(found) else f"{', '.join(titles)}: {note}" for note, titles in titles_of.items()
    ]
    sources = {hit.chunk_id: hit for hit in _in_corpora({title: each.sources for title, each in found.items()})}
    return replace(
        first,
        hits=tuple(_turns(_titled(title, each.hits) for title, each in found.items())),
        notes=(*of_all, *notes),
        parts=tuple(_turns(each.parts for each in found.values())),
        sources=tuple(sources.values()),
        shares=next((each.shares for each in found.values() if each.shares), {}),
    )


def _by_rank(question: str, found: Mapping[str, Evidence], corpora: JoinedCorpora) -> list[Hit]:
    """Return the hits of all corpora, sorted by rank, and by cosine to the question among hits of equal rank."""
    vector = corpora.context.embedding(read_question(question).text)

    def near(member: AskedCorpus) -> dict[str, float]:
        ids = [hit.chunk_id for hit in found[member.title].hits] if member.title in found else []

        def query(tx: Transaction, corpus: Corpus) -> dict[str, float]:
            asked: Vectors = vector.result()
            return chunk_cosines(tx, corpus, asked, ids)

        return query_current_corpus(member.context, "retrieve/joined", query)

    cosines = {id_: cosine for each in corpora.each(near).values() for id_, cosine in each.items()}
    ranked = [(rank, hit) for title, each in found.items() for rank, hit in enumerate(_titled(title, each.hits), 1)]
    ranked.sort(key=lambda each: (each[0], -cosines.get(each[1].chunk_id, -1.0), each[1].chunk_id))
    return [_of_rank(rank, hit) for rank, hit in ranked]


def _of_rank(rank: int, hit: Hit) -> Hit:
    detail = f"rank {rank} in {hit.corpus}, score {hit.score:.4f} there ({hit.figures})"
    return replace(hit, score=1 / rank, reasons=(Reason("rank", 1 / rank, detail, clause_of(hit)),))


def _in_corpora(found: Mapping[str, Iterable[Hit]]) -> list[Hit]:
    return [hit for title, hits in found.items() for hit in _titled(title, hits)]


def _titled(title: str, hits: Iterable[Hit]) -> list[Hit]:
    return [replace(hit, corpus=title) for hit in hits]


def _turns(lists: Iterable[Iterable[E]]) -> list[E]:
    """Interleave lists. For example, [[1, 2], [3]] becomes [1, 3, 2]."""
    return [each for some in zip_longest(*lists) for each in some if each is not None]
