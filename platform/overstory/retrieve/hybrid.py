"""Retrieval by meaning and by words, of passages and the sections around them."""

from __future__ import annotations

from concurrent.futures import Future

from overstory.graph import Corpus, Transaction
from overstory.model import Evidence, Reason
from overstory.protocols import Vectors
from overstory.retrieve.context import RetrievalContext, query_current_corpus
from overstory.retrieve.corpus_cache import VectorCache
from overstory.retrieve.hits import chunk_rows, ranked_hits
from overstory.retrieve.question import Question, read_question
from overstory.retrieve.ranking import best_of
from overstory.retrieve.sections import blended_vectors, found_sections, nearest_passages, section_query
from overstory.retrieve.vector_search import nearest_chunks
from overstory.retrieve.wording import NEAREST, has_words
from overstory.text.questions.asked_words import AskedWords

HYBRID_CANDIDATES = 50
"""Passages found by meaning, and sections found by words."""

HYBRID_WORDS_WEIGHT = 0.3
"""What the best section by words gets for them, in cosines."""


class HybridRetriever:
    """The cosines of passages and of their sections, and BM25 of the sections beside that of the best."""

    name = "hybrid"

    def __init__(self, context: RetrievalContext) -> None:
        self._context = context
        self._vectors = VectorCache(blended_vectors)

    def retrieve(self, question: str, k: int) -> Evidence:
        """The `k` best chunks."""
        asked = read_question(question)
        vector = self._context.embedding(asked.text)
        return query_current_corpus(
            self._context, "retrieve/hybrid", lambda tx, corpus: self._found(tx, corpus, question, asked, vector, k)
        )

    def _found(
        self, tx: Transaction, corpus: Corpus, question: str, asked: Question, vector: Future[Vectors], k: int
    ) -> Evidence:
        depth = max(HYBRID_CANDIDATES, k)
        sections = found_sections(tx, corpus, section_query(asked.text), depth)  # while the question is embedded
        near = nearest_chunks(tx, corpus, vector.result(), depth)
        ids = list(dict.fromkeys([*near.cosines, *(id_ for section in sections for id_ in section.chunks)]))
        cosines = dict(zip(ids, (self._vectors.of(tx, corpus, ids) @ vector.result()).tolist(), strict=True))
        words = {id_: section.words for section in sections for id_ in section.chunks}
        most = max(words.values(), default=0.0) or 1.0
        candidates = dict.fromkeys([*near.cosines, *(id_ for id_, _ in nearest_passages(sections, cosines))])
        scores = {id_: cosines[id_] + HYBRID_WORDS_WEIGHT * words.get(id_, 0.0) / most for id_ in candidates}
        best = best_of(scores, k)
        rows = chunk_rows(tx, corpus, best)
        asked_words = AskedWords.of(asked.text)

        def reasons(id_: str) -> list[Reason]:
            likeness = Reason("dense", cosines[id_], f"cosine {cosines[id_]:.3f} of passage and section", NEAREST)
            if id_ not in words:
                return [likeness]
            has = has_words(asked_words, rows[id_])
            detail = f"{has} (BM25 of its section {words[id_]:.3f})"
            return [likeness, Reason("lexical", HYBRID_WORDS_WEIGHT * words[id_] / most, detail, has)]

        hits = ranked_hits(rows, {id_: scores[id_] for id_ in best}, reasons)
        return Evidence(question, self.name, hits, notes=(*asked.notes, *near.notes))
