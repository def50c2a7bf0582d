"""Retrieval by words: BM25 over sections and their titles and headings, in Neo4j's full-text index."""

from __future__ import annotations

from overstory.graph.client import Row
from overstory.model import Evidence, Reason
from overstory.retrieve.context import RetrievalContext, text_index_name
from overstory.retrieve.hits import hit
from overstory.retrieve.question import read_question
from overstory.retrieve.sections import check_sections, chunk_query, section_query, word_index_name
from overstory.retrieve.wording import has_words
from overstory.text.questions.asked_words import AskedWords

LEAST_LEXICAL_DEPTH, LEXICAL_OVERSAMPLING = 200, 20
"""Passages whose own words are compared: the least number, and how many for each that is wanted."""


class LexicalRetriever:
    """Words of the question, stemmed, without those that questions consist of, any of them; rare ones weigh more."""

    name = "lexical"

    def __init__(self, context: RetrievalContext) -> None:
        self._context = context

    def retrieve(self, question: str, k: int) -> Evidence:
        """The `k` best chunks; fewer where fewer share a word with the question."""
        asked = read_question(question)
        corpus = check_sections(self._context.corpus())
        query = section_query(asked.text)
        rows = (
            self._context.graph.run(
                "retrieve/lexical",
                corpus.label,
                read=True,
                word_index=word_index_name(corpus.label),
                query=query,
                text_index=text_index_name(corpus.label),
                words=chunk_query(asked.text),
                depth=max(LEAST_LEXICAL_DEPTH, LEXICAL_OVERSAMPLING * k),
                limit=k,
            )
            if query
            else []
        )
        words = AskedWords.of(asked.text)
        hits = tuple(hit(row, (_by_words(row, words),)) for row in rows)
        notes = asked.notes if hits else (*asked.notes, "no passage shares a word with the question")
        return Evidence(question=question, retriever=self.name, hits=hits, notes=notes)


def _by_words(row: Row, words: AskedWords) -> Reason:
    return Reason("lexical", row["score"], "words of the question in its section (BM25)", has_words(words, row))
