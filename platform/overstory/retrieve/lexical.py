"""Lexical retrieval, which ranks by BM25 over sections, titles and headings, with Neo4j's full-text index."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from overstory.graph.client import Row
from overstory.model import Evidence, Reason
from overstory.retrieve.hits import best_of, has_words, ranked_hits
from overstory.retrieve.passages import PassageRetriever, Passages, SearchedQuestion
from overstory.retrieve.sections import FoundSection
from overstory.text.questions.asked_words import AskedWords

LEAST_LEXICAL_DEPTH, LEXICAL_OVERSAMPLING = 200, 20
"""The BM25 of single passages is read for 20 passages per requested hit, and for at least 200."""

NO_WORD_FOUND = "no passage shares a word with the question"


class LexicalRetriever(PassageRetriever):
    """Ranks chunks by BM25, using the stems of the question's words. Words typical of questions are ignored."""

    name = "lexical"
    by_meaning = False

    def found(self, passages: Passages, asked: SearchedQuestion) -> Evidence:
        text, k = asked.read.text, asked.k
        sections = passages.sections(text, k)
        divided = frozenset(chunk for section in sections if len(section.chunks) > 1 for chunk in section.chunks)
        own = passages.words(text, max(LEAST_LEXICAL_DEPTH, LEXICAL_OVERSAMPLING * k), divided)
        scores = _scores(sections, own)
        best = {id_: scores[id_] for id_ in best_of(scores, k)}
        rows = passages.rows(best)
        words = AskedWords.of(text)
        hits = passages.counted(ranked_hits(rows, best, lambda id_: [_by_words(rows[id_], best[id_], words)]))
        notes = (*asked.read.notes, *passages.notes)
        return Evidence(asked.question, self.name, hits, notes=notes if hits else (*notes, NO_WORD_FOUND))


def _scores(sections: Iterable[FoundSection], own: Mapping[str, float]) -> dict[str, float]:
    """Return a map from chunk id to score.

    The best chunk of a section gets the section's BM25. The other chunks get less, depending on their own BM25.

    Args:
        own: map from chunk id to the BM25 of the chunk itself.
    """
    scores: dict[str, float] = {}
    for section in sections:
        most = max(own.get(chunk, 0.0) for chunk in section.chunks)
        scores |= {chunk: section.words * (1 + own.get(chunk, 0.0)) / (1 + most) for chunk in section.chunks}
    return scores


def _by_words(row: Row, score: float, words: AskedWords) -> Reason:
    return Reason("lexical", score, "BM25 of the section", has_words(words, row))
