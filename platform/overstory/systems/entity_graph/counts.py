"""How many names a corpus has, for estimates."""

from __future__ import annotations

from overstory.graph import GraphClient

_ESTIMATED_NAMES_A_CHUNK = 10
"""Where names were not extracted yet; real corpora have six."""


def count_names(graph: GraphClient, label: str) -> int:
    """The names that the passages of a corpus mention; `label` is that of the corpus."""
    return _counts(graph, label)[0]


def most_names(graph: GraphClient, label: str) -> int:
    """As `count_names`, or as many as there may be where none were extracted yet."""
    names, chunks = _counts(graph, label)
    return names or _ESTIMATED_NAMES_A_CHUNK * chunks


def _counts(graph: GraphClient, label: str) -> tuple[int, int]:
    (row,) = graph.run("systems/entity_graph/count_names", label, read=True)
    return int(row["names"]), int(row["chunks"])
