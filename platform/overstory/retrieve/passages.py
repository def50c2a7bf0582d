"""Search of passages, and the base class of retrievers that search passages.

A search covers one corpus, the documents of a corpus that match a filter, or several corpora. `PassageRetriever` opens
the corpora, `CorpusPassages` searches one of them in a transaction, and `Passages` merges the results.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence, Set
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, TypeVar, cast

import numpy as np

from overstory.filters import Expression
from overstory.graph import Corpus, Transaction
from overstory.graph.client import Row
from overstory.model import Evidence, Hit
from overstory.protocols import Vectors
from overstory.retrieve.among import Among, WordedChunk, sections_by_words, worded_chunks
from overstory.retrieve.context import ReadCorpus, RetrievalContext, query_current_corpus
from overstory.retrieve.hits import chunk_rows
from overstory.retrieve.question import Question, read_question
from overstory.retrieve.sections import FoundSection, blended_vectors, check_sections, chunk_query, section_query
from overstory.retrieve.several_corpora import AskedCorpus, JoinedCorpora
from overstory.retrieve.vector_search import Nearest, VectorCache, cosines_to_all, nearest_chunks

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CorpusPassages:
    """Searches the passages of one corpus, in one transaction. For the methods, see `Passages`.

    Attributes:
        among: the documents that match a filter; None to search all documents.
        cache: cache of the vectors of passages, blended with their sections.
    """

    tx: Transaction
    corpus: Corpus
    among: Among | None
    cache: VectorCache

    @property
    def notes(self) -> tuple[str, ...]:
        return () if self.among is None else self.among.notes

    def near(self, vector: Vectors, limit: int, *, vector_depth: int | None = None) -> Nearest:
        if self.among is not None:
            return self.among.nearest(vector, limit)
        return nearest_chunks(self.tx, self.corpus, vector, limit, vector_depth=vector_depth)

    def sections(self, question: str, limit: int) -> list[FoundSection]:
        query = section_query(question, check_sections(self.corpus).languages)
        matching = None if self.among is None else self.among.matching
        return sections_by_words(self.tx, self.corpus, query, limit, matching)

    def words(self, question: str, limit: int, wanted: Set[str]) -> list[WordedChunk]:
        query = chunk_query(question, self.corpus.languages)
        matching = None if self.among is None else self.among.matching
        return worded_chunks(self.tx, self.corpus, query, limit, matching, wanted)

    def vectors(self, ids: Sequence[str]) -> Vectors:
        return self.cache.of(self.tx, self.corpus, ids)

    def own_cosines(self, ids: Sequence[str], vectors: Vectors) -> Vectors:
        asked = vectors.any(axis=1)
        found = cosines_to_all(self.tx, self.corpus, vectors[asked], ids)
        cosines = np.zeros((len(ids), len(vectors)), dtype=np.float32)
        for place, id_ in enumerate(ids):
            if id_ in found:
                cosines[place, asked] = found[id_]
        return cosines

    def rows(self, ids: Iterable[str]) -> dict[str, Row]:
        return chunk_rows(self.tx, self.corpus, ids)

    def counted(self, hits: Iterable[Hit]) -> tuple[Hit, ...]:
        return tuple(hits) if self.among is None else self.among.counted(hits)


class OpenedCorpus:
    """A single corpus in one transaction, with the same methods as `OpenedCorpora`."""

    notes = ()
    is_one = True

    def __init__(self, passages: CorpusPassages) -> None:
        self._passages = passages

    def each(self, ask: Callable[[CorpusPassages], T]) -> dict[str, T]:
        return {"": ask(self._passages)}

    def each_of(self, ids: Iterable[str], ask: Callable[[CorpusPassages, list[str]], T]) -> dict[str, T]:
        own = list(dict.fromkeys(ids))
        return {"": ask(self._passages, own)} if own else {}

    def found_in(self, title: str, ids: Iterable[str]) -> None:
        """Do nothing, because all chunks belong to the same corpus."""


class OpenedCorpora:
    """Several corpora that a question searches. Each call of `each` or `each_of` opens a transaction in each corpus."""

    is_one = False

    def __init__(self, corpora: JoinedCorpora, doing: str, read: Callable[[RetrievalContext], ReadCorpus]) -> None:
        """
        Args:
            doing: name of the transactions in the server's log.
            read: returns the function that reads a corpus, given the context of that corpus.
        """
        self._corpora = corpora
        self._doing = doing
        self._read = read
        self._homes: dict[str, str] = {}

    @property
    def notes(self) -> tuple[str, ...]:
        """One note for each corpus that was left out."""
        return self._corpora.notes

    def each(self, ask: Callable[[CorpusPassages], T]) -> dict[str, T]:
        """Call a function on each corpus, as `ReachableCorpora.each` does, and return a map from title to result."""
        return self._corpora.each(lambda member: self._in_transaction(member, ask))

    def each_of(self, ids: Iterable[str], ask: Callable[[CorpusPassages, list[str]], T]) -> dict[str, T]:
        """Call a function on each corpus that contains some of the chunks, and return a map from title to result.

        Args:
            ids: ids of the chunks, which `found_in` must have assigned to a corpus.
            ask: the function, which receives the ids of the corpus' own chunks.
        """
        of: dict[str, list[str]] = {}
        for id_ in dict.fromkeys(ids):
            if id_ in self._homes:
                of.setdefault(self._homes[id_], []).append(id_)
        return self._corpora.each(lambda member: self._in_transaction(member, ask, of[member.title]), of)

    def found_in(self, title: str, ids: Iterable[str]) -> None:
        """Record that the corpus contains these chunks. A chunk in two corpora is assigned to the first of them."""
        for id_ in ids:
            self._homes.setdefault(id_, title)

    def _in_transaction(self, member: AskedCorpus, ask: Callable[..., T], *given: object) -> T:
        retriever = cast("PassageRetriever", member.plain)

        def query(tx: Transaction, corpus: Corpus) -> T:
            return ask(retriever.passages(tx, corpus, member.where), *given)

        return query_current_corpus(member.context, self._doing, query, read=self._read(member.context))


class Passages:
    """Searches the passages of all corpora of a question. BM25 uses the word statistics of each corpus separately."""

    def __init__(self, corpora: OpenedCorpus | OpenedCorpora, dimension: int) -> None:
        self.corpora = corpora
        self._dimension = dimension
        self._notes: dict[str, None] = {}

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes about the filter and about corpora that were left out."""
        return (*self._notes, *self.corpora.notes)

    def near(self, vector: Vectors, limit: int, *, vector_depth: int | None = None) -> Nearest:
        """Return the `limit` passages nearest to a vector.

        Args:
            vector: float32 of shape (d,).
            vector_depth: number of vectors to request from a vector index; by default `depth_for(limit)`.
        """

        def nearest(passages: CorpusPassages) -> tuple[Nearest, tuple[str, ...]]:
            return passages.near(vector, limit, vector_depth=vector_depth), passages.notes

        found: list[tuple[str, str, float]] = []
        notes: dict[str, None] = {}
        for title, (near, on_filter) in self.corpora.each(nearest).items():
            self.corpora.found_in(title, near.cosines)
            found += [(chunk, near.documents[chunk], cosine) for chunk, cosine in near.cosines.items()]
            notes |= dict.fromkeys(_titled(title, near.notes))
            self._notes |= dict.fromkeys(_titled(title, on_filter))
        merged = Nearest.of(dict.fromkeys(found), tuple(notes))
        return Nearest(dict(list(merged.cosines.items())[:limit]), merged.documents, merged.notes)

    def sections(self, question: str, limit: int) -> list[FoundSection]:
        """Return the sections that contain words of a question, sorted by BM25, best first."""

        def found(passages: CorpusPassages) -> tuple[list[FoundSection], tuple[str, ...]]:
            return passages.sections(question, limit), passages.notes

        sections: dict[str, list[FoundSection]] = {}
        for title, (own, on_filter) in self.corpora.each(found).items():
            sections[title] = own
            self._notes |= dict.fromkeys(_titled(title, on_filter))
        return self.best_sections(sections, limit)

    def best_sections(self, found: dict[str, list[FoundSection]], limit: int) -> list[FoundSection]:
        """Return the `limit` sections with the highest BM25 among those found in all corpora.

        Args:
            found: map from the title of a corpus to the sections found in it.
        """
        for title, sections in found.items():
            self.corpora.found_in(title, (chunk for section in sections for chunk in section.chunks))
        every = {section.chunks[0]: section for sections in found.values() for section in sections}
        return sorted(every.values(), key=lambda section: -section.words)[:limit]

    def words(self, question: str, limit: int, wanted: Set[str]) -> dict[str, float]:
        """Return a map from passage id to the BM25 of the passage's own words.

        Args:
            limit: maximum number of passages to read in each corpus.
            wanted: ids of the passages to score. Other passages may be in the result, too.
        """
        found = self.corpora.each_of(wanted, lambda passages, own: passages.words(question, limit, frozenset(own)))
        return {each.chunk: each.words for worded in found.values() for each in worded}

    def vectors(self, ids: Sequence[str]) -> Vectors:
        """Return the vectors of passages, each blended with the mean vector of its section.

        The result is float32 of shape (len(ids), d). If a passage has no vector, its row is zero.
        """
        return self._by_row(ids, self._dimension, lambda passages, own: passages.vectors(own))

    def own_cosines(self, ids: Sequence[str], vectors: Vectors) -> Vectors:
        """Return the cosines between passages and vectors, ignoring the sections of the passages.

        The result is float32 of shape (len(ids), m). A passage without a vector has cosine 0. The database computes the
        cosines, so this is fast even for many passages.

        Args:
            vectors: float32 of shape (m, d).
        """
        return self._by_row(ids, len(vectors), lambda passages, own: passages.own_cosines(own, vectors))

    def _by_row(
        self, ids: Sequence[str], width: int, ask: Callable[[CorpusPassages, Sequence[str]], Vectors]
    ) -> Vectors:
        """Return one row per id, computed by the corpus that contains it.

        The result is float32 of shape (len(ids), width). If a corpus is unreachable, the rows of its ids are zero.
        """
        places: dict[str, int] = {}
        every = [np.zeros((1, width), dtype=np.float32)]
        for own, rows in self.corpora.each_of(ids, lambda passages, own: (own, ask(passages, own))).values():
            places |= zip(own, range(len(places) + 1, len(places) + 1 + len(own)), strict=True)
            every.append(rows)
        return np.concatenate(every)[[places.get(id_, 0) for id_ in ids]]

    def rows(self, ids: Iterable[str]) -> dict[str, Row]:
        """Return a map from chunk id to the chunk's row of `retrieve/chunks_by_id`.

        The title of the chunk's corpus is added to the row as `corpus`.
        """
        found = self.corpora.each_of(ids, lambda passages, own: passages.rows(own))
        return {id_: row | {"corpus": title} for title, rows in found.items() for id_, row in rows.items()}

    def counted(self, hits: Iterable[Hit]) -> tuple[Hit, ...]:
        """Return the hits, with `Hit.repeated` set to the number of repetitions in the searched passages."""
        of = {each.chunk_id: each for each in hits}
        found = self.corpora.each_of(of, lambda passages, own: passages.counted(of[id_] for id_ in own))
        return tuple((of | {each.chunk_id: each for some in found.values() for each in some}).values())


