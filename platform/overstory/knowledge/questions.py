"""Questions to the corpus: passages, answers, paths between names, communities and their reports."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TypedDict

from overstory.answer import Answer, AnswerReader, Context, Extract, extract
from overstory.errors import CorpusNotFound, MetadataNotFound, QuestionError
from overstory.filters import Expression, Where, read_filter
from overstory.filters.expression import Restricted, of_documents, without_disabled
from overstory.graph import Corpus, Transaction, read_corpus
from overstory.knowledge.connection import CorpusConnection
from overstory.knowledge.corpus_part import CorpusPart
from overstory.knowledge.passage_questions import Learning, PassageQuestions
from overstory.llm import Chat
from overstory.model import Evidence, HitStatement
from overstory.model.communities import CommunityReports, CommunityTree, FullReport, ListedTree
from overstory.model.entity_paths import EntityPaths
from overstory.protocols import Embedder, Retriever
from overstory.retrieve import RetrievalContext
from overstory.retrieve.among import Among
from overstory.retrieve.asked_edges import with_asked_edges
from overstory.retrieve.context import asked_corpus, one_question
from overstory.retrieve.enriched import enriched
from overstory.retrieve.entity_paths import find_paths
from overstory.retrieve.filtered import Enabled
from overstory.retrieve.joined import AskedCorpus
from overstory.retrieve.name_facts import nearest_names
from overstory.retrieve.repeats import Group, Repeats, Sharing, WithRepeats, read_repeats
from overstory.settings import DEFAULT_RETRIEVER
from overstory.systems import (
    CorpusMemory,
    LearningRun,
    Remembers,
    check_retriever,
    find_learner,
    installed_systems,
    make_retriever,
    on_all,
    remembered,
)
from overstory.systems.settings import SettingsClass
from overstory.systems.standing import Standing
from overstory.systems.tree.finding import listed_trees
from overstory.systems.tree.report_view import view_report, view_reports
from overstory.systems.tree.view import view_tree
from overstory.text.questions.whole_corpus import asks_about_whole_corpus

MOST_PATHS_FOUND = 100
MOST_STEPS_OF_A_PATH = 6


class TreeOptions(TypedDict, total=False):
    """Options of `Knowledge.tree`."""

    depth: int
    limit: int
    first: int
    sentences: bool
    tree: str
    where: Where | None


class Questions(CorpusConnection, PassageQuestions):
    """Questions to the corpus: passages, answers, paths between names, communities and their reports."""

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
        found = super().search(
            question,
            k,
            retriever=retriever,
            rerank=rerank,
            decompose=decompose,
            hypothetical=hypothetical,
            where=where,
        )
        return found if statement is None else enriched(self.graph, found, statement)

    @one_question()
    def paths(self, start: str, end: str, k: int = 3, *, steps: int = 4, where: Where | None = None) -> EntityPaths:
        """How two names are connected: the shortest path and the best others, with the sentences that state each step.

        A step goes from a name to one that a fact ties to it, that a link leads to or from, or that a passage mentions
        with it. The best paths are short, and go through names that few passages mention. Finding none is no error.

        Args:
            start, end: as texts write them; case, accents and punctuation do not matter.
            k: how many paths, 1 to 100; no two go through the same names.
            steps: the most that a path may have, 1 to 6.
            where: a filter on the metadata of documents, as of `search`: passages, facts and links of others are not
                gone through, and a name that only they mention is unknown. `MOST_PASSAGES_OF_A_NAME` and costs are
                those of the whole corpus.

        Raises:
            QuestionError: a name is empty, both are the same, or `k` or `steps` is out of bounds.
            NameNotFound: no passage mentions one of them, or both; `unknown` has the most similar names of each.
            FilterError, MetadataNotFound: `where` cannot be read, or asks for a key that no document has.
            IndexMissing: the corpus has no names yet.
            CorpusNotFound, DatabaseError: the corpus is not there, or cannot be read.
        """
        if not 1 <= k <= MOST_PATHS_FOUND:
            raise QuestionError(f"k is {k}.", remedy=f"Ask for 1 to {MOST_PATHS_FOUND} paths.")
        if not 1 <= steps <= MOST_STEPS_OF_A_PATH:
            raise QuestionError(f"steps is {steps}.", remedy=f"Allow 1 to {MOST_STEPS_OF_A_PATH} steps.")
        among = self._among_enabled(where)
        return find_paths(self.graph, self.corpus_name, start, end, k=k, steps=steps, among=among)

    @one_question()
    def tree(
        self,
        node: str | None = None,
        *,
        depth: int = 1,
        limit: int = 20,
        first: int = 0,
        sentences: bool = True,
        tree: str = "",
        where: Where | None = None,
    ) -> CommunityTree:
        """The communities of a tree that a system's index has: how large each is, what it is about, what it keeps
        together.

        Args:
            node: the id of a community, or a unique prefix of it; the whole tree if left out.
            depth: levels below it, 1 to 10: communities, and passages, names or documents that are in none of these.
            limit: communities below each, the largest, and passages, names or documents; 1 to 100. No more than 100 of
                either are shown.
            first: communities, and passages, names or documents right below `node` that are left out before the others,
                to go on from a page.
            sentences: whether to look for the sentences that communities are about, which takes most of the time.
            tree: its name; the first that the corpus has if left out.
            where: a filter on the metadata of documents, as of `search`: only communities all of whose passages are
                theirs, and of the tree without a `node` the highest of these. Without figures on the rest of the tree.

        Raises:
            QuestionError: no community has this id, or several begin so; `depth`, `limit` or `first` is out of
                bounds.
            FilterError, MetadataNotFound: `where` cannot be read, or asks for a key that no document has.
            SettingsError: no system has such a tree; the remedy names those there are, and what builds the others.
            IndexMissing: the corpus does not have it, or has no tree; the remedy says what builds it.
            CorpusNotFound, EmbedderMismatch, DatabaseError: the corpus is gone, has vectors of another embedder, or
                cannot be read.
        """
        context = self._retrieval_context()
        among = self._among_enabled(where)
        systems = installed_systems()
        return view_tree(
            systems, context, node, depth=depth, limit=limit, first=first, sentences=sentences, tree=tree, among=among
        )

    def trees(self) -> list[ListedTree]:
        """The trees of the corpus that systems' indexes have, by the names that `tree` takes.

        Raises:
            CorpusNotFound, DatabaseError: the corpus is not there, or cannot be read.
        """
        return listed_trees(installed_systems(), read_corpus(self.graph, self.corpus_name))

    @one_question()
    def reports(
        self, *, level: int | None = None, limit: int = 20, tree: str = "", where: Where | None = None
    ) -> CommunityReports:
        """The reports that a system wrote on the communities of a tree, those of the highest rating first.

        Args:
            level: of the communities, 1 for the coarsest; the coarsest that has a report if left out.
            limit: 1 to 100.
            tree: its name; the first of the corpus with reports if left out.
            where: a filter on the metadata of documents, as of `search`: only reports all of whose passages are theirs.

        Raises:
            FilterError, MetadataNotFound: `where` cannot be read, or asks for a key that no document has.
            QuestionError: `level` or `limit` is out of bounds.
            SettingsError: no system writes reports on such a tree; the remedy names those there are, and what builds
                the others.
            IndexMissing: the corpus does not have it, or has no reports; the remedy says what builds them.
            CorpusNotFound, DatabaseError: the corpus is gone, or cannot be read.
        """
        systems = installed_systems()
        among = self._among_enabled(where)
        return view_reports(systems, self.graph, self.corpus_name, level=level, limit=limit, tree=tree, among=among)

    @one_question()
    def report(self, community: str, *, tree: str = "", where: Where | None = None) -> FullReport:
        """The report on a community, each finding with the passages it stands on, and what is above and below it.

        Args:
            community: its id, or a unique prefix of it, as `reports` and `Knowledge.tree` have them.
            tree, where: as of `reports`; a report that stands on other documents, too, is as unknown as one that is not
                there.

        Raises:
            QuestionError: no community has this id, or several begin so.
            FilterError, MetadataNotFound: as `reports`.
            SettingsError, IndexMissing, CorpusNotFound, DatabaseError: as `reports`.
        """
        among = self._among_enabled(where)
        return view_report(installed_systems(), self.graph, self.corpus_name, community, tree=tree, among=among)

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
        asked = None if where is None else read_filter(where)
        made = super().retriever(name, rerank=rerank, decompose=decompose, hypothetical=hypothetical, where=asked)
        if not repeats:
            return made
        sharing = functools.partial(self._sharing, where=asked)
        return WithRepeats(made, self._retrieval_context(), sharing=sharing)

    def part(self, fixed: Expression | None = None) -> CorpusPart:
        """What `Knowledge.over` asks of this corpus.

        Args:
            fixed: a filter that holds for whatever is asked.
        """

        def within(where: Expression | None) -> Expression | None:
            return where if fixed is None else Restricted(fixed, where)

        def member(title: str, name: str | SettingsClass, where: Expression | None) -> AskedCorpus:
            context, plain = self._made(name)
            filtered = self._enabled(plain, context, within(where))
            return AskedCorpus(title, context, plain, filtered.documents, filtered)

        return CorpusPart(
            connection=self,
            is_restricted=fixed is not None,
            member=member,
            repeats=lambda groups, where: self._read_repeats(groups, where=within(where)),
            on_all=self._on_all,
            with_edges=self._with_edges,
            nearest_names=lambda names, where: self._nearest_names(names, where=within(where)),
            extract=lambda question, context, least: self._extract(question, context, least=least),
        )

    def _filtering(self, name: str | SettingsClass, where: Expression | None) -> Retriever:
        context, plain = self._made(name)
        return self._enabled(plain, context, where)

    def _enabled(self, plain: Retriever, context: RetrievalContext, where: Expression | None) -> Enabled:
        return Enabled(plain, where, context, standing=lambda among, parts: Standing(among).parts(parts))

    def _made(self, name: str | SettingsClass) -> tuple[RetrievalContext, Retriever]:
        """A retriever, made once, with what it was made from."""
        with self._making:
            if name not in self._retrievers:
                check_retriever(name)  # before a server is started for it
            context = self._retrieval_context()  # drops retrievers whose corpus was switched to another embedder
            if name not in self._retrievers:
                self._retrievers[name] = make_retriever(name, context)
            return context, self._retrievers[name]

    @property
    def memory(self) -> CorpusMemory:
        """What systems remember of answers (`ask` with `remember`), to look at, delete and take along."""
        return CorpusMemory(lambda: self.graph, self.corpus_name, self._own_embedder)

    def _on_all(self, question: str, k: int, retriever: str | SettingsClass) -> Evidence | None:
        """The evidence for a question on all documents; None for others, and where the retriever answers it itself."""
        systems = installed_systems()
        if not asks_about_whole_corpus(question) or on_all.answers_itself(systems, retriever):
            return None
        self.retriever(retriever)  # one that is wrong is said to be so
        corpus = asked_corpus(self.graph, self.corpus_name)
        if corpus.disabled:  # reports may stand on any document
            return None
        better = on_all.retriever_for_all(systems, corpus)
        if not better:
            return on_all.overview(systems, self._retrieval_context(), question)
        found = self.search(question, k, retriever=better)
        said = f"This asks about all documents: it is answered by the reports of the retriever {better}."
        return replace(found, notes=(said, *found.notes))

    def _with_edges(self, evidence: Evidence) -> Evidence:
        """The evidence with the edges of a graph that the question asks for, where the corpus has any."""

        def ask(tx: Transaction) -> Evidence:
            corpus = asked_corpus(self.graph, self.corpus_name, tx)
            return evidence if corpus.hides_documents else with_asked_edges(tx, corpus, evidence)

        return self.graph.reading("retrieve/edges", ask)

    @one_question()
    def _nearest_names(self, names: Sequence[str], *, where: Expression | None) -> dict[str, tuple[str, ...]]:
        documents = None if where is None else of_documents(where)
        try:
            return nearest_names(self.graph, self.corpus_name, names, among=self._among_enabled(documents))
        except MetadataNotFound:  # of several corpora, one may have no document that the filter lets through
            return dict.fromkeys(names, ())

    def _use_own_embedder(self) -> None:
        """As `_use_embedder_of`; a corpus that is not there is said to be missing where it is read."""
        with suppress(CorpusNotFound):
            self._use_embedder_of(asked_corpus(self.graph, self.corpus_name))

    def _own_embedder(self) -> Embedder:
        self._use_own_embedder()
        return self.embedder

    def _learning(self, retriever: str | SettingsClass) -> Learning:
        learner = find_learner(retriever)

        def learn(found: Answer, evidence: Evidence, chat: Chat | None) -> Answer:
            if isinstance(learner, Remembers) and learner not in self._learners:
                self._learners.append(learner)
            return remembered(learner, found, evidence, lambda: self._learning_run(chat))

        return learn

    def _learning_run(self, chat: Chat | None) -> LearningRun:
        corpus = read_corpus(self.graph, self.corpus_name)
        self._use_embedder_of(corpus)
        return LearningRun(self.graph, corpus, self.embedder, chat)

    def _read_repeats(self, groups: Sequence[Group], *, where: Expression | None = None) -> Repeats:
        def read(tx: Transaction) -> Repeats:
            corpus = asked_corpus(self.graph, self.corpus_name, tx)
            return read_repeats(tx, corpus, groups, self._sharing(tx, corpus, where=where))

        return self.graph.reading("retrieve/repeats", read)

    def _sharing(self, tx: Transaction, corpus: Corpus, *, where: Expression | None) -> Sharing | None:
        """Which chunks share vectors among the documents that a filter lets through and that are not disabled; None
        where all documents are."""
        seen = without_disabled(where) if corpus.hides_documents else where
        documents = None if seen is None else of_documents(seen)
        return None if documents is None else Among(tx, corpus, self._filters.of(tx, corpus, documents)).sharing

    def _retrieval_context(self) -> RetrievalContext:
        self._check_models()
        self._use_own_embedder()
        return RetrievalContext(
            self.graph,
            self.corpus_name,
            self.embedder,
            self._model.chat,
            self.settings.extraction,
            self._filters,
        )

    def _extract(self, question: str, context: Context, *, least: float) -> Extract:
        with self._making:
            if self._reader is None or self._reader.embedder is not self.embedder:
                self._reader = AnswerReader(self.embedder, self.settings.extraction.pipeline)
        return extract(question, context, self._reader, least=least)
