"""Retrieval by words: BM25 over sections and their titles and headings, in Neo4j's full-text index."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from overstory.filters import Expression
from overstory.graph import Transaction
from overstory.graph.client import Row
from overstory.graph.schema import text_index, word_index
from overstory.model import Evidence, Reason
from overstory.retrieve.among import Among
from overstory.retrieve.context import RetrievalContext
from overstory.retrieve.hits import chunk_rows, hit, ranked_hits
from overstory.retrieve.question import read_question
from overstory.retrieve.ranking import best_of
from overstory.retrieve.sections import FoundSection, check_sections, chunk_query, section_query
from overstory.retrieve.wording import has_words
from overstory.text.questions.asked_words import AskedWords

LEAST_LEXICAL_DEPTH, LEXICAL_OVERSAMPLING = 200, 20
"""Passages whose own words are compared: the least number, and how many for each that is wanted."""

NO_WORD_FOUND = "no passage shares a word with the question"


class LexicalRetriever:
    """Words of the question, stemmed, without those that questions consist of, any of them; rare ones weigh more."""

    name = "lexical"
    scores_compare = True  # as far as the corpora use words alike

    def __init__(self, context: RetrievalContext) -> None:
        self._context = context

    def retrieve(self, question: str, k: int) -> Evidence:
        """The `k` best chunks; fewer where fewer share a word with the question."""
        asked = read_question(question)
        corpus = check_sections(self._context.corpus())
        query = section_query(asked.text, corpus.languages)
        rows = (
            self._context.graph.run(
                "retrieve/lexical",
                corpus.label,
                read=True,
                word_index=word_index(corpus.index_set),
                query=query,
                text_index=text_index(corpus.index_set),
                words=chunk_query(asked.text, corpus.languages),
                depth=max(LEAST_LEXICAL_DEPTH, LEXICAL_OVERSAMPLING * k),
                limit=k,
            )
            if query
            else []
        )
        words = AskedWords.of(asked.text)
        hits = tuple(hit(row, (_by_words(row, words),)) for row in rows)
        notes = asked.notes if hits else (*asked.notes, NO_WORD_FOUND)
        return Evidence(question=question, retriever=self.name, hits=hits, notes=notes)

    def retrieve_among(self, question: str, k: int, where: Expression) -> Evidence:
        """The `k` best chunks of the documents that a filter lets through."""
        asked = read_question(question)
        words = AskedWords.of(asked.text)
        depth = max(LEAST_LEXICAL_DEPTH, LEXICAL_OVERSAMPLING * k)

        def query(tx: Transaction) -> Evidence:
            corpus = check_sections(self._context.corpus(tx))
            among = Among(tx, corpus, self._context.filters.of(tx, corpus, where))
            sections = among.sections(section_query(asked.text, corpus.languages), k)
            divided = {chunk for section in sections if len(section.chunks) > 1 for chunk in section.chunks}
            worded = among.chunks(chunk_query(asked.text, corpus.languages), depth, divided) if divided else []
            own = {each.chunk: each.words for each in worded}
            scores = _scores(sections, own)
            best = {id_: scores[id_] for id_ in best_of(scores, k)}
            rows = chunk_rows(tx, corpus, best)
            reasons = {id_: (_by_words(row | {"score": best[id_]}, words),) for id_, row in rows.items()}
            hits = among.counted(ranked_hits(rows, best, lambda id_: reasons[id_]))
            found = hits or not among.matching.documents
            notes = among.notes if found else (*among.notes, NO_WORD_FOUND)
            return Evidence(question, self.name, hits, notes=(*asked.notes, *notes))

        return self._context.graph.reading("retrieve/lexical", query)


def _scores(sections: Iterable[FoundSection], own: Mapping[str, float]) -> dict[str, float]:
    """The score of its section for the best chunk of each, for the others less in proportion to their own BM25; as
    `retrieve/lexical` has it. That of a chunk which is all of its section plays no part."""
    scores: dict[str, float] = {}
    for section in sections:
        most = max(own.get(chunk, 0.0) for chunk in section.chunks)
        scores |= {chunk: section.words * (1 + own.get(chunk, 0.0)) / (1 + most) for chunk in section.chunks}
    return scores


def _by_words(row: Row, words: AskedWords) -> Reason:
    return Reason("lexical", row["score"], "words of the question in its section (BM25)", has_words(words, row))
