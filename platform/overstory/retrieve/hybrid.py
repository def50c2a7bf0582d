"""Retrieval by meaning and by words, united by reciprocal rank in one round trip."""

from __future__ import annotations

from overstory.graph import Corpus, Transaction
from overstory.graph.client import Row
from overstory.model import Evidence, Reason
from overstory.protocols import Vectors
from overstory.retrieve.context import RetrievalContext, query_current_corpus, text_index_name
from overstory.retrieve.hits import hit
from overstory.retrieve.question import full_text_query, read_question
from overstory.retrieve.vector_search import Searched, depth_for, vector_search
from overstory.retrieve.wording import NEAREST, has_words
from overstory.text.questions.asked_words import AskedWords

RANK_CONSTANT = 2
"""How slowly a rank's weight falls. 60 is customary; 2 finds more on every dev set, since a question's first evidence
counts most (R@5 of 2wiki, hotpotqa, musique: .697, .840, .637 with 2; .687, .830, .583 with 60)."""


class HybridRetriever:
    """Reciprocal rank fusion of `dense` and `lexical`: neither's scores need a common scale."""

    name = "hybrid"

    def __init__(self, context: RetrievalContext) -> None:
        self._context = context

    def retrieve(self, question: str, k: int) -> Evidence:
        """The `k` best chunks.

        Raises:
            QuestionError: the question is empty.
            CorpusNotFound, IndexMissing, EmbedderMismatch: as `RetrievalContext.corpus_with_vectors`.
        """
        asked = read_question(question)
        vector = self._context.embedding(asked.text)
        words = full_text_query(asked.text)
        found = query_current_corpus(
            self._context, "retrieve/hybrid", lambda tx, corpus: _fused(tx, corpus, vector.result(), words, k)
        )
        asked_words = AskedWords.of(asked.text)
        hits = tuple(hit(row, _reasons(row, asked_words)) for row in found.rows)
        return Evidence(question=question, retriever=self.name, hits=hits, notes=(*asked.notes, *found.notes))


def _fused(tx: Transaction, corpus: Corpus, vector: Vectors, words: str, k: int) -> Searched:
    return vector_search(
        tx,
        corpus,
        "retrieve/hybrid",
        vector,
        vector_depth=depth_for(k),
        text_index=text_index_name(corpus.label),
        query=words,
        depth=depth_for(k),
        constant=RANK_CONSTANT,
        limit=k,
    )


def _reasons(row: Row, asked: AskedWords) -> tuple[Reason, ...]:
    """The lists that contain the hit, its ranks there, and their shares of the score."""
    reasons: list[Reason] = []
    for kind, unit in (("dense", "cosine"), ("lexical", "BM25")):
        rank, score = row[f"{kind}_rank"], row[f"{kind}_score"]
        if rank is not None:
            brought = 1.0 / (RANK_CONSTANT + rank)
            clause = NEAREST if kind == "dense" else has_words(asked, row)
            reasons.append(Reason(kind, brought, f"rank {rank}, {unit} {score:.3f}", clause))
    return tuple(reasons)
