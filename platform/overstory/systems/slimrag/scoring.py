"""SlimRAG's scores, and the context that it puts together. Pure functions.

Source: Zhang et al. 2025, Algorithm 1, lines 20–27.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from overstory.protocols import Vectors


@dataclass(frozen=True, slots=True)
class HitEntity:
    """An entity of the corpus among the nearest to an entity of the question.

    Attributes:
        similarity: its cosine to that.
        degree: sentences that refer to it; `sentences` are these, or the first of them.
    """

    name: str
    similarity: float
    degree: int
    sentences: Sequence[str]


class ScoredSentence(NamedTuple):
    """A sentence with its score, and the parts of it."""

    id: str
    score: float
    cosine: float
    factor: float


def hit_entities(entities: Iterable[HitEntity]) -> Counter[str]:
    """For each sentence that refers to a hit entity, how many of them it refers to."""
    return Counter(sentence for entity in entities for sentence in entity.sentences)


def scores(
    ids: Sequence[str], vectors: Vectors, question: Vectors, factor: Mapping[str, float]
) -> list[ScoredSentence]:
    """max(0, cos(sentence, question)) · factor of each sentence, best first; ties in the order of the ids.

    Args:
        vectors: shape (len(ids), d), about unit length.
        question: shape (d,), unit length.
    """
    if not ids:
        return []
    lengths = np.maximum(np.linalg.norm(vectors, axis=1), 1e-9)
    cosines = np.maximum(vectors @ question / lengths, 0.0)
    scored = (
        ScoredSentence(id_, cosine * factor[id_], cosine, factor[id_])
        for id_, cosine in zip(ids, cosines.tolist(), strict=True)
    )
    return sorted(scored, key=lambda sentence: (-sentence.score, sentence.id))


def within(tokens: Sequence[int], most: int) -> int:
    """How many of the best sentences, which have these many tokens, fit into a context; at least one."""
    total = 0
    for number, count in enumerate(tokens):
        total += count
        if total > most and number > 0:
            return number
    return len(tokens)
