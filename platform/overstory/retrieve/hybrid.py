"""Retrieval by meaning and by words, of passages and the sections around them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import cast

from overstory.filters import Expression
from overstory.graph import Corpus, Transaction
from overstory.model import Evidence, Hit, Reason
from overstory.protocols import Vectors, cosine_spread
from overstory.retrieve.among import Among
from overstory.retrieve.context import RetrievalContext, query_current_corpus
from overstory.retrieve.corpus_cache import VectorCache
from overstory.retrieve.hits import ranked_hits
from overstory.retrieve.joined_corpora import AskedCorpus, JoinedCorpora
from overstory.retrieve.joined_passages import JoinedPassages
from overstory.retrieve.passages import CorpusPassages, Passages
from overstory.retrieve.question import Question, read_question
from overstory.retrieve.ranking import best_of
from overstory.retrieve.sections import FoundSection, blended_vectors, check_sections, nearest_passages
from overstory.retrieve.wording import NEAREST, has_words
from overstory.text.questions.asked_words import AskedWords

_HYBRID_CANDIDATES = 50
"""Passages found by meaning, and sections found by words."""

_HYBRID_WORDS_WEIGHT = 0.3
"""What the best section by words gets for them, in cosines of the default embedder."""


class HybridRetriever:
    """The cosines of passages and of their sections, and BM25 of the sections beside that of the best."""

    name = "hybrid"

    def __init__(self, context: RetrievalContext) -> None:
        self._context = context
        self._vectors = VectorCache(blended_vectors)

    def retrieve(self, question: str, k: int) -> Evidence:
        """The `k` best chunks."""
        return self._retrieve(question, k, None)

    def retrieve_among(self, question: str, k: int, where: Expression) -> Evidence:
        """The `k` best chunks of the documents that a filter lets through."""
        return self._retrieve(question, k, where)

    def retrieve_joined(self, question: str, k: int, corpora: JoinedCorpora) -> Evidence:
        """The `k` best chunks of several corpora."""

        def opened(member: AskedCorpus, tx: Transaction, corpus: Corpus) -> CorpusPassages:
            retriever = cast("HybridRetriever", member.plain)
            return retriever.passages(tx, corpus, member.where)

        asked = read_question(question)
        joined = JoinedPassages(corpora.opened("retrieve/hybrid", opened))
        return self._found(joined, question, asked, self._context.embedding(asked.text), k)

    def passages(self, tx: Transaction, corpus: Corpus, where: Expression | None) -> CorpusPassages:
        """Those of a corpus, or of the documents that a filter lets through."""
        among = None if where is None else Among(tx, corpus, self._context.filters.of(tx, corpus, where))
        return CorpusPassages(tx, check_sections(corpus), among, self._vectors)

    def _retrieve(self, question: str, k: int, where: Expression | None) -> Evidence:
        asked = read_question(question)
        vector = self._context.embedding(asked.text)

        def query(tx: Transaction, corpus: Corpus) -> Evidence:
            return self._found(self.passages(tx, corpus, where), question, asked, vector, k)

        return query_current_corpus(self._context, "retrieve/hybrid", query)

    def _found(self, passages: Passages, question: str, asked: Question, vector: Future[Vectors], k: int) -> Evidence:
        depth = max(_HYBRID_CANDIDATES, k)
        sections = passages.sections(asked.text, depth)  # while the question is embedded
        near = passages.near(vector.result(), depth)
        hits = self._ranked(passages, asked, vector.result(), sections, near.cosines, k)
        notes = (*asked.notes, *passages.notes, *near.notes)
        return Evidence(question, self.name, passages.counted(hits), notes=notes)

    def _ranked(
        self,
        passages: Passages,
        asked: Question,
        vector: Vectors,
        sections: Sequence[FoundSection],
        near: Mapping[str, float],
        k: int,
    ) -> tuple[Hit, ...]:
        """The best of the chunks found by words and by meaning; `near` are the cosines of the latter."""
        ids = list(dict.fromkeys([*near, *(id_ for section in sections for id_ in section.chunks)]))
        cosines = dict(zip(ids, (passages.vectors(ids) @ vector).tolist(), strict=True))
        words = {id_: section.words for section in sections for id_ in section.chunks}
        most = max(words.values(), default=0.0) or 1.0
        weight = _HYBRID_WORDS_WEIGHT * cosine_spread(self._context.embedder)
        candidates = dict.fromkeys([*near, *(id_ for id_, _ in nearest_passages(sections, cosines))])
        scores = {id_: cosines[id_] + weight * words.get(id_, 0.0) / most for id_ in candidates}
        best = best_of(scores, k)
        rows = passages.rows(best)
        asked_words = AskedWords.of(asked.text)

        def reasons(id_: str) -> list[Reason]:
            likeness = Reason("dense", cosines[id_], f"cosine {cosines[id_]:.3f} of passage and section", NEAREST)
            if id_ not in words:
                return [likeness]
            has = has_words(asked_words, rows[id_])
            detail = f"{has} (BM25 of its section {words[id_]:.3f})"
            return [likeness, Reason("lexical", weight * words[id_] / most, detail, has)]

        return ranked_hits(rows, {id_: scores[id_] for id_ in best}, reasons)
