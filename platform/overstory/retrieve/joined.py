"""Any retriever over several corpora, whose passages become one ranking.

One that can ask several corpora together (`JoiningRetriever`) does. Of another each corpus is asked by itself; the
passages are put in order by their scores, where those mean the same in all corpora, and else by their ranks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import zip_longest
from typing import Protocol, TypeVar, runtime_checkable

from overstory.graph import Corpus, Transaction
from overstory.model import Evidence, Hit, Part, Reason
from overstory.protocols import Vectors
from overstory.retrieve.context import query_current_corpus
from overstory.retrieve.hits import clause_of, with_hits
from overstory.retrieve.joined_corpora import Absences, AskedCorpus, JoinedCorpora
from overstory.retrieve.question import read_question
from overstory.retrieve.vector_search import chunk_cosines

E = TypeVar("E", Hit, Part)


@runtime_checkable
class JoiningRetriever(Protocol):
    """A retriever that can ask several corpora together."""

    name: str

    def retrieve_joined(self, question: str, k: int, corpora: JoinedCorpora) -> Evidence:
        """As `Retriever.retrieve`, over all of these corpora; each is opened by a retriever of the same kind, its
        `AskedCorpus.plain`."""
        ...


@runtime_checkable
class ScoresCompare(Protocol):
    """A retriever whose scores mean the same in every corpus.

    Attributes:
        scores_compare: whether they do.
    """

    scores_compare: bool


class JoinedRetriever:
    """A retriever that finds the passages of several corpora. Safe to share between threads."""

    def __init__(self, name: str, members: Mapping[str, Callable[[], AskedCorpus]], absences: Absences) -> None:
        """
        Args:
            members: makes each corpus ready to be asked, by its title.
            absences: those that could not be reached lately.
        """
        self.name = name
        self._members = members
        self._absences = absences

    def retrieve(self, question: str, k: int) -> Evidence:
        """The `k` best passages of all corpora.

        Raises:
            EmbedderMismatch: their vectors cannot be compared.
            DatabaseUnreachable, ServerError: no corpus can be reached; where some can, a note names the others.
            what the retriever raises.
        """
        corpora = JoinedCorpora(self._members, self._absences)
        plain = next(iter(corpora.members.values())).plain
        if isinstance(plain, JoiningRetriever):
            return plain.retrieve_joined(question, k, corpora)
        found = corpora.each(lambda member: member.filtered.retrieve(question, k))
        if isinstance(plain, ScoresCompare) and plain.scores_compare:
            hits = sorted(_hits(found), key=lambda hit: (-hit.score, hit.chunk_id))
        else:
            hits = _by_rank(question, found, corpora)
        merged = together(found, corpora.notes)
        return with_hits(replace(merged, hits=tuple(hits)), list({hit.chunk_id: hit for hit in hits}.values())[:k])


def together(found: Mapping[str, Evidence], notes: Iterable[str]) -> Evidence:
    """The evidence of several corpora as one: hits and other parts by turns, the best of each corpus first.

    Args:
        found: by the titles of the corpora, at least one.
        notes: on corpora that were left out.
    """
    first = next(iter(found.values()))
    said: dict[str, list[str]] = {}
    for title, evidence in found.items():
        for note in evidence.notes:
            said.setdefault(note, []).append(title)
    of_all = [note if len(titles) == len(found) else f"{', '.join(titles)}: {note}" for note, titles in said.items()]
    sources = {hit.chunk_id: hit for hit in _in_corpora({title: each.sources for title, each in found.items()})}
    return replace(
        first,
        hits=tuple(_turns(_titled(title, each.hits) for title, each in found.items())),
        notes=(*of_all, *notes),
        parts=tuple(_turns(each.parts for each in found.values())),
        sources=tuple(sources.values()),
        shares=next((each.shares for each in found.values() if each.shares), {}),
    )


def _by_rank(question: str, found: Mapping[str, Evidence], corpora: JoinedCorpora) -> list[Hit]:
    """Hits by their ranks; of one rank that first which is nearer to the question."""
    vector = corpora.context.embedding(read_question(question).text)

    def near(member: AskedCorpus) -> dict[str, float]:
        ids = [hit.chunk_id for hit in found[member.title].hits] if member.title in found else []

        def query(tx: Transaction, corpus: Corpus) -> dict[str, float]:
            asked: Vectors = vector.result()
            return chunk_cosines(tx, corpus, asked, ids)

        return query_current_corpus(member.context, "retrieve/joined", query)

    cosines = {id_: cosine for each in corpora.each(near).values() for id_, cosine in each.items()}
    ranked = [(rank, hit) for title, each in found.items() for rank, hit in enumerate(_titled(title, each.hits), 1)]
    ranked.sort(key=lambda each: (each[0], -cosines.get(each[1].chunk_id, -1.0), each[1].chunk_id))
    return [_of_rank(rank, hit) for rank, hit in ranked]


def _of_rank(rank: int, hit: Hit) -> Hit:
    """A hit whose score says its rank in its corpus."""
    detail = f"rank {rank} in {hit.corpus}, score {hit.score:.4f} there ({hit.figures})"
    return replace(hit, score=1 / rank, reasons=(Reason("rank", 1 / rank, detail, clause_of(hit)),))


def _hits(found: Mapping[str, Evidence]) -> list[Hit]:
    return _in_corpora({title: each.hits for title, each in found.items()})


def _in_corpora(found: Mapping[str, Iterable[Hit]]) -> list[Hit]:
    return [hit for title, hits in found.items() for hit in _titled(title, hits)]


def _titled(title: str, hits: Iterable[Hit]) -> list[Hit]:
    return [replace(hit, corpus=title) for hit in hits]


def _turns(lists: Iterable[Iterable[E]]) -> list[E]:
    """The first of each list, then the second of each, and so on."""
    return [each for some in zip_longest(*lists) for each in some if each is not None]
