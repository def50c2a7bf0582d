"""The passages that a question is compared with: of one corpus in its transaction, or of several corpora at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from overstory.graph import Corpus, Transaction
from overstory.graph.client import Row
from overstory.model import Hit
from overstory.protocols import Vectors
from overstory.retrieve.among import Among
from overstory.retrieve.corpus_cache import VectorCache
from overstory.retrieve.hits import chunk_rows
from overstory.retrieve.sections import FoundSection, found_sections, section_query
from overstory.retrieve.vector_search import Nearest, cosines_to_all, nearest_chunks


class Passages(Protocol):
    """What retrievers ask of passages, whatever corpora they are in."""

    @property
    def notes(self) -> tuple[str, ...]:
        """On the filter, and on what could not be asked."""
        ...

    def near(self, vector: Vectors, limit: int, *, vector_depth: int | None = None) -> Nearest:
        """The `limit` passages nearest to a vector.

        Args:
            vector: float32[d].
            vector_depth: as of `nearest_chunks`.
        """
        ...

    def sections(self, question: str, limit: int) -> list[FoundSection]:
        """The sections with words of a question, best first."""
        ...

    def vectors(self, ids: Sequence[str]) -> Vectors:
        """float32[len(ids), d]: what cosines are taken with; zeros where there is none."""
        ...

    def own_cosines(self, ids: Sequence[str], vectors: Vectors) -> Vectors:
        """float32[len(ids), len(vectors)]: the cosines of the passages themselves, without their sections, 0 where
        there is no vector. For many: nothing is read or kept.

        Args:
            vectors: float32[m, d].
        """
        ...

    def rows(self, ids: Iterable[str]) -> dict[str, Row]:
        """As `hits.chunk_rows`."""
        ...

    def counted(self, hits: Iterable[Hit]) -> tuple[Hit, ...]:
        """Hits whose repetitions are counted among the passages that may be found."""
        ...


@dataclass(frozen=True, slots=True)
class CorpusPassages:
    """The passages of a corpus, or those of the documents that a filter lets through (`among`), in one transaction."""

    tx: Transaction
    corpus: Corpus
    among: Among | None = None
    cache: VectorCache = field(default_factory=VectorCache)

    @property
    def notes(self) -> tuple[str, ...]:
        """As `Passages.notes`."""
        return () if self.among is None else self.among.notes

    def near(self, vector: Vectors, limit: int, *, vector_depth: int | None = None) -> Nearest:
        """As `Passages.near`."""
        if self.among is not None:
            return self.among.nearest(vector, limit)
        return nearest_chunks(self.tx, self.corpus, vector, limit, vector_depth=vector_depth)

    def sections(self, question: str, limit: int) -> list[FoundSection]:
        """As `Passages.sections`."""
        query = section_query(question, self.corpus.languages)
        if self.among is not None:
            return self.among.sections(query, limit)
        return found_sections(self.tx, self.corpus, query, limit)

    def vectors(self, ids: Sequence[str]) -> Vectors:
        """As `Passages.vectors`."""
        return self.cache.of(self.tx, self.corpus, ids)

    def own_cosines(self, ids: Sequence[str], vectors: Vectors) -> Vectors:
        """As `Passages.own_cosines`."""
        asked = vectors.any(axis=1)
        found = cosines_to_all(self.tx, self.corpus, vectors[asked], ids)
        cosines = np.zeros((len(ids), len(vectors)), dtype=np.float32)
        for place, id_ in enumerate(ids):
            if id_ in found:
                cosines[place, asked] = found[id_]
        return cosines

    def rows(self, ids: Iterable[str]) -> dict[str, Row]:
        """As `Passages.rows`."""
        return chunk_rows(self.tx, self.corpus, ids)

    def counted(self, hits: Iterable[Hit]) -> tuple[Hit, ...]:
        """As `Passages.counted`."""
        return tuple(hits) if self.among is None else self.among.counted(hits)
