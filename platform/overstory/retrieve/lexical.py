"""Lexical retrieval: BM25 over sections, titles and headings, with Neo4j's full-text index."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from overstory.graph.client import Row
from overstory.model import Evidence, Reason
from overstory.retrieve.hits import best_of, has_words, ranked_hits
from overstory.retrieve.passages import PassageRetriever, Passages, SearchedQuestion
from overstory.retrieve.sections import FoundSection
from overstory.text.questions.asked_words import AskedWords

LEAST_LEXICAL_DEPTH, LEXICAL_OVERSAMPLING = 200, 20
"""Passages whose own words are scored: at least 200, and 20 for each hit wanted."""

NO_WORD_FOUND = "no passage shares a word with the question"


class LexicalRetriever(PassageRetriever):
    """Ranks chunks by BM25 with the stemmed words of the question, without words that are typical of questions."""

    name = "lexical"
    by_meaning = False

    def found(self, passages: Passages, asked: SearchedQuestion) -> Evidence:
        """Return the `k` best chunks, or fewer if fewer share a word with the question."""
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
    """Return chunk scores: the section's BM25 for its best chunk, less for the others by their own BM25."""
    scores: dict[str, float] = {}
    for section in sections:
        most = max(own.get(chunk, 0.0) for chunk in section.chunks)
        scores |= {chunk: section.words * (1 + own.get(chunk, 0.0)) / (1 + most) for chunk in section.chunks}
    return scores


def _by_words(row: Row, score: float, words: AskedWords) -> Reason:
    return Reason("lexical", score, "BM25 of the section", has_words(words, row))
