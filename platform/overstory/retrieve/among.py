"""Search the documents that match a filter, by meaning and by words.

BM25 always uses the word statistics of the entire corpus. Scores with and without a filter are therefore comparable.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from overstory.graph import Corpus, Transaction
from overstory.graph.schema import text_index, word_index
from overstory.model import Hit
from overstory.protocols import Vectors
from overstory.retrieve.matching_documents import Matching
from overstory.retrieve.repeats import SharedVector
from overstory.retrieve.sections import FoundSection
from overstory.retrieve.vector_search import LEAST_VECTOR_DEPTH, Nearest

_DEEPER_FACTOR = 4
"""If too few results of an index query match the filter, the query is repeated with this many times its depth."""
_FILTERED_VECTOR_OVERSAMPLING = 3
"""An index query should return this many matching vectors per requested result, because its last results are less
reliable."""
_MOST_FILTERED_VECTOR_DEPTH = 3_000
"""Maximum depth of an index query. A deeper query is no faster than comparing the vectors of all matching documents."""
_LOOKED_UP_DEPTH_FACTOR = 2
"""A full-text query first looks up the passages of the matching documents if its depth is more than twice the number of
these documents. Other rows are then only counted. Looking up a document takes about 8 µs, and reading a row 6 µs."""
_MOST_CHUNKS_OF_A_VECTOR = 1_000
"""Maximum number of chunks with the same text and title whose documents are checked against the filter. If none of
these documents matches, the search by meaning does not find the text."""

_BY_WORDS = {
    ("sections", False): "retrieve/sections_among",
    ("sections", True): "retrieve/sections_of",
    ("chunks", False): "retrieve/words_among",
    ("chunks", True): "retrieve/words_of",
}


class WordedChunk(NamedTuple):
    """A chunk that contains words of a question.

    Attributes:
        words: BM25 of the chunk.
    """

    chunk: str
    document: str
    words: float


def sections_by_words(
    tx: Transaction, corpus: Corpus, query: str, limit: int, matching: Matching | None
) -> list[FoundSection]:
    """Return the sections that contain words of a question, sorted by BM25, best first.

    Args:
        query: Lucene query, as returned by `section_query`.
        matching: the documents to search; None for all.
    """
    found = _by_words(tx, corpus, "sections", query, limit, matching)
    return [FoundSection(*each) for each in found]


def worded_chunks(
    tx: Transaction,
    corpus: Corpus,
    query: str,
    limit: int,
    matching: Matching | None,
    wanted: Set[str] | None = None,
) -> list[WordedChunk]:
    """Return the chunks whose own text contains words of a question, sorted by BM25, best first.

    Args:
        query: Lucene query, as returned by `chunk_query`.
        matching: the documents to search; None for all.
        wanted: ids of chunks. The search ends as soon as all of these chunks are found.
    """
    found = _by_words(tx, corpus, "chunks", query, limit, matching, wanted)
    return [WordedChunk(*each) for each in found]


def _by_words(
    tx: Transaction,
    corpus: Corpus,
    what: Literal["sections", "chunks"],
    query: str,
    limit: int,
    matching: Matching | None,
    wanted: Set[str] | None = None,
) -> list[list[Any]]:
    if not query or (matching is not None and not matching.documents):
        return []
    sent = sorted(matching.documents) if matching is not None and matching.are_few else None
    usual = limit if matching is None else math.ceil(2 * limit / matching.share)
    depth = usual if wanted is None else limit
    index = (word_index if what == "sections" else text_index)(corpus.index_set)
    while True:
        look_up = sent is not None and depth > _LOOKED_UP_DEPTH_FACTOR * len(sent)
        (row,) = tx.run(_BY_WORDS[what, look_up], corpus.label, index=index, query=query, depth=depth, documents=sent)
        found = [each for each in row[what] if matching is None or each[1] in matching.documents]
        if len(found) >= limit or row["seen"] < depth:
            return found[:limit]
        if wanted is not None and wanted <= {each[0] for each in found}:
            return found
        depth = usual if depth < usual else depth * _DEEPER_FACTOR


@dataclass(frozen=True, slots=True)
class Among:
    """Searches the documents that match a filter, in one transaction."""

    tx: Transaction
    corpus: Corpus
    matching: Matching

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the filter, including one if no document matches."""
        return self.matching.all_notes

    def nearest(self, vector: Vectors, limit: int) -> Nearest:
        """Return the `limit` chunks nearest to a vector. The result is exact if few documents match.

        Args:
            vector: float32 of shape (d,).
        """
        if self.corpus.vector_index and not self.matching.are_few:
            wanted = math.ceil(_FILTERED_VECTOR_OVERSAMPLING * limit / self.matching.share)
            depth = min(max(LEAST_VECTOR_DEPTH, wanted), _MOST_FILTERED_VECTOR_DEPTH)
            while (found := self._by_index(vector, depth)) is not None:
                if len(found) >= limit:
                    return Nearest.of(found[:limit])
                if depth >= _MOST_FILTERED_VECTOR_DEPTH:
                    break
                depth = min(_DEEPER_FACTOR * depth, _MOST_FILTERED_VECTOR_DEPTH)
        return self.scanned(vector, limit)

    def scanned(self, vector: Vectors, limit: int) -> Nearest:
        """Return the nearest chunks, as `nearest` does, but by comparing all vectors of the matching documents."""
        (row,) = self.tx.run(
            "retrieve/among_exact",
            self.corpus.label,
            documents=sorted(self.matching.documents),
            property=self.corpus.embedding_property,
            vector=vector.tolist(),
            limit=limit,
        )
        return Nearest.of((chunk, document, cosine) for chunk, document, cosine in row["found"])

    def _by_index(self, vector: Vectors, depth: int) -> list[tuple[str, str, float]] | None:
        """Return the results of an index query that match, each as (chunk id, document id, cosine).

        Return None if the index returned fewer vectors than `depth`.
        """
        (row,) = self.tx.run(
            "retrieve/among_index",
            self.corpus.label,
            vector_index=self.corpus.vector_index,
            vector_depth=depth,
            vector=vector.tolist(),
            most=_MOST_CHUNKS_OF_A_VECTOR,
        )
        found: list[tuple[str, str, float]] = []
        for cosine, chunks in row["found"]:
            own = next((each for each in chunks if each[1] in self.matching.documents), None)
            if own is not None:
                found.append((own[0], own[1], cosine))
        return found if row["near"] >= depth else None

    def chunks(self, query: str, limit: int) -> list[WordedChunk]:
        """Return the matching chunks that contain words of a query, as `worded_chunks` does."""
        return worded_chunks(self.tx, self.corpus, query, limit, self.matching)

    def counted(self, hits: Iterable[Hit]) -> tuple[Hit, ...]:
        """Return the hits, with `Hit.repeated` set to the number of repetitions in matching documents."""
        found = list(hits)
        repeated = [each.chunk_id for each in found if each.repeated]
        of = {id_: shared.times - 1 for shared in self.sharing(repeated) for id_ in shared.ids}
        return tuple(replace(each, repeated=of[each.chunk_id]) if each.chunk_id in of else each for each in found)

    def sharing(self, ids: Sequence[str]) -> list[SharedVector]:
        """Return the vectors that given chunks share with other chunks, counting only chunks of matching documents."""
        if not ids:
            return []
        rows = self.tx.run("retrieve/sharing_chunks", self.corpus.label, ids=list(ids), most=_MOST_CHUNKS_OF_A_VECTOR)
        own = [
            (row["ids"], [chunk for chunk, document in row["chunks"] if document in self.matching.documents])
            for row in rows
        ]
        return [SharedVector(max(1, len(chunks)), ids_, chunks) for ids_, chunks in own]
