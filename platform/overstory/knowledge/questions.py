"""Searching one corpus, and answering questions from it."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace

from overstory.answer import Answer, Context, Extract, extract
from overstory.errors import FilterError, MetadataNotFound
from overstory.filters import Expression, Where
from overstory.filters.expression import asks_passages, of_documents, without_disabled
from overstory.graph import Corpus, Transaction
from overstory.knowledge.connection import CorpusPart
from overstory.knowledge.passage_questions import Learning, PassageQuestions, SearchOptions
from overstory.llm import Chat
from overstory.model import Evidence, HitStatement, TablePart
from overstory.protocols import Extractor, Reranker, Retriever
from overstory.retrieve import RetrievalContext
from overstory.retrieve.among import Among
from overstory.retrieve.asked_edges import with_asked_edges
from overstory.retrieve.asked_tables import with_asked_rows
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
    global_questions,
    installed_systems,
    learn_from,
)
from overstory.systems.settings import SettingsClass
from overstory.systems.support import SupportFilter
from overstory.text.questions.whole_corpus import asks_about_whole_corpus


class CorpusQuestions(CorpusPart, PassageQuestions):
    """Methods that search one corpus or a restricted view of it, and that answer questions from it."""

    @property
    def extractor(self) -> Extractor:
        return self.connection.extractor

    @property
    def reranker(self) -> Reranker:
        return self.connection.reranker

    def chat(self) -> Chat | None:
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
        """Return the best `k` chunks for a question, with the reasons for each.

        If fewer than `k` chunks are found, a note states that. Passages with the same text are returned as one hit,
        which lists the other passages in `Hit.repeats`.

        Args:
            k: number of hits, 1 to 1,000.
            retriever: name of a built-in retriever, like "dense" or "lexical", or of a retriever that you registered.
            rerank: reorder the top passages with a reranker. Its scores become the scores of the hits. The setting
                `Settings.rerank.passages` is the number of passages to reorder.
            decompose: let the language model split the question into simpler ones, and search for them, too.
            hypothetical: let the language model write a hypothetical answer, and search for it, too (HyDE).
            where: metadata filter: a text such as `"author = 'Ada'"`, an expression from `overstory.filters`, or a
                mapping. All evidence comes from matching documents. A report is included only if all of its passages
                match.
            enrich: your own Cypher statement, which is run in a read-only transaction. Its parameter `$ids` contains
                the chunk ids of the hits. It must return one row per hit, with the chunk id in the column `id`; the
                other columns become `Hit.extra`. To pass further parameters, use a `HitStatement`.

        Raises:
            QuestionError: the question is empty, or `k` is out of range.
            FilterError: `where` cannot be parsed.
            StatementRefused: `enrich` cannot be run, tries to write, or returns a row without the id of a hit.
            MetadataNotFound: no document has one of the keys in `where`.
            CorpusNotFound: the corpus does not exist.
            IndexMissing: the retriever needs an index that was not built for the corpus.
            EmbedderMismatch: the vectors of the corpus come from another embedder.
            DatabaseError: the database cannot be read.
            SettingsError: the retriever does not exist.
            ModelError: `rerank` is set, and the reranker is missing or failed.
            LlmError, ExtraMissing: `decompose` or `hypothetical` is set, and the language model is missing or failed.
                If its response is merely unusable, no error is raised, but a note is added.
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
        """Return a retriever for this corpus. Each retriever is created once and then reused.

        Unlike `search`, a retriever may return several hits with the same text. If several chunks have the same text
        and title, searching by meaning finds only one of them.

        Args:
            name: name of a retriever, with options after a colon ("NAME:option=value"), or the settings object of a
                system's retriever.
            repeats: True to add, after each hit, all other chunks with the same text and title. They get the same
                score, and are returned even if there are then more than `k` hits.
            rerank, decompose, hypothetical, where: as for `search`.

        Raises:
            SettingsError: the retriever or one of its options does not exist.
            ModelError: `rerank` is set, and there is no reranker.
            LlmError, ExtraMissing: `decompose` or `hypothetical` is set, and there is no language model.
        """
        options = SearchOptions.of(name, where, rerank=rerank, decompose=decompose, hypothetical=hypothetical)
        made = self.made(options)
        if not repeats:
            return made
        sharing = functools.partial(self._sharing, where=self.within(options.where))
        return WithRepeats(made, self.connection.retrieval_context(), sharing=sharing)

    def member(self, title: str, name: str | SettingsClass, where: Expression | None) -> AskedCorpus:
        """Return this corpus as a member of a search over several corpora; hits show `title` as its name."""
        context, plain = self.connection.made_retriever(name)
        filtered = _enabled(plain, context, self.within(where))
        return AskedCorpus(title, context, plain, filtered.documents, filtered)

    def filtering(self, name: str | SettingsClass, where: Expression | None) -> Retriever:
        context, plain = self.connection.made_retriever(name)
        return _enabled(plain, context, self.within(where))

    def on_all(self, question: str, k: int, retriever: str | SettingsClass) -> Evidence | None:
        systems = installed_systems()
        if self.fixed is not None:  # reports may be based on documents that the user may not see
            return None
        if not asks_about_whole_corpus(question):
            return None
        self.retriever(retriever)  # raises an error if the retriever is invalid
        corpus = asked_corpus(self.graph, self.corpus_name)
        if corpus.disabled:  # reports may be based on disabled documents
            return None
        context = self.connection.retrieval_context()
        if global_questions.answers_itself(systems, retriever):
            return global_questions.described(context, self.search(question, k, retriever=retriever))
        better = global_questions.retriever_for_all(systems, corpus)
        if not better:
            return global_questions.overview(systems, context, question)
        found = global_questions.described(context, self.search(question, k, retriever=better))
        note = f"The question is about all documents, so reports of the retriever {better} answer it."
        return replace(found, notes=(note, *found.notes))

    def with_parts(self, evidence: Evidence, where: Expression | None) -> Evidence:
        seen = self.within(where)

        def ask(tx: Transaction) -> Evidence:
            corpus = asked_corpus(self.graph, self.corpus_name, tx)
            found = evidence
            if seen is None or not asks_passages(seen):
                documents = without_disabled(seen) if corpus.hides_documents else seen
                among = None if documents is None else self.connection.filters.of(tx, corpus, documents).documents
                found = with_asked_rows(tx, corpus, evidence, among)
            # Edges may come from documents that the user may not see, or that do not match the filter.
            is_whole = seen is None and not corpus.hides_documents
            has_rows = any(isinstance(part, TablePart) for part in found.parts)
            return with_asked_edges(tx, corpus, found) if is_whole and not has_rows else found

        return self.graph.reading("retrieve/edges", ask)

    @one_question()
    def nearest_names(self, names: Sequence[str], where: Expression | None) -> dict[str, tuple[str, ...]]:
        documents = None if where is None else of_documents(where)
        try:
            return nearest_names(self.graph, self.corpus_name, names, among=self.among_enabled(documents))
        except MetadataNotFound:  # in a search over several corpora, only some may contain the metadata key
            return dict.fromkeys(names, ())

    def learning(self, retriever: str | SettingsClass) -> Learning:
        if self.fixed is not None:
            raise FilterError(
                "Answers from a restricted part of a corpus cannot be remembered, because other users would get them.",
                remedy="Ask without remember.",
            )
        learner = find_learner(retriever)

        def learn(found: Answer, evidence: Evidence, chat: Chat | None) -> Answer:
            if isinstance(learner, Remembers) and learner not in self.connection.learners:
                self.connection.learners.append(learner)
            return learn_from(learner, found, evidence, lambda: self._learning_run(chat))

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
        # The result is None if every document may be used.
        seen = without_disabled(where) if corpus.hides_documents else where
        documents = None if seen is None else of_documents(seen)
        return (
            None if documents is None else Among(tx, corpus, self.connection.filters.of(tx, corpus, documents)).sharing
        )

    def extract(self, question: str, context: Context, least: float) -> Extract:
        return extract(question, context, self.connection.made_reader(), least=least)


def _enabled(plain: Retriever, context: RetrievalContext, where: Expression | None) -> EnabledRetriever:
    return EnabledRetriever(plain, where, context, standing=lambda among, parts: SupportFilter(among).parts(parts))
