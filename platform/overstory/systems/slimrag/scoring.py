"""SlimRAG's scores, and the context that it puts together. Pure functions.

Source: Zhang et al. 2025, Algorithm 1, lines 20–27.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from overstory.protocols import Vectors

Weighting = Literal["count", "frequency"]


@dataclass(frozen=True, slots=True)
class HitEntity:
    """An entity of the corpus that is among the nearest of an entity of the question.

    Attributes:
        similarity: its cosine to that.
        weight: W_e of the question's entity, the largest where it is near several.
        degree: sentences that refer to it; `sentences` are these, or the first of them.
    """

    name: str
    similarity: float
    weight: float
    degree: int
    sentences: Sequence[str]


class ScoredSentence(NamedTuple):
    """A sentence with its score, and the parts of it."""

    id: str
    score: float
    cosine: float
    factor: float


def factors(entities: Sequence[HitEntity], weighting: Weighting) -> dict[str, float]:
    """For each sentence that refers to a hit entity how many do, or the sum of their W_e."""
    found: dict[str, float] = {}
    for entity in entities:
        for sentence in entity.sentences:
            found[sentence] = found.get(sentence, 0.0) + (1.0 if weighting == "count" else entity.weight)
    return found


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
