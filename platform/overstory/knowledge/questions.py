"""Questions to one corpus."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace

from overstory.answer import Answer, Context, Extract, extract
from overstory.errors import FilterError, MetadataNotFound
from overstory.filters import Expression, Where
from overstory.filters.expression import of_documents, without_disabled
from overstory.graph import Corpus, Transaction
from overstory.knowledge.connection import CorpusPart
from overstory.knowledge.passage_questions import Learning, PassageQuestions, SearchOptions
from overstory.llm import Chat
from overstory.model import Evidence, HitStatement
from overstory.protocols import Extractor, Reranker, Retriever
from overstory.retrieve import RetrievalContext
from overstory.retrieve.among import Among
from overstory.retrieve.asked_edges import with_asked_edges
from overstory.retrieve.context import asked_corpus, one_question
from overstory.retrieve.entity_facts import nearest_names
from overstory.retrieve.extra_columns import with_extra_columns
from overstory.retrieve.filter_retrievers import EnabledRetriever
from overstory.retrieve.repeats import Group, Repeats, Sharing, WithRepeats, read_repeats
from overstory.retrieve.several_corpora import AskedCorpus
from overstory.settings import DEFAULT_RETRIEVER
from overstory.systems import (
    LearningRun,
    Remembers,
    find_learner,
    installed_systems,
    on_all,
    remembered,
)
from overstory.systems.settings import SettingsClass
from overstory.systems.standing import Standing
from overstory.text.questions.whole_corpus import asks_about_whole_corpus


class CorpusQuestions(CorpusPart, PassageQuestions):
    """Questions to one corpus, or to the part of it that a filter leaves."""

    @property
    def extractor(self) -> Extractor:
        """The extractor of the corpus."""
        return self.connection.extractor

    @property
    def reranker(self) -> Reranker:
        return self.connection.reranker

    def chat(self) -> Chat | None:
        """The language model, None where there is none."""
        return self.connection.chat()

    def search(
        self,
        question: str,
        k: int = 5,
        *,
        retriever: str | SettingsClass = DEFAULT_RETRIEVER,
        rerank: bool = False,
        decompose: bool = False,
        hypothetical: bool = False,
        where: Where | None = None,
        enrich: str | HitStatement | None = None,
    ) -> Evidence:
        """The best `k` chunks for a question, with the reasons for each; fewer where there are fewer, which a
        note says.

        Passages with the same text are one hit, which says how many others there are, and where (`Hit.repeats`).

        Args:
            k: 1 to 1,000.
            retriever: its name, like "dense" or "lexical"; one of your own too.
            rerank: order its first passages (`Settings.rerank.passages`) by a reranker; scores are then its own.
            decompose: also search for the simpler questions that the language model makes of the question.
            hypothetical: also search for a passage that the language model writes as an answer.
            where: a filter on the metadata of documents, as text (`"author = 'Ada'"`), as an expression of
                `overstory.filters`, or as a mapping: all of the evidence stands on documents that fulfil it, and of
                systems' reports and the like there are those all of whose passages do.
            enrich: Cypher of your own that is run on the hits, in a transaction that only reads, with the ids of their
                chunks as `$ids`. What it returns beside `id`, a row for a hit, is its `Hit.extra`. Values go into
                the parameters of a `HitStatement`.

        Raises:
            QuestionError: the question is empty, or `k` out of bounds.
            FilterError: `where` cannot be read.
            StatementRefused: `enrich` cannot be run, writes, or returns rows that are not those of hits.
            MetadataNotFound: no document has a key that `where` asks for.
            CorpusNotFound: there is no such corpus.
            IndexMissing: it lacks an index that the retriever needs.
            EmbedderMismatch: its vectors are another embedder's.
            DatabaseError: it cannot be read.
            SettingsError: there is no such retriever.
            ModelError: `rerank`, and there is no reranker, or it failed.
            LlmError, ExtraMissing: `decompose` or `hypothetical`, and there is no language model, or it failed. An
                answer that cannot be used is no error but a note.
        """
        statement = HitStatement(enrich) if isinstance(enrich, str) else enrich
        options = SearchOptions.of(retriever, where, rerank=rerank, decompose=decompose, hypothetical=hypothetical)
        found = self.found(question, k, options)
        return found if statement is None else with_extra_columns(self.graph, found, statement)

    @one_question()
    def retriever(
        self,
        name: str | SettingsClass = DEFAULT_RETRIEVER,
        *,
        repeats: bool = False,
        rerank: bool = False,
        decompose: bool = False,
        hypothetical: bool = False,
        where: Where | None = None,
    ) -> Retriever:
        """A retriever over this corpus, made once.

        Its hits may have the same text, where `search` gives one; of chunks with the same text and title it finds one
        by meaning.

        Args:
            name: with options after a colon ("NAME:option=value"), or the settings object of a system's retriever.
            repeats: let all chunks with the text and title of a hit follow it, with its score, even if they are then
                more than were asked for.
            rerank, decompose, hypothetical, where: as for `search`.

        Raises:
            SettingsError: there is no such retriever, or it has no such option.
            ModelError: `rerank`, and there is no reranker.
            LlmError, ExtraMissing: `decompose` or `hypothetical`, and there is no language model.
        """
        options = SearchOptions.of(name, where, rerank=rerank, decompose=decompose, hypothetical=hypothetical)
        made = self.made(options)
        if not repeats:
            return made
        sharing = functools.partial(self._sharing, where=self.within(options.where))
        return WithRepeats(made, self.connection.retrieval_context(), sharing=sharing)

    def member(self, title: str, name: str | SettingsClass, where: Expression | None) -> AskedCorpus:
        """Return this corpus as one of several that are asked together."""
        context, plain = self.connection.made_retriever(name)
        filtered = _enabled(plain, context, self.within(where))
        return AskedCorpus(title, context, plain, filtered.documents, filtered)

    def filtering(self, name: str | SettingsClass, where: Expression | None) -> Retriever:
        context, plain = self.connection.made_retriever(name)
        return _enabled(plain, context, self.within(where))

    def on_all(self, question: str, k: int, retriever: str | SettingsClass) -> Evidence | None:
        systems = installed_systems()
        if self.fixed is not None:  # reports may stand on any document
            return None
        if not asks_about_whole_corpus(question) or on_all.answers_itself(systems, retriever):
            return None
        self.retriever(retriever)  # one that is wrong is said to be so
        corpus = asked_corpus(self.graph, self.corpus_name)
        if corpus.disabled:  # reports may stand on any document
            return None
        better = on_all.retriever_for_all(systems, corpus)
        if not better:
            return on_all.overview(systems, self.connection.retrieval_context(), question)
        found = self.search(question, k, retriever=better)
        said = f"This asks about all documents: it is answered by the reports of the retriever {better}."
        return replace(found, notes=(said, *found.notes))

    def with_edges(self, evidence: Evidence) -> Evidence:
        if self.fixed is not None:  # edges may be stated by any document
            return evidence

        def ask(tx: Transaction) -> Evidence:
            corpus = asked_corpus(self.graph, self.corpus_name, tx)
            return evidence if corpus.hides_documents else with_asked_edges(tx, corpus, evidence)

        return self.graph.reading("retrieve/edges", ask)

    @one_question()
    def nearest_names(self, names: Sequence[str], where: Expression | None) -> dict[str, tuple[str, ...]]:
        documents = None if where is None else of_documents(where)
        try:
            return nearest_names(self.graph, self.corpus_name, names, among=self.among_enabled(documents))
        except MetadataNotFound:  # of several corpora, one may have no document that the filter lets through
            return dict.fromkeys(names, ())

    def learning(self, retriever: str | SettingsClass) -> Learning:
        if self.fixed is not None:
            raise FilterError(
                "An answer from a part of a corpus is not remembered: it would be recalled for others.",
                remedy="Ask without remember.",
            )
        learner = find_learner(retriever)

        def learn(found: Answer, evidence: Evidence, chat: Chat | None) -> Answer:
            if isinstance(learner, Remembers) and learner not in self.connection.learners:
                self.connection.learners.append(learner)
            return remembered(learner, found, evidence, lambda: self._learning_run(chat))

        return learn

    def _learning_run(self, chat: Chat | None) -> LearningRun:
        corpus = self.read()
        self.connection.use_embedder_of(corpus)
        return LearningRun(self.graph, corpus, self.connection.embedder, chat)

    def read_repeats(self, groups: Sequence[Group], where: Expression | None) -> Repeats:
        def read(tx: Transaction) -> Repeats:
            corpus = asked_corpus(self.graph, self.corpus_name, tx)
            return read_repeats(tx, corpus, groups, self._sharing(tx, corpus, where=self.within(where)))

        return self.graph.reading("retrieve/repeats", read)

    def _sharing(self, tx: Transaction, corpus: Corpus, *, where: Expression | None) -> Sharing | None:
        # None if all documents are let through
        seen = without_disabled(where) if corpus.hides_documents else where
        documents = None if seen is None else of_documents(seen)
        return (
            None if documents is None else Among(tx, corpus, self.connection.filters.of(tx, corpus, documents)).sharing
        )

    def extract(self, question: str, context: Context, least: float) -> Extract:
        return extract(question, context, self.connection.made_reader(), least=least)


def _enabled(plain: Retriever, context: RetrievalContext, where: Expression | None) -> EnabledRetriever:
    return EnabledRetriever(plain, where, context, standing=lambda among, parts: Standing(among).parts(parts))
