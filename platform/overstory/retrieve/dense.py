"""Retrieval by meaning: the chunks whose vectors are nearest to the question's."""

from __future__ import annotations

from overstory.graph import Corpus
from overstory.graph.client import Row
from overstory.model import Evidence, Reason
from overstory.retrieve.base import RetrievalContext, ask_as_it_is_now, depth_for, hit
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
        rows = ask_as_it_is_now(self._context, lambda corpus: self._nearest(corpus, vector, k))
        hits = tuple(hit(row, (Reason("dense", row["score"], "cosine similarity to the question"),)) for row in rows)
        return Evidence(question=question, retriever=self.name, hits=hits, notes=notes)

    def _nearest(self, corpus: Corpus, vector: list[float], k: int) -> list[Row]:
        graph, label = self._context.graph, corpus.label
        if corpus.vector_index:
            return graph.run(
                "retrieve/dense_index",
                label,
                read=True,
                index=corpus.vector_index,
                vector=vector,
                depth=depth_for(k),
                limit=k,
            )
        return graph.run(
            "retrieve/dense_exact", label, read=True, property=corpus.embedding_property, vector=vector, limit=k
        )
