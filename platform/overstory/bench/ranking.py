"""From ranked chunks to ranked documents: a document has the rank of its best chunk."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from time import perf_counter

from overstory.model import Hit
from overstory.protocols import Retriever


@dataclass(frozen=True, slots=True)
class RankedDocument:
    """A document with the score of its best chunk. `key` is its `source_key`."""

    key: str
    score: float


@dataclass(frozen=True, slots=True)
class RankedDocuments:
    """The documents for a question, best first, and the seconds of the final call of the retriever."""

    documents: tuple[RankedDocument, ...]
    seconds: float


def rank_documents(hits: Iterable[Hit]) -> tuple[RankedDocument, ...]:
    """The documents of the hits, each once, in the order of their best chunks."""
    best: dict[str, RankedDocument] = {}
    for hit in hits:
        best.setdefault(hit.source_key, RankedDocument(hit.source_key, hit.score))
    return tuple(best.values())


def retrieve_documents(retriever: Retriever, question: str, k: int) -> RankedDocuments:
    """The first `k` documents for a question, or fewer if the retriever finds fewer.

    If the first `k` chunks belong to fewer documents, the number of chunks is doubled as long as the retriever returns
    more.
    """
    asked = k
    while True:
        begun = perf_counter()
        hits = retriever.retrieve(question, asked).hits
        seconds = perf_counter() - begun
        ranked = rank_documents(hits)
        if len(ranked) >= k or len(hits) < asked:
            return RankedDocuments(ranked[:k], seconds)
        asked *= 2
