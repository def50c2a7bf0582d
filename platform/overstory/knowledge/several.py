"""Searching several corpora as if they were one, and answering questions from them."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from overstory.answer import Context, Extract
from overstory.errors import DatabaseUnreachable, FilterError, ServerError, SettingsError
from overstory.filters import Expression
from overstory.filters.expression import asks_passages
from overstory.knowledge.asynchronous import AsynchronousQuestions, ClosesAsynchronously, WorkThreads, in_thread
from overstory.knowledge.connection import forwarded
from overstory.knowledge.passage_questions import Learning, PassageQuestions
from overstory.knowledge.questions import CorpusQuestions
from overstory.knowledge.restricted_knowledge import RestrictedKnowledge
from overstory.llm import Chat
from overstory.model import Evidence, Repeat
from overstory.protocols import Embedder, Extractor, Progress, Reranker, Retriever
from overstory.retrieve.filter_retrievers import PassageFilterRetriever
from overstory.retrieve.repeats import MOST_PLACES_NAMED, Group, Repeats, repeat_of
from overstory.retrieve.several_corpora import (
    AskedCorpus,
    JoinedRetriever,
    ReachableCorpora,
    UnreachableCorpora,
    merged_evidence,
)
from overstory.settings import Settings
from overstory.systems import check_retriever
from overstory.systems.settings import SettingsClass

if TYPE_CHECKING:
    from overstory.knowledge.knowledge import Knowledge

M = TypeVar("M")


class SeveralQuestions(PassageQuestions):
    def __init__(self, corpora: Sequence[Knowledge | RestrictedKnowledge]) -> None:
        self.parts = _titled([CorpusQuestions.of(each) for each in corpora])
        self.first = next(iter(self.parts.values())).connection
        self._absences = UnreachableCorpora()

    @property
    def settings(self) -> Settings:
        return self.first.settings

    @property
    def extractor(self) -> Extractor:
        return self.first.extractor

    @property
    def reranker(self) -> Reranker:
        return self.first.reranker

    def chat(self) -> Chat | None:
        return self.first.chat()

    def filtering(self, name: str | SettingsClass, where: Expression | None) -> Retriever:
        check_retriever(name)
        members: dict[str, Callable[[], AskedCorpus]] = {
            title: functools.partial(self._member, title, name, where) for title in self.parts
        }
        shown = name if isinstance(name, str) else type(name).__name__
        joined = JoinedRetriever(shown, members, self._absences)
        return joined if where is None or not asks_passages(where) else PassageFilterRetriever(joined, where)

    def _member(self, title: str, name: str | SettingsClass, where: Expression | None) -> AskedCorpus:
        part = self.parts[title]
        if part.connection is not self.first:
            part.connection.share_embedder(self.first)
        return part.member(title, name, where)

    def read_repeats(self, groups: Sequence[Group], where: Expression | None) -> Repeats:
        of: dict[str, list[Group]] = {}
        for group in groups:
            for title in dict.fromkeys(hit.corpus for hit in group):
                of.setdefault(title, []).append([hit for hit in group if hit.corpus == title])

        found = self._at_once(
            {title: functools.partial(self.parts[title].read_repeats, own, where) for title, own in of.items()}
        ).members
        return {group[0].chunk_id: _of_all(group, found) for group in groups}

    def on_all(self, question: str, k: int, retriever: str | SettingsClass) -> Evidence | None:
        if any(part.fixed is not None for part in self.parts.values()):  # reports may reveal hidden documents
            return None
        asked = self._at_once(
            {title: functools.partial(part.on_all, question, k, retriever) for title, part in self.parts.items()}
        )
        of = {title: evidence for title, evidence in asked.members.items() if evidence is not None}
        return merged_evidence(of, asked.notes) if of else None

    def with_parts(self, evidence: Evidence, where: Expression | None) -> Evidence:
        alone = Evidence(evidence.question, evidence.retriever, ())
        asks = {title: functools.partial(part.with_parts, alone, where) for title, part in self.parts.items()}
        try:
            found = self._at_once(asks).members
        except (DatabaseUnreachable, ServerError):  # parts are optional: the evidence is usable without them
            return evidence
        having = {title: each for title, each in found.items() if each.parts}
        if not having:
            return evidence
        edges = merged_evidence(having, ())
        known = {hit.chunk_id for hit in (*evidence.hits, *evidence.sources)}
        return replace(
            evidence,
            notes=(*evidence.notes, *edges.notes),
            parts=(*evidence.parts, *edges.parts),
            sources=(*evidence.sources, *(hit for hit in edges.sources if hit.chunk_id not in known)),
            shares=evidence.shares or edges.shares,
        )

    def nearest_names(self, names: Sequence[str], where: Expression | None) -> dict[str, tuple[str, ...]]:
        asks = {title: functools.partial(part.nearest_names, names, where) for title, part in self.parts.items()}
        try:
            found = list(self._at_once(asks).members.values())
        except (DatabaseUnreachable, ServerError):
            return {}
        unknown = [name for name in names if all(name in each for each in found)]
        return {name: tuple(dict.fromkeys(like for each in found for like in each[name])) for name in unknown}

    def learning(self, retriever: str | SettingsClass) -> Learning:
        del retriever
        raise FilterError(
            "Answers from several corpora cannot be remembered, because no single corpus has all of their passages.",
            remedy="Ask without remember, or ask a single corpus.",
        )

    def extract(self, question: str, context: Context, least: float) -> Extract:
        return next(iter(self.parts.values())).extract(question, context, least)

    def _at_once(self, asks: Mapping[str, Callable[[], M]]) -> ReachableCorpora[M]:
        return ReachableCorpora(asks, self._absences)


def _questions_of(corpora: SeveralCorpora) -> SeveralQuestions:
    return corpora._questions  # pyright: ignore[reportPrivateUsage] # both classes are in this module


class SeveralCorpora(AsynchronousQuestions, ClosesAsynchronously):
    """Several corpora that are searched as one, created by `Knowledge.over`. Threads can share this object.

    Each question is sent to all corpora at the same time. Entities with the same name are one entity, even in different
    corpora: an entity mentioned in one corpus leads to passages in another, and its frequency is counted over all
    corpora. The vectors of all corpora must come from the same embedder. The language model, reranker and extractor of
    the first corpus are used. Nothing is written.

    If the database of a corpus is unreachable, that corpus is left out with a note, and it is not tried again for 30
    seconds.
    """

    def __init__(self, corpora: Sequence[Knowledge | RestrictedKnowledge], *, opened: Sequence[Knowledge] = ()) -> None:
        """Combine corpora.

        Args:
            opened: the corpora that `close` must close; the caller closes all others.

        Raises:
            SettingsError: the list is empty, or a corpus is listed twice.
        """
        if not corpora:
            raise SettingsError("The list of corpora is empty.", remedy="Name at least one corpus.")
        self.corpora = tuple(corpora)
        self._opened = tuple(opened)
        self._questions = SeveralQuestions(corpora)
        self.settings = self._questions.settings
        self.progress: Progress = self._questions.first.progress
        self.threads = WorkThreads()

    search = forwarded(_questions_of, SeveralQuestions.search)
    asearch = in_thread(search)
    ask = forwarded(_questions_of, SeveralQuestions.ask)
    conversation = forwarded(_questions_of, SeveralQuestions.conversation)
    retriever = forwarded(_questions_of, SeveralQuestions.retriever)
    chat = forwarded(_questions_of, SeveralQuestions.chat)

    @property
    def titles(self) -> tuple[str, ...]:
        """The corpus names that hits and notes show. If two corpora have the same name, the database is added to it."""
        return tuple(self._questions.parts)

    @property
    def embedder(self) -> Embedder:
        return self._questions.first.embedder

    @property
    def extractor(self) -> Extractor:
        return self._questions.extractor

    @property
    def reranker(self) -> Reranker:
        return self._questions.reranker

    def use_model(self, name: str | None = None, *, budget_tokens: int | None = None) -> None:
        self._questions.first.use_model(name, budget_tokens=budget_tokens)

    def close(self) -> None:
        """Cancel asynchronous calls, and close the corpora that were passed by name. A later call opens them again."""
        self.threads.close()
        for each in self._opened:
            each.close()

    def __repr__(self) -> str:
        return f"<SeveralCorpora {', '.join(self.titles)}>"


def _titled(parts: Sequence[CorpusQuestions]) -> dict[str, CorpusQuestions]:
    """Return the corpora by the name under which each is displayed.

    If several corpora have the same name, the address of the database is added to it.

    Raises:
        SettingsError: a corpus is listed twice.
    """
    named = Counter(part.corpus_name for part in parts)
    titled: dict[str, CorpusQuestions] = {}
    for part in parts:
        place = part.settings.database.uri or "the embedded server"
        title = part.corpus_name if named[part.corpus_name] == 1 else f"{part.corpus_name} at {place}"
        if title in titled:
            raise SettingsError(f"The corpus {title} is listed twice.", remedy="List each corpus once.")
        titled[title] = part
    return titled


def _of_all(group: Group, found: Mapping[str, Repeats]) -> tuple[int, tuple[Repeat, ...]]:
    """Return how many passages in all corpora repeat the group's first hit, and the first few of these passages.

    Args:
        found: for each corpus title, the repeats in that corpus by chunk id.
    """
    total = -1
    places: list[Repeat] = []
    for title in dict.fromkeys(hit.corpus for hit in group):
        first = next(hit for hit in group if hit.corpus == title)
        others, named = found.get(title, {}).get(first.chunk_id, (0, ()))
        total += 1 + others
        places += [*([repeat_of(first)] if first is not group[0] else []), *named]
    return total, tuple(places[:MOST_PLACES_NAMED])
