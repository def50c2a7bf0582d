"""Passages of some documents, by meaning and by words: what is found in a corpus that has no others.

Statistics of words are those of the whole corpus, so that a score says the same with a filter and without.
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
"""How many times more an index is asked for where too little of what it found may be shown."""
_FILTERED_VECTOR_OVERSAMPLING = 3
"""How many matching vectors an index should find for each that is wanted; those far down are less sure to be there."""
_MOST_FILTERED_VECTOR_DEPTH = 3_000
"""Vectors that an index is asked for: beyond, all vectors of the documents are compared, which takes no longer."""
_LOOKED_UP_DEPTH_FACTOR = 2
"""Where an index of words is asked for more than twice as many rows as documents match, their passages are looked
up first, and the rest of the rows is only counted: a document costs some 8 µs, a row that is looked at some 6."""
_MOST_CHUNKS_OF_A_VECTOR = 1_000
"""Chunks with the same text and title among which one of these documents is looked for; where it is beyond these, the
text is not found by meaning."""

_BY_WORDS = {
    ("sections", False): "retrieve/sections_among",
    ("sections", True): "retrieve/sections_of",
    ("chunks", False): "retrieve/words_among",
    ("chunks", True): "retrieve/words_of",
}


class WordedChunk(NamedTuple):
    """A chunk that shares words with a question; `words` is its BM25."""

    chunk: str
    document: str
    words: float


def sections_by_words(
    tx: Transaction, corpus: Corpus, query: str, limit: int, matching: Matching | None
) -> list[FoundSection]:
    """The sections with words of a question, best first.

    Args:
        query: as `section_query` gives it.
        matching: documents of which sections are found; all if None.
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
    """The chunks with words of a question in their own text, best first.

    Args:
        query: as `chunk_query` gives it.
        matching: as of `sections_by_words`.
        wanted: ids of the chunks that are asked for: the search ends when all of them are found.
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
    """The first rows of a full-text index that are of these documents. The index is asked for more until they are
    found, or it has no more."""
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
    """Searches among the documents that a filter lets through, in one transaction."""

    tx: Transaction
    corpus: Corpus
    matching: Matching

    @property
    def notes(self) -> tuple[str, ...]:
        """On the filter, and whether no document is let through."""
        return self.matching.all_notes

    def nearest(self, vector: Vectors, limit: int) -> Nearest:
        """The `limit` chunks nearest to a vector; exact where the documents are few.

        Args:
            vector: float32[d].
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
        """As `nearest`, by comparing the vectors of all passages of the documents."""
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
        """What the index finds; None if it finds fewer vectors than it is asked for."""
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
        """As `worded_chunks`."""
        return worded_chunks(self.tx, self.corpus, query, limit, self.matching)

    def counted(self, hits: Iterable[Hit]) -> tuple[Hit, ...]:
        """Hits whose repetitions are counted among these documents alone."""
        found = list(hits)
        repeated = [each.chunk_id for each in found if each.repeated]
        of = {id_: shared.times - 1 for shared in self.sharing(repeated) for id_ in shared.ids}
        return tuple(replace(each, repeated=of[each.chunk_id]) if each.chunk_id in of else each for each in found)

    def sharing(self, ids: Sequence[str]) -> list[SharedVector]:
        """The vectors that some chunks share with others of these documents."""
        if not ids:
            return []
        rows = self.tx.run("retrieve/sharing_chunks", self.corpus.label, ids=list(ids), most=_MOST_CHUNKS_OF_A_VECTOR)
        own = [
            (row["ids"], [chunk for chunk, document in row["chunks"] if document in self.matching.documents])
            for row in rows
        ]
        return [SharedVector(max(1, len(chunks)), ids_, chunks) for ids_, chunks in own]
