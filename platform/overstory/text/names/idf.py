"""How specific a name is."""

from __future__ import annotations

import math

_IDF_DIGITS = 12
"""Python and Neo4j differ in the last digit of some logarithms; both round to this many."""


def idf_weight(chunks: int, df: int) -> float:
    """The normalised IDF weight of a name: ln(1 + N/(1+df)) / ln(1 + N).

    It is 1 for a name that no chunk mentions and falls with `df`; 0 in a corpus without chunks.

    Args:
        chunks: N, in the corpus.
        df: chunks that mention the name.
    """
    if not chunks:
        return 0.0
    return round(math.log(1.0 + chunks / (1 + df)) / math.log(1.0 + chunks), _IDF_DIGITS)
