"""Exact k-nearest neighbours of all chunks, computed in blocks. Basis of the SIMILAR layer (SeRAG, Eq. 3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from overstory.protocols import Vectors
from overstory_entropy.compile import Ids, Ints, kernel

Scores = NDArray[np.float32]

BLOCK_BYTES = 2**26
"""Size of one block of cosines: 64 MB, for any number of chunks."""

COSINE_STEPS = 2**20
"""Cosines are rounded to multiples of 1 / COSINE_STEPS, because smaller differences are rounding errors."""

NO_NEIGHBOUR = -1
"""Fills the list of a chunk that has fewer than k neighbours."""


class Neighbours(NamedTuple):
    """The k nearest neighbours of each of n chunks, nearest first; ties by lower number.

    Attributes:
        ids: shape (n, k), −1 if there are fewer neighbours.
        scores: shape (n, k), cosines in steps of 2⁻²⁰, so that equal texts get equal scores in any block.
    """

    ids: Ids
    scores: Scores


def nearest(
    vectors: Vectors, k: int, *, block_bytes: int = BLOCK_BYTES, on_found: Callable[[int], object] | None = None
) -> Neighbours:
    """Return the k nearest neighbours of each vector. O(n² d) time, O(n · (d + k)) memory.

    Args:
        vectors: shape (n, d), of unit length.
        on_found: called after each block with the number of vectors in the block.
    """
    found = no_neighbours(len(vectors), k)
    all_rows = np.arange(len(vectors))
    step = max(1, block_bytes // (4 * max(1, len(vectors))))
    for start in range(0, len(vectors), step):
        block = all_rows[start : start + step]
        _keep_best(vectors[block] @ vectors.T, block, all_rows, found.ids, found.scores)
        if on_found is not None:
            on_found(len(block))
    return found


def no_neighbours(n: int, k: int) -> Neighbours:
    return Neighbours(np.full((n, k), NO_NEIGHBOUR, dtype=np.int32), np.full((n, k), -np.inf, dtype=np.float32))


@kernel
def _keep_best(cosines: Scores, rows: Ints, columns: Ints, ids: Ids, scores: Scores) -> None:
    """Insert nearer columns into the neighbour lists of rows. Shapes: (r, c), (r,), (c,), (n, k), (n, k)."""
    k = ids.shape[1]
    steps = np.float32(COSINE_STEPS)
    tolerance = np.float32(1 / COSINE_STEPS)
    for row in range(len(rows)):
        vertex = rows[row]
        least = scores[vertex, k - 1] - tolerance
        for column in range(len(columns)):
            if cosines[row, column] < least or columns[column] == vertex:
                continue
            score = np.float32(np.rint(cosines[row, column] * steps) / steps)
            other = columns[column]
            place = k
            while place > 0 and (
                scores[vertex, place - 1] < score
                or (scores[vertex, place - 1] == score and ids[vertex, place - 1] > other)
            ):
                if place < k:
                    scores[vertex, place] = scores[vertex, place - 1]
                    ids[vertex, place] = ids[vertex, place - 1]
                place -= 1
            if place < k:
                scores[vertex, place] = score
                ids[vertex, place] = other
                least = scores[vertex, k - 1] - tolerance


def similar_pairs(found: Neighbours) -> tuple[Ints, Scores]:
    """Return pairs in which one chunk is among the other's nearest, each pair once, with cosines above 0 (SIMILAR).

    Returns:
        keys i · n + j with i < j, ascending, and cosines; shapes (pairs,).
    """
    n, k = found.ids.shape
    one, other = np.repeat(np.arange(n), k), found.ids.ravel().astype(np.int64)
    scores = found.scores.ravel()
    there = (other != NO_NEIGHBOUR) & (scores > 0.0)
    one, other, scores = one[there], other[there], scores[there]
    keys, first = np.unique(np.minimum(one, other) * n + np.maximum(one, other), return_index=True)
    return keys, scores[first]
