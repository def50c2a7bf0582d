"""Retrievers that wrap any other retriever and apply a filter on documents, pages or sections to it.

Disabled documents are filtered out, too. If the wrapped retriever has a method `retrieve_among`, it searches only the
matching documents. The hits of any other retriever are filtered after its search.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from overstory.display import counted
from overstory.filters import Expression
from overstory.filters.expression import PAGE, SECTION, asks_passages, fulfils, of_documents, without_disabled
from overstory.graph import Transaction
from overstory.model import Evidence, Excerpt, Hit, MetadataScalar, Reason
from overstory.model.metadata import typed_values
from overstory.model.parts import BridgePath, Part
from overstory.model.passage_text import PATH_SEPARATOR
from overstory.protocols import Retriever
from overstory.retrieve.among import Among
from overstory.retrieve.context import RetrievalContext, one_question
from overstory.retrieve.hits import with_hits
from overstory.retrieve.hybrid import HybridRetriever
from overstory.retrieve.question import read_question
from overstory.retrieve.repeats import MOST_HITS

_LEAST_NARROWED_HITS = 50
NOTHING_THERE = "no passage found matches the filter on pages or sections"
_NARROWING_FACTOR = 4
"""The wrapped retriever is asked for at least 50 hits. While too few hits match, it is asked for four times as many."""


class PassageFilterRetriever:
    """Retriever that keeps only those hits of another retriever that match a filter on pages or sections.

    At most `MOST_HITS` hits of the other retriever are checked.
    """

    def __init__(self, retriever: Retriever, where: Expression) -> None:
        self.name = retriever.name
        self._retriever = retriever
        self._where = where

    def retrieve(self, question: str, k: int) -> Evidence:
        asked = min(MOST_HITS, max(_LEAST_NARROWED_HITS, _NARROWING_FACTOR * k))
        while True:
            evidence = self._retriever.retrieve(question, asked)
            kept = [hit for hit in evidence.hits if fulfils(self._where, _values(hit))]
            if len(kept) >= k or len(evidence.hits) < asked or asked == MOST_HITS:
                break
            asked = min(MOST_HITS, _NARROWING_FACTOR * asked)
        found = with_hits(evidence, kept[:k])
        if evidence.hits and not kept and len(evidence.hits) < MOST_HITS:
            return replace(found, notes=(*found.notes, NOTHING_THERE))
        if len(kept) >= k or len(evidence.hits) < MOST_HITS:
            return found
        note = f"only {len(kept):,} of the first {MOST_HITS:,} passages match the filter on pages or sections"
        return replace(found, notes=(*found.notes, note))


def _values(hit: Hit) -> dict[str, list[MetadataScalar]]:
    """Return the values that a filter can use: the metadata of a hit's document, the hit's page and its headings.

    The headings are the complete heading path and each heading in it.
    """
    values: dict[str, list[MetadataScalar]] = {}
    for each in typed_values(hit.metadata):
        values.setdefault(each.key, []).append(each.value)
    if hit.page is not None:
        values.setdefault(PAGE, []).append(hit.page)
    if hit.heading:
        values[SECTION] = list(dict.fromkeys([hit.heading, *hit.heading.split(PATH_SEPARATOR)]))
    return values


class EnabledRetriever:
    """Retriever that leaves out disabled and partly written documents, and applies an optional filter.

    The corpus is read before each question, because another process may disable documents at any time.
    """

    def __init__(
        self, retriever: Retriever, where: Expression | None, context: RetrievalContext, *, standing: KeepStanding
    ) -> None:
        """
        Args:
            where: filter on documents, pages or sections; None for no filter.
        """
        self._standing = standing
        self.name = retriever.name
        self._retriever = retriever
        self._where = where
        self._context = context

    @property
    def documents(self) -> Expression | None:
        """The current filter on documents, including the exclusion of disabled ones; None if all are searched."""
        where = self._enabled()
        return None if where is None else of_documents(where)

    @one_question()
    def retrieve(self, question: str, k: int) -> Evidence:
        return self._among(self._enabled()).retrieve(question, k)

    def _enabled(self) -> Expression | None:
        return without_disabled(self._where) if self._context.corpus().hides_documents else self._where

    def _among(self, where: Expression | None) -> Retriever:
        asked: Retriever = self._retriever
        if where is None:
            return asked
        documents = of_documents(where)
        if documents is not None:
            asked = FilteredRetriever(asked, documents, self._context, standing=self._standing)
        return PassageFilterRetriever(asked, where) if asks_passages(where) else asked


KeepStanding = Callable[[Among, Sequence[Part]], Sequence[Part]]
"""A function that returns those parts that are supported by matching documents alone."""

_FILTERED_OVERSAMPLING = 10
_LEAST_FILTERED_HITS = 100
"""A retriever that cannot filter is asked for ten times the requested number of hits, and for at least 100."""


class FilteredRetriever:
    """Retriever that returns only evidence from the documents that match a filter.

    Some retrievers cannot filter, for example those of systems. Their evidence is filtered after the search:

    - Hits and excerpts from matching documents are kept, in the same order.
    - Reports and other parts made from several passages are kept if matching documents alone support them.
    - Reasons are dropped, because they may reveal other documents.
    - If too few hits match, hits of `hybrid` are appended, and a note states this.
    """

    def __init__(
        self, retriever: Retriever, where: Expression, context: RetrievalContext, *, standing: KeepStanding
    ) -> None:
        self._standing = standing
        self.name = retriever.name
        self._retriever = retriever
        self._where = where
        self._context = context

    def retrieve(self, question: str, k: int) -> Evidence:
        filtering: Callable[..., Evidence] | None = getattr(self._retriever, "retrieve_among", None)
        if filtering is not None:
            return filtering(question, k, self._where)
        asked = min(MOST_HITS, max(_LEAST_FILTERED_HITS, _FILTERED_OVERSAMPLING * k))
        evidence = self._retriever.retrieve(question, asked)

        def matching(tx: Transaction) -> tuple[tuple[Hit, ...], tuple[Hit, ...], tuple[Part, ...], Among]:
            corpus = self._context.corpus(tx)
            among = Among(tx, corpus, self._context.filters.of(tx, corpus, self._where))
            own = [hit for hit in evidence.hits if hit.document_id in among.matching.documents]
            others = [part for part in evidence.parts if not isinstance(part, BridgePath | Excerpt)]
            parts = tuple(self._standing(among, others))
            of_parts = {chunk for part in parts for chunk in part.chunks}
            read = [hit for hit in (*evidence.sources, *evidence.hits) if hit.chunk_id in of_parts]
            return among.counted(map(self._plain, own[:k])), among.counted(read), parts, among

        own, read, whole, among = self._context.graph.reading("retrieve/filtered", matching)
        restricted = among.matching.restricted
        known = {hit.chunk_id for hit in own}
        following = self._following(question, k, own) if len(own) < k else []
        shown = with_hits(evidence, [*own, *following])
        excerpts = [part for part in shown.parts if isinstance(part, Excerpt) and part.chunk_id in known]
        ranked = {hit.chunk_id for hit in (*own, *following)}
        sources = tuple(replace(hit, score=0.0, reasons=()) for hit in read if hit.chunk_id not in ranked)
        earlier = () if restricted else evidence.notes  # these notes may reveal other documents
        notes = [*earlier, *(note for note in (*read_question(question).notes, *among.notes) if note not in earlier)]
        made = [part for part in evidence.parts if not isinstance(part, BridgePath | Excerpt)]
        if len(whole) < len(made) and not restricted:
            left = "all" if not whole else f"{len(made) - len(whole):,} of"
            notes.append(f"left out {left} {len(made):,} parts from {self.name}, because they also use other documents")
        if following and not restricted:
            notes.append(
                f"{counted(len(own), 'passage')} from {self.name} match the filter; the other passages are from hybrid"
            )
        shares = evidence.shares if whole else {}
        return replace(shown, parts=(*excerpts, *whole), sources=sources, shares=shares, notes=tuple(notes))

    def _following(self, question: str, k: int, own: Sequence[Hit]) -> list[Hit]:
        """Return hits of `hybrid` that fill up `own` to `k` hits. No score is above the lowest score in `own`."""
        others = HybridRetriever(self._context).retrieve_among(question, k, self._where).hits
        known = {hit.chunk_id for hit in own}
        more = [hit for hit in others if hit.chunk_id not in known][: k - len(own)]
        lowest = min((hit.score for hit in own), default=0.0)
        return [replace(hit, score=lowest + min(0.0, hit.score - others[0].score)) for hit in more]

    def _plain(self, hit: Hit) -> Hit:
        return replace(
            hit, reasons=(Reason(self.name, hit.score, f"score of {self.name}", f"was found by {self.name}"),)
        )
