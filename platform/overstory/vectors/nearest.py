"""The exact k nearest neighbours of every chunk. The SIMILAR layer is built from them (Eq. 3 of the SeRAG paper)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from overstory.protocols import Vectors
from overstory_entropy.compile import Ids, Ints, kernel

Scores = NDArray[np.float32]

BLOCK_BYTES = 2**26
"""Maximum size of the block of cosines that is computed at once, in bytes (64 MiB)."""

COSINE_STEPS = 2**20
"""Cosines are rounded to multiples of 1 / `COSINE_STEPS`, because smaller differences are rounding errors."""

NO_NEIGHBOUR = -1
"""Entry that fills the list of a chunk with fewer than k neighbours."""


class Neighbours(NamedTuple):
    """The k nearest neighbours of each of n chunks, nearest first. Of equally near chunks, the lower number is first.

    Attributes:
        ids: numbers of the neighbours, with shape (n, k). If a chunk has fewer than k neighbours, the last entries of
            its row are −1.
        scores: cosines with the neighbours, with shape (n, k). They are rounded to multiples of 2⁻²⁰, so that chunks
            with equal texts get equal scores.
    """

    ids: Ids
    scores: Scores


def nearest(
    vectors: Vectors, k: int, *, block_bytes: int = BLOCK_BYTES, on_found: Callable[[int], object] | None = None
) -> Neighbours:
    """Return the k nearest neighbours of each of n vectors, in O(n² · d) time and O(n · (d + k)) memory.

    Args:
        vectors: one vector of unit length per row, with shape (n, d).
        block_bytes: maximum size of the block of cosines that is computed at once.
        on_found: function that is called after each block with the number of vectors in the block.
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
    """Update the neighbour lists of some chunks, the rows, with other chunks, the columns.

    Args:
        cosines: cosine of each row with each column, with shape (r, c).
        rows: chunk numbers of the rows, with shape (r,).
        columns: chunk numbers of the columns, with shape (c,).
        ids: the neighbours found so far, with shape (n, k). It is changed in place.
        scores: the cosines with these neighbours, with shape (n, k). It is changed in place.
    """
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
    """Return the pairs of chunks in which one chunk is a nearest neighbour of the other, as in the SIMILAR layer.

    Pairs with a cosine of 0 or less are left out.

    Returns:
        A sorted array with the key i · n + j of each pair (i, j), where i < j and n is the number of chunks; and an
        array with the cosine of each pair. Both have shape (pairs,).
    """
    n, k = found.ids.shape
    one, other = np.repeat(np.arange(n), k), found.ids.ravel().astype(np.int64)
    scores = found.scores.ravel()
    there = (other != NO_NEIGHBOUR) & (scores > 0.0)
    one, other, scores = one[there], other[there], scores[there]
    keys, first = np.unique(np.minimum(one, other) * n + np.maximum(one, other), return_index=True)
    return keys, scores[first]
