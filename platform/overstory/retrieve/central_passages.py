"""The passages that stand best for a whole corpus: each is near to many others that the ones before are far from."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from overstory.graph import Corpus, Transaction
from overstory.model import Evidence, Reason
from overstory.protocols import Vectors
from overstory.retrieve.context import RetrievalContext, query_current_corpus
from overstory.retrieve.hits import chunk_rows, ranked_hits

_COMPARED_PASSAGES = 400
"""Passages that are compared with each other: in a corpus of any size the same work, some 0.2 s."""
_MOST_PASSAGES_DRAWN_FROM = 20_000
"""Passages that these are drawn from."""
_STANDS_FOR_COSINE = 0.3
"""Cosine from which a passage can stand for another; unrelated ones have up to .2."""


def central_passages(context: RetrievalContext, question: str, k: int) -> Evidence:
    """The `k` passages that stand for most others, whatever the question is; of each document one."""

    def query(tx: Transaction, corpus: Corpus) -> Evidence:
        drawn = tx.run(
            "retrieve/some_vectors",
            corpus.label,
            property=corpus.embedding_property,
            most=_COMPARED_PASSAGES,
            looked_at=_MOST_PASSAGES_DRAWN_FROM,
        )
        rows = chunk_rows(tx, corpus, (row["id"] for row in drawn))
        there = [row for row in drawn if row["id"] in rows]
        vectors = np.array([row["vector"] for row in there], dtype=np.float32)
        documents = [rows[row["id"]]["document_id"] for row in there]
        shares = {there[place]["id"]: share for place, share in representatives(vectors, documents, k)}
        hits = ranked_hits(rows, shares, lambda id_: [_stands_for(shares[id_])])
        return Evidence(question, "central passages", hits)

    return query_current_corpus(context, "retrieve/central", query)


def representatives(vectors: Vectors, documents: list[str], most: int) -> list[tuple[int, float]]:
    """Places of the vectors that stand for most others, of each document one, with the share of all that each adds.

    Greedy: each adds most to what all are near to, which is at least 1 − 1/e of the best choice (facility location).

    Args:
        vectors: shape (n, d), of length 1.
        documents: of each vector.
    """
    if not len(vectors):
        return []
    near: npt.NDArray[np.float64] = np.maximum(vectors @ vectors.T - _STANDS_FOR_COSINE, 0.0).astype(np.float64)
    reached = np.zeros(len(vectors))
    free = np.ones(len(vectors), dtype=np.bool_)
    found: list[tuple[int, float]] = []
    for _ in range(most):
        gains = np.where(free, np.maximum(near - reached, 0.0).sum(axis=1), -1.0)
        best = int(gains.argmax())
        if gains[best] <= 0.0:
            break
        found.append((best, float(gains[best]) / (len(vectors) * (1.0 - _STANDS_FOR_COSINE))))
        reached = np.maximum(reached, near[best])
        free &= np.array([document != documents[best] for document in documents])
    return found


def _stands_for(share: float) -> Reason:
    return Reason("central", share, "what it adds to the nearness of all", "stands for many other passages")
