"""Retrieval by meaning: the chunks whose vectors are nearest to the question's."""

from __future__ import annotations

from overstory.model import Evidence
from overstory.retrieve.hits import hits_by_cosine
from overstory.retrieve.passages import PassageRetriever, Passages, SearchedQuestion


class DenseRetriever(PassageRetriever):
    """Cosine similarity of the question's vector; exact while a corpus is small, by its own vector index when large."""

    name = "dense"

    def found(self, passages: Passages, asked: SearchedQuestion) -> Evidence:
        """The `k` nearest chunks with distinct texts."""
        near = passages.near(asked.vector.result(), asked.k)
        hits = passages.counted(hits_by_cosine(passages.rows(near.cosines), near.cosines))
        return Evidence(asked.question, self.name, hits, notes=(*asked.read.notes, *passages.notes, *near.notes))
