"""Passages of any retriever, in the order of a reranker."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from overstory.errors import ModelError
from overstory.model import Evidence, Hit, Reason
from overstory.model.passage_text import passage_text
from overstory.protocols import Reranker, Retriever
from overstory.retrieve.hits import clause_of, with_hits


class Reranked:
    """A retriever whose first passages are ordered by a reranker.

    A hit's score is its relevance, brought by a reason of the kind `rerank`. A second reason, `retrieved`, brings
    nothing: it says at which rank, with which score and why the retriever found the hit.
    """

    def __init__(self, retriever: Retriever, reranker: Reranker, *, passages: int) -> None:
        """
        Args:
            passages: how many are reranked; as many as are asked for if these are more.
        """
        self.name = f"{retriever.name}+rerank"
        self._retriever = retriever
        self._reranker = reranker
        self._passages = passages

    def retrieve(self, question: str, k: int) -> Evidence:
        """The `k` most relevant of the retriever's first passages. Equal texts are sent once."""
        evidence = replace(self._retriever.retrieve(question, max(k, self._passages)), retriever=self.name)
        texts = [passage_text(hit.title, hit.heading, hit.content) for hit in evidence.hits]
        relevance = self._relevance(question, list(dict.fromkeys(texts)))
        hits = [
            self._judged(hit, rank, relevance[text])
            for rank, (hit, text) in enumerate(zip(evidence.hits, texts, strict=True), start=1)
        ]
        hits.sort(key=lambda hit: -hit.score)  # of equal ones the retriever's first stays first
        return with_hits(evidence, hits[:k])

    def _relevance(self, question: str, texts: Sequence[str]) -> dict[str, float]:
        scores = [float(score) for score in self._reranker.rerank(question, texts)] if texts else []
        if len(scores) != len(texts) or not all(map(math.isfinite, scores)):
            raise ModelError(
                f"The reranker {self._reranker.name} did not give {len(texts)} passages a finite score each.",
                remedy="Use another reranker, or do not rerank.",
            )
        return dict(zip(texts, scores, strict=True))

    def _judged(self, hit: Hit, rank: int, relevance: float) -> Hit:
        said = f"has relevance {relevance:.3f} to the question for the reranker {self._reranker.name}"
        found = f"rank {rank} of {self._retriever.name}, score {hit.score:.4f} ({hit.figures})"
        reasons = (
            Reason("rerank", relevance, f"relevance for {self._reranker.name}", said),
            Reason("retrieved", 0.0, found, clause_of(hit)),
        )
        return replace(hit, score=relevance, reasons=reasons)
