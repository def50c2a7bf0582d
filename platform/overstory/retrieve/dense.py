"""Retrieval by meaning: the chunks whose vectors are nearest to the question's."""

from __future__ import annotations

from concurrent.futures import Future
from typing import cast

from overstory.filters import Expression
from overstory.graph import Corpus, Transaction
from overstory.model import Evidence
from overstory.protocols import Vectors
from overstory.retrieve.among import Among
from overstory.retrieve.context import RetrievalContext, query_current_corpus
from overstory.retrieve.hits import hit, hits_by_cosine, near
from overstory.retrieve.joined_corpora import AskedCorpus, JoinedCorpora
from overstory.retrieve.joined_passages import JoinedPassages
from overstory.retrieve.passages import CorpusPassages, Passages
from overstory.retrieve.question import Question, read_question
from overstory.retrieve.vector_search import depth_for, vector_search


class DenseRetriever:
    """Cosine similarity of the question's vector; exact while a corpus is small, by its own vector index when large."""

    name = "dense"

    def __init__(self, context: RetrievalContext) -> None:
        self._context = context

    def retrieve(self, question: str, k: int) -> Evidence:
        """The `k` nearest chunks with distinct texts."""
        asked = read_question(question)
        vector = self._context.embedding(asked.text)  # while the corpus is looked up

        def query(tx: Transaction, corpus: Corpus) -> Evidence:
            depth = depth_for(k)
            found = vector_search(tx, corpus, "retrieve/dense", vector.result(), vector_depth=depth, limit=k)
            (row,) = found.rows
            hits = tuple(hit(chunk, (near(chunk["score"]),)) for chunk in row["chunks"])
            return Evidence(question, self.name, hits, notes=(*asked.notes, *found.notes))

        return query_current_corpus(self._context, "retrieve/dense", query)

    def retrieve_among(self, question: str, k: int, where: Expression) -> Evidence:
        """The `k` nearest chunks of the documents that a filter lets through."""
        asked = read_question(question)
        vector = self._context.embedding(asked.text)

        def query(tx: Transaction, corpus: Corpus) -> Evidence:
            return self._found(self.passages(tx, corpus, where), question, asked, vector, k)

        return query_current_corpus(self._context, "retrieve/dense", query)

    def retrieve_joined(self, question: str, k: int, corpora: JoinedCorpora) -> Evidence:
        """The `k` nearest chunks of several corpora."""

        def opened(member: AskedCorpus, tx: Transaction, corpus: Corpus) -> CorpusPassages:
            return cast("DenseRetriever", member.plain).passages(tx, corpus, member.where)

        asked = read_question(question)
        joined = JoinedPassages(corpora.opened("retrieve/dense", opened))
        return self._found(joined, question, asked, self._context.embedding(asked.text), k)

    def passages(self, tx: Transaction, corpus: Corpus, where: Expression | None) -> CorpusPassages:
        """Those of a corpus, or of the documents that a filter lets through."""
        among = None if where is None else Among(tx, corpus, self._context.filters.of(tx, corpus, where))
        return CorpusPassages(tx, corpus, among)

    def _found(self, passages: Passages, question: str, asked: Question, vector: Future[Vectors], k: int) -> Evidence:
        found = passages.near(vector.result(), k)
        hits = passages.counted(hits_by_cosine(passages.rows(found.cosines), found.cosines))
        return Evidence(question, self.name, hits, notes=(*asked.notes, *passages.notes, *found.notes))
