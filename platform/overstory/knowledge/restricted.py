"""A part of a corpus, by a fixed filter: read only, and no call widens it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Unpack

from overstory.answer import Answer
from overstory.conversation import Conversation
from overstory.conversation.conversation import AskOptions
from overstory.errors import FilterError
from overstory.filters import Expression, Where, read_filter
from overstory.filters.expression import Restricted
from overstory.index import ListedName, StoredDocument
from overstory.index.document_passages import DocumentPassage, document_unknown
from overstory.knowledge.asynchronous import AsynchronousQuestions, in_thread
from overstory.knowledge.corpus_part import CorpusPart
from overstory.knowledge.names import MOST_NAMES_LISTED
from overstory.knowledge.questions import TreeOptions
from overstory.knowledge.threads import WorkThreads
from overstory.llm import Chat
from overstory.model import Evidence
from overstory.model.communities import CommunityReports, CommunityTree, FullReport, ListedTree
from overstory.model.entity_paths import EntityPaths, NameFacts, NamePassages
from overstory.protocols import Extractor
from overstory.settings import DEFAULT_RETRIEVER
from overstory.systems.settings import SettingsClass
from overstory.text.questions.antecedents import Turn

if TYPE_CHECKING:
    from overstory.knowledge.knowledge import Knowledge


class RestrictedKnowledge(AsynchronousQuestions):
    """The documents of a corpus that fulfil a filter, as `Knowledge.restricted_to` gives them.

    It has what can be filtered, and nothing else: no writing, no digest, counts, boilerplate and exports, and no
    statement of the caller's own (`enrich`), which could read all of the graph. Of other documents nothing is told: no
    text, name, number or key of metadata; a name that only they have is as unknown as one that nobody has, and so is a
    community or a report that stands on one of them. Scores and costs, what type a name has, and how names were merged
    and renamed by hand are those of the whole corpus. Safe to share between threads; closing it is up to the
    `Knowledge` that it is of.
    """

    def __init__(self, knowledge: Knowledge, fixed: Expression) -> None:
        self._knowledge = knowledge
        self._fixed = fixed

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
    ) -> Evidence:
        """As `Knowledge.search`; `where` narrows it further. The options are spelled out: no other gets through.

        Raises:
            what `Knowledge.search` raises.
        """
        return self._knowledge.search(
            question,
            k,
            retriever=retriever,
            rerank=rerank,
            decompose=decompose,
            hypothetical=hypothetical,
            where=self._within(where),
        )

    def ask(self, question: str, k: int = 5, **options: Unpack[AskOptions]) -> Answer:
        """As `Knowledge.ask`; `where` narrows it further. Nothing is remembered.

        Raises:
            FilterError: `remember`.
            what `Knowledge.ask` raises.
        """
        if options.get("remember"):
            raise FilterError(
                "An answer from a part of a corpus is not remembered: it would be recalled for others.",
                remedy="Ask without remember.",
            )
        options["where"] = self._within(options.get("where"))
        return self._knowledge.ask(question, k, **options)

    asearch = in_thread(search)

    def paths(self, start: str, end: str, k: int = 3, *, steps: int = 4, where: Where | None = None) -> EntityPaths:
        """As `Knowledge.paths`; `where` narrows it further."""
        return self._knowledge.paths(start, end, k, steps=steps, where=self._within(where))

    def name(self, name: str, *, limit: int = 20, where: Where | None = None) -> NameFacts:
        """As `Knowledge.name`; `where` narrows it further."""
        return self._knowledge.name(name, limit=limit, where=self._within(where))

    def name_passages(self, name: str, *, first: int = 0, limit: int = 20, where: Where | None = None) -> NamePassages:
        """As `Knowledge.name_passages`; `where` narrows it further."""
        return self._knowledge.name_passages(name, first=first, limit=limit, where=self._within(where))

    def names(
        self,
        *,
        limit: int = MOST_NAMES_LISTED,
        type: str = "",  # noqa: A002 # what it is
        like: str = "",
        words: str = "",
        by_kind: bool = False,
        where: Where | None = None,
    ) -> list[ListedName]:
        """As `Knowledge.names`; `where` narrows it further."""
        return self._knowledge.names(
            limit=limit, type=type, like=like, words=words, by_kind=by_kind, where=self._within(where)
        )

    def tree(self, node: str | None = None, **options: Unpack[TreeOptions]) -> CommunityTree:
        """As `Knowledge.tree`; `where` narrows it further."""
        options["where"] = self._within(options.get("where"))
        return self._knowledge.tree(node, **options)

    def trees(self) -> list[ListedTree]:
        """As `Knowledge.trees`: which systems the corpus was indexed for tells nothing of its documents."""
        return self._knowledge.trees()

    def reports(
        self, *, level: int | None = None, limit: int = 20, tree: str = "", where: Where | None = None
    ) -> CommunityReports:
        """As `Knowledge.reports`; `where` narrows it further."""
        return self._knowledge.reports(level=level, limit=limit, tree=tree, where=self._within(where))

    def report(self, community: str, *, tree: str = "", where: Where | None = None) -> FullReport:
        """As `Knowledge.report`; `where` narrows it further."""
        return self._knowledge.report(community, tree=tree, where=self._within(where))

    def conversation(self, turns: Iterable[Turn] = ()) -> Conversation:
        """As `Knowledge.conversation`."""
        return Conversation(self, turns)

    def documents(
        self, *, where: Where | None = None, after: tuple[str, str] | None = None
    ) -> Iterator[StoredDocument]:
        """As `Knowledge.documents`; `where` narrows it further."""
        return self._knowledge.documents(where=self._within(where), after=after)

    def count_documents(self, *, where: Where | None = None) -> int:
        """As `Knowledge.count_documents`; `where` narrows it further."""
        return self._knowledge.count_documents(where=self._within(where))

    def document(self, document: str) -> StoredDocument:
        """As `Knowledge.document`; one that is left out is as unknown as one that nobody has.

        Raises:
            what `Knowledge.document` raises.
        """
        self._check_document(document)
        return self._knowledge.document(document)

    def document_passages(
        self, document: str, *, first: int = 0, limit: int = 100, around: str = ""
    ) -> list[DocumentPassage]:
        """As `Knowledge.document_passages`; one that is left out is as unknown as one that nobody has.

        Raises:
            what `Knowledge.document_passages` raises.
        """
        self._check_document(document)
        return self._knowledge.document_passages(document, first=first, limit=limit, around=around)

    @property
    def threads(self) -> WorkThreads:
        """Those of the `Knowledge`."""
        return self._knowledge.threads

    def chat(self) -> Chat | None:
        """The language model, None where there is none."""
        return self._knowledge.chat()

    @property
    def extractor(self) -> Extractor:
        """As `Knowledge.extractor`."""
        return self._knowledge.extractor

    def _check_document(self, document: str) -> None:
        if not self._knowledge.fulfils(document, self._within(None)):
            raise document_unknown(document)

    def _within(self, where: Where | None) -> Expression:
        return Restricted(self._fixed, None if where is None else read_filter(where))


def part_of(corpus: Knowledge | RestrictedKnowledge) -> CorpusPart:
    """What `Knowledge.over` asks of a corpus, or of a part of one. No method of the part: it leads to the whole."""
    if not isinstance(corpus, RestrictedKnowledge):
        return corpus.part()
    whole, fixed = corpus._knowledge, corpus._fixed  # pyright: ignore[reportPrivateUsage] # a method would be public
    return whole.part(fixed)