@dataclass(frozen=True)
class SearchedQuestion:
    """A question to search for.

    Attributes:
        question: the question as the user typed it.
        read: the cleaned question.
    """

    question: str
    read: Question
    k: int
    context: RetrievalContext

    @cached_property
    def vector(self) -> Future[Vectors]:
        """The vector of the question, which another thread computes after the first access."""
        return self.context.embedding(self.read.text)


class PassageRetriever(ABC):
    """Base class of retrievers that can search one corpus, with or without a filter, or several corpora together.

    Attributes:
        by_meaning: True if the retriever needs vectors.
    """

    name: str
    by_meaning: ClassVar[bool] = True

    def __init__(self, context: RetrievalContext) -> None:
        self._context = context
        self._vectors = VectorCache(blended_vectors)

    def retrieve(self, question: str, k: int) -> Evidence:
        return self._retrieve(question, k, None)

    def retrieve_among(self, question: str, k: int, where: Expression) -> Evidence:
        """Retrieve evidence from the documents that match a filter."""
        return self._retrieve(question, k, where)

    def retrieve_joined(self, question: str, k: int, corpora: JoinedCorpora) -> Evidence:
        """Retrieve evidence from several corpora, as `MultiCorpusRetriever.retrieve_joined` specifies."""
        return self._found(OpenedCorpora(corpora, self._doing, self._read), self._asked(question, k))

    def passages(self, tx: Transaction, corpus: Corpus, where: Expression | None) -> CorpusPassages:
        """Return the passages of a corpus, or of its documents that match a filter."""
        among = None if where is None else Among(tx, corpus, self._context.filters.of(tx, corpus, where))
        return CorpusPassages(tx, corpus, among, self._vectors)

    @abstractmethod
    def found(self, passages: Passages, asked: SearchedQuestion) -> Evidence:
        """Search the passages for a question, and return the evidence."""

    @property
    def _doing(self) -> str:
        return "retrieve/" + self.name

    def _retrieve(self, question: str, k: int, where: Expression | None) -> Evidence:
        asked = self._asked(question, k)

        def query(tx: Transaction, corpus: Corpus) -> Evidence:
            passages = self.passages(tx, corpus, where)
            if passages.among is not None and not passages.among.matching.documents:
                return Evidence(question, self.name, (), notes=(*asked.read.notes, *passages.notes))
            return self._found(OpenedCorpus(passages), asked)

        return query_current_corpus(self._context, self._doing, query, read=self._read(self._context))

    def _found(self, corpora: OpenedCorpus | OpenedCorpora, asked: SearchedQuestion) -> Evidence:
        return self.found(Passages(corpora, self._context.embedder.dimension), asked)

    def _asked(self, question: str, k: int) -> SearchedQuestion:
        return SearchedQuestion(question, read_question(question), k, self._context)

    def _read(self, context: RetrievalContext) -> ReadCorpus:
        return context.corpus_with_vectors if self.by_meaning else context.corpus


def _titled(title: str, notes: Iterable[str]) -> Iterable[str]:
    return (f"{title}: {note}" if title else note for note in notes)
