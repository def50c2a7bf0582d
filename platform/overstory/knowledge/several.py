"""Several corpora asked as one, wherever they are."""

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
from overstory.knowledge.asynchronous import AsynchronousQuestions, ClosesAsynchronously, in_thread
from overstory.knowledge.corpus_part import CorpusPart
from overstory.knowledge.passage_questions import Learning, PassageQuestions
from overstory.knowledge.restricted import RestrictedKnowledge, part_of
from overstory.knowledge.threads import WorkThreads
from overstory.llm import Chat
from overstory.model import Evidence, Repeat
from overstory.protocols import Embedder, Extractor, Progress, Reranker, Retriever
from overstory.retrieve.filtered import Narrowed
from overstory.retrieve.joined import Absences, AskedCorpus, AtOnce, JoinedRetriever, together
from overstory.retrieve.repeats import MOST_PLACES_NAMED, Group, Repeats, repeat_of
from overstory.systems import check_retriever
from overstory.systems.settings import SettingsClass

if TYPE_CHECKING:
    from overstory.knowledge.knowledge import Knowledge

M = TypeVar("M")


class SeveralCorpora(AsynchronousQuestions, PassageQuestions, ClosesAsynchronously):
    """Several corpora that are searched, and asked, as if they were one, as `Knowledge.over` gives them.

    Each question asks all of them at once. Names have the same meaning in all: one that a passage of one corpus says
    leads to passages of another, and is as rare as it is in all together. Vectors have to be by the same embedder. A
    corpus whose database cannot be reached is left out, with a note, and not waited for during the next 30 seconds.
    Language model, reranker and extractor are those of the first. Nothing is written. Safe to share between threads.
    """

    def __init__(self, corpora: Sequence[Knowledge | RestrictedKnowledge], *, opened: Sequence[Knowledge] = ()) -> None:
        """
        Args:
            opened: those of them that end with `close`.

        Raises:
            SettingsError: there are none, or one is named twice.
        """
        if not corpora:
            raise SettingsError("There is no corpus to ask.", remedy="Name at least one.")
        self.corpora = tuple(corpora)
        self._opened = tuple(opened)
        self._parts = _titled(list(map(part_of, corpora)))
        self._first = next(iter(self._parts.values())).connection
        self.settings = self._first.settings
        self.progress: Progress = self._first.progress
        self.threads = WorkThreads()
        self._absences = Absences()

    @property
    def titles(self) -> tuple[str, ...]:
        """How hits and notes call the corpora: by their names, or, where two have the same, with their databases."""
        return tuple(self._parts)

    @property
    def embedder(self) -> Embedder:
        """As `Knowledge.embedder`, of the first."""
        return self._first.embedder

    @property
    def extractor(self) -> Extractor:
        """As `Knowledge.extractor`, of the first."""
        return self._first.extractor

    @property
    def reranker(self) -> Reranker:
        """As `Knowledge.reranker`, of the first."""
        return self._first.reranker

    def chat(self) -> Chat | None:
        """As `Knowledge.chat`, of the first."""
        return self._first.chat()

    def use_model(self, name: str | None = None, *, budget_tokens: int | None = None) -> None:
        """As `Knowledge.use_model`."""
        self._first.use_model(name, budget_tokens=budget_tokens)

    asearch = in_thread(PassageQuestions.search)

    def close(self) -> None:
        """Ends asynchronous calls, and closes the corpora that were given by name; a later call opens them again."""
        self.threads.close()
        for each in self._opened:
            each.close()

    def __repr__(self) -> str:
        return f"<SeveralCorpora {', '.join(self._parts)}>"

    def _filtering(self, name: str | SettingsClass, where: Expression | None) -> Retriever:
        check_retriever(name)
        members: dict[str, Callable[[], AskedCorpus]] = {
            title: functools.partial(self._member, title, name, where) for title in self._parts
        }
        shown = name if isinstance(name, str) else type(name).__name__
        joined = JoinedRetriever(shown, members, self._absences)
        return joined if where is None or not asks_passages(where) else Narrowed(joined, where)

    def _member(self, title: str, name: str | SettingsClass, where: Expression | None) -> AskedCorpus:
        part = self._parts[title]
        if part.connection is not self._first:
            part.connection.share_embedder(self._first)
        return part.member(title, name, where)

    def _read_repeats(self, groups: Sequence[Group], *, where: Expression | None) -> Repeats:
        of: dict[str, list[Group]] = {}
        for group in groups:
            for title in dict.fromkeys(hit.corpus for hit in group):
                of.setdefault(title, []).append([hit for hit in group if hit.corpus == title])

        found = self._at_once(
            {title: functools.partial(self._parts[title].repeats, own, where) for title, own in of.items()}
        ).members
        return {group[0].chunk_id: _of_all(group, found) for group in groups}

    def _on_all(self, question: str, k: int, retriever: str | SettingsClass) -> Evidence | None:
        if any(part.is_restricted for part in self._parts.values()):  # reports may stand on any document
            return None
        asked = self._at_once(
            {title: functools.partial(part.on_all, question, k, retriever) for title, part in self._parts.items()}
        )
        of = {title: evidence for title, evidence in asked.members.items() if evidence is not None}
        return together(of, asked.notes) if of else None

    def _with_edges(self, evidence: Evidence) -> Evidence:
        alone = Evidence(evidence.question, evidence.retriever, ())
        asks = {
            title: functools.partial(part.with_edges, alone)
            for title, part in self._parts.items()
            if not part.is_restricted
        }
        if not asks:
            return evidence
        try:
            found = self._at_once(asks).members
        except (DatabaseUnreachable, ServerError):  # the evidence is of the others
            return evidence
        having = {title: each for title, each in found.items() if each.parts}
        if not having:
            return evidence
        edges = together(having, ())
        known = {hit.chunk_id for hit in (*evidence.hits, *evidence.sources)}
        return replace(
            evidence,
            notes=(*evidence.notes, *edges.notes),
            parts=(*evidence.parts, *edges.parts),
            sources=(*evidence.sources, *(hit for hit in edges.sources if hit.chunk_id not in known)),
            shares=evidence.shares or edges.shares,
        )

    def _nearest_names(self, names: Sequence[str], *, where: Expression | None) -> dict[str, tuple[str, ...]]:
        asks = {title: functools.partial(part.nearest_names, names, where) for title, part in self._parts.items()}
        try:
            found = list(self._at_once(asks).members.values())
        except (DatabaseUnreachable, ServerError):
            return {}
        unknown = [name for name in names if all(name in each for each in found)]
        return {name: tuple(dict.fromkeys(like for each in found for like in each[name])) for name in unknown}

    def _learning(self, retriever: str | SettingsClass) -> Learning:
        del retriever
        raise FilterError(
            "An answer from several corpora is not remembered: it stands on passages that one of them lacks.",
            remedy="Ask without remember, or one corpus.",
        )

    def _extract(self, question: str, context: Context, *, least: float) -> Extract:
        return next(iter(self._parts.values())).extract(question, context, least)

    def _at_once(self, asks: Mapping[str, Callable[[], M]]) -> AtOnce[M]:
        return AtOnce(asks, self._absences)


def _titled(parts: Sequence[CorpusPart]) -> dict[str, CorpusPart]:
    """Corpora by their names; those of one name with the databases that they are in.

    Raises:
        SettingsError: one is named twice.
    """
    named = Counter(part.connection.corpus_name for part in parts)
    titled: dict[str, CorpusPart] = {}
    for part in parts:
        name = part.connection.corpus_name
        title = name if named[name] == 1 else f"{name} at {part.place}"
        if title in titled:
            raise SettingsError(f"The corpus {title} is named twice.", remedy="Name each once.")
        titled[title] = part
    return titled


def _of_all(group: Group, found: Mapping[str, Repeats]) -> tuple[int, tuple[Repeat, ...]]:
    """How often a text is there besides its first hit, in all corpora, and where."""
    total = -1
    places: list[Repeat] = []
    for title in dict.fromkeys(hit.corpus for hit in group):
        first = next(hit for hit in group if hit.corpus == title)
        others, named = found.get(title, {}).get(first.chunk_id, (0, ()))
        total += 1 + others
        places += [*([repeat_of(first)] if first is not group[0] else []), *named]
    return total, tuple(places[:MOST_PLACES_NAMED])
