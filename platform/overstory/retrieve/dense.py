"""Retrieval by meaning: the chunks whose vectors are nearest to the question's."""

from __future__ import annotations

from overstory.filters import Expression
from overstory.graph import Corpus, Transaction
from overstory.model import Evidence
from overstory.retrieve.among import Among
from overstory.retrieve.context import RetrievalContext, query_current_corpus
from overstory.retrieve.hits import chunk_rows, hit, hits_by_cosine, near
from overstory.retrieve.question import read_question
from overstory.retrieve.vector_search import depth_for, vector_search


class DenseRetriever:
    """Cosine similarity of the question's vector; exact while a corpus is small, by its own vector index when large."""

    name = "dense"
    scores_compare = True

    def __init__(self, context: RetrievalContext) -> None:
        self._context = context

    def retrieve(self, question: str, k: int) -> Evidence:
        """The `k` nearest chunks with distinct texts."""
        asked = read_question(question)
        vector = self._context.embedding(asked.text)  # while the corpus is looked up

        def query(tx: Transaction, corpus: Corpus) -> Evidence:
            depth = depth_for(k)
            found = vector_search(tx, corpus, "retrieve/dense", vector.result(), vector_depth=depth, limit=k)
            (row,) = found.rows
            hits = tuple(hit(chunk, (near(chunk["score"]),)) for chunk in row["chunks"])
            return Evidence(question, self.name, hits, notes=(*asked.notes, *found.notes))

        return query_current_corpus(self._context, "retrieve/dense", query)

    def retrieve_among(self, question: str, k: int, where: Expression) -> Evidence:
        """The `k` nearest chunks of the documents that a filter lets through."""
        asked = read_question(question)
        vector = self._context.embedding(asked.text)

        def query(tx: Transaction, corpus: Corpus) -> Evidence:
            among = Among(tx, corpus, self._context.filters.of(tx, corpus, where))
            cosines = among.nearest(vector.result(), k).cosines
            hits = among.counted(hits_by_cosine(chunk_rows(tx, corpus, cosines), cosines))
            return Evidence(question, self.name, hits, notes=(*asked.notes, *among.notes))

        return query_current_corpus(self._context, "retrieve/dense", query)
