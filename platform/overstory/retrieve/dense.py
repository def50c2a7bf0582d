"""Dense retrieval, which returns the chunks whose vectors are nearest to the question's vector."""

from __future__ import annotations

from overstory.model import Evidence
from overstory.retrieve.hits import hits_by_cosine
from overstory.retrieve.passages import PassageRetriever, Passages, SearchedQuestion


class DenseRetriever(PassageRetriever):
    """Ranks chunks by cosine similarity. Small corpora are searched exactly, large corpora with a vector index."""

    name = "dense"

    def found(self, passages: Passages, asked: SearchedQuestion) -> Evidence:
        near = passages.near(asked.vector.result(), asked.k)
        hits = passages.counted(hits_by_cosine(passages.rows(near.cosines), near.cosines))
        return Evidence(asked.question, self.name, hits, notes=(*asked.read.notes, *passages.notes, *near.notes))
