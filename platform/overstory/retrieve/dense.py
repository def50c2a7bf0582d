"""Retrieval by meaning: the chunks whose vectors are nearest to the question's."""

from __future__ import annotations

from overstory.graph import Corpus, Transaction
from overstory.graph.client import Row
from overstory.model import Evidence, Reason
from overstory.retrieve.context import RetrievalContext, depth_for, hit, query_current_corpus
from overstory.retrieve.question import clean_question


class DenseRetriever:
    """Cosine similarity of the question's vector; exact while a corpus is small, by its own vector index when large."""

    name = "dense"

    def __init__(self, context: RetrievalContext) -> None:
        self._context = context

    def retrieve(self, question: str, k: int) -> Evidence:
        """The `k` nearest chunks.

        Raises:
            QuestionError: the question is empty.
            IndexMissing, EmbedderMismatch, CorpusNotFound: as their names say.
        """
        text, notes = clean_question(question)
        vector: list[float] = self._context.embedder.embed([text])[0].tolist()
        rows = query_current_corpus(
            self._context, "retrieve/dense", lambda tx, corpus: nearest_chunks(tx, corpus, vector, k)
        )
        hits = tuple(hit(row, (near(row["score"]),)) for row in rows)
        return Evidence(question=question, retriever=self.name, hits=hits, notes=notes)


def near(cosine: float) -> Reason:
    """Why a chunk was found that was found by meaning alone."""
    return Reason(
        "dense", cosine, "cosine similarity to the question", "is among the nearest to the question in meaning"
    )


def nearest_chunks(tx: Transaction, corpus: Corpus, vector: list[float], k: int) -> list[Row]:
    """The `k` chunks nearest to a vector, best first, as `retrieve/dense_…` gives them."""
    if corpus.vector_index:
        return tx.run(
            "retrieve/dense_index",
            corpus.label,
            index=corpus.vector_index,
            vector=vector,
            depth=depth_for(k),
            limit=k,
        )
    return tx.run("retrieve/dense_exact", corpus.label, property=corpus.embedding_property, vector=vector, limit=k)
