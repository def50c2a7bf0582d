"""Hybrid retrieval, which compares the vectors and the words of passages and their sections with the question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from overstory.model import Evidence, Hit, Reason
from overstory.protocols import cosine_spread
from overstory.retrieve.hits import NEAREST, best_of, has_words, ranked_hits
from overstory.retrieve.passages import PassageRetriever, Passages, SearchedQuestion
from overstory.retrieve.sections import FoundSection, nearest_passages
from overstory.text.questions.asked_words import AskedWords

_HYBRID_CANDIDATES = 50
"""Minimum number of passages to find by meaning, and of sections to find by words."""

_HYBRID_WORDS_WEIGHT = 0.3
"""Weight of BM25, which is first divided by the highest BM25. Cosines have weight 1. This value is for the default
embedder, and is scaled for other embedders."""


class HybridRetriever(PassageRetriever):
    """Ranks chunks by cosine, blended from passage and section, plus the weighted BM25 of the section."""

    name = "hybrid"

    def found(self, passages: Passages, asked: SearchedQuestion) -> Evidence:
        depth = max(_HYBRID_CANDIDATES, asked.k)
        vector = asked.vector
        sections = passages.sections(asked.read.text, depth)  # the question is embedded at the same time
        near = passages.near(vector.result(), depth)
        hits = self._ranked(passages, asked, sections, near.cosines)
        notes = (*asked.read.notes, *passages.notes, *near.notes)
        return Evidence(asked.question, self.name, passages.counted(hits), notes=notes)

    def _ranked(
        self,
        passages: Passages,
        asked: SearchedQuestion,
        sections: Sequence[FoundSection],
        near: Mapping[str, float],
    ) -> tuple[Hit, ...]:
        """Return the best of the chunks that were found by words or by meaning.

        Args:
            near: map from chunk id to cosine, for the chunks found by meaning.
        """
        ids = list(dict.fromkeys([*near, *(id_ for section in sections for id_ in section.chunks)]))
        cosines = dict(zip(ids, (passages.vectors(ids) @ asked.vector.result()).tolist(), strict=True))
        words = {id_: section.words for section in sections for id_ in section.chunks}
        most = max(words.values(), default=0.0) or 1.0
        weight = _HYBRID_WORDS_WEIGHT * cosine_spread(self._context.embedder)
        candidates = dict.fromkeys([*near, *(id_ for id_, _ in nearest_passages(sections, cosines))])
        scores = {id_: cosines[id_] + weight * words.get(id_, 0.0) / most for id_ in candidates}
        best = best_of(scores, asked.k)
        rows = passages.rows(best)
        asked_words = AskedWords.of(asked.read.text)

        def reasons(id_: str) -> list[Reason]:
            likeness = Reason("dense", cosines[id_], f"cosine {cosines[id_]:.3f} of passage and section", NEAREST)
            if id_ not in words:
                return [likeness]
            has = has_words(asked_words, rows[id_])
            detail = f"{has} (BM25 of its section {words[id_]:.3f})"
            return [likeness, Reason("lexical", weight * words[id_] / most, detail, has)]

        return ranked_hits(rows, {id_: scores[id_] for id_ in best}, reasons)
