"""Any retriever with a filter: one that can be filtered is; of what another finds the matching passages are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from overstory.display import counted
from overstory.filters import Expression
from overstory.graph import Transaction
from overstory.model import Evidence, Excerpt, Hit, Reason
from overstory.protocols import FilteringRetriever, Retriever
from overstory.retrieve.among import Among
from overstory.retrieve.context import RetrievalContext
from overstory.retrieve.hits import with_hits
from overstory.retrieve.hybrid import HybridRetriever
from overstory.retrieve.question import read_question
from overstory.retrieve.repeats import MOST_HITS

FILTERED_OVERSAMPLING = 10
LEAST_FILTERED_HITS = 100
"""Passages asked of a retriever that cannot filter: at least 100, and ten for each one wanted."""


class Filtered:
    """Asks a retriever among the documents that a filter lets through.

    Of a retriever that cannot be filtered, as those of systems, the passages that match are kept, in its order, and
    excerpts of them. Its reports and whatever else it puts together from several passages are left out, since their
    words may come from any document, and so are its reasons, which may name others. Where too few passages match, those
    follow that `hybrid` finds; a note says how many.
    """

    def __init__(self, retriever: Retriever, where: Expression, context: RetrievalContext) -> None:
        self.name = retriever.name
        self._retriever = retriever
        self._where = where
        self._context = context

    def retrieve(self, question: str, k: int) -> Evidence:
        """As `Retriever.retrieve`."""
        if isinstance(self._retriever, FilteringRetriever):
            return self._retriever.retrieve_among(question, k, self._where)
        asked = min(MOST_HITS, max(LEAST_FILTERED_HITS, FILTERED_OVERSAMPLING * k))
        evidence = self._retriever.retrieve(question, asked)

        def matching(tx: Transaction) -> tuple[tuple[Hit, ...], tuple[str, ...], bool]:
            corpus = self._context.corpus(tx)
            among = Among(tx, corpus, self._context.filters.of(tx, corpus, self._where))
            own = [hit for hit in evidence.hits if hit.document_id in among.matching.documents]
            return among.counted(map(self._plain, own[:k])), among.notes, among.matching.restricted

        own, on_filter, restricted = self._context.graph.reading("retrieve/filtered", matching)
        known = {hit.chunk_id for hit in own}
        following = self._following(question, k, own) if len(own) < k else []
        shown = with_hits(evidence, [*own, *following])
        parts = tuple(part for part in shown.parts if isinstance(part, Excerpt) and part.chunk_id in known)
        said = () if restricted else evidence.notes  # which may be on any document
        notes = [*said, *(note for note in (*read_question(question).notes, *on_filter) if note not in said)]
        if len(parts) < len(evidence.parts) and not restricted:
            notes.append(
                f"with a filter {self.name} finds passages alone: what it makes of several stands on any document"
            )
        if following and not restricted:
            notes.append(
                f"{counted(len(own), 'passage')} of {self.name} fulfil the filter: the others are those of hybrid"
            )
        return replace(shown, parts=parts, sources=(), shares={}, notes=tuple(notes))

    def _following(self, question: str, k: int, own: Sequence[Hit]) -> list[Hit]:
        """Those that `hybrid` finds besides, with scores that go on from the lowest."""
        others = HybridRetriever(self._context).retrieve_among(question, k, self._where).hits
        known = {hit.chunk_id for hit in own}
        more = [hit for hit in others if hit.chunk_id not in known][: k - len(own)]
        lowest = min((hit.score for hit in own), default=0.0)
        return [replace(hit, score=lowest + min(0.0, hit.score - others[0].score)) for hit in more]

    def _plain(self, hit: Hit) -> Hit:
        return replace(
            hit, reasons=(Reason(self.name, hit.score, f"score of {self.name}", f"was found by {self.name}"),)
        )
