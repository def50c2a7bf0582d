"""Counts the names in a corpus, for estimates."""

from __future__ import annotations

from overstory.graph import GraphClient

_ESTIMATED_NAMES_A_CHUNK = 10  # deliberately high; real corpora contain about six names per chunk


def count_names(graph: GraphClient, label: str) -> int:
    """Return the number of names that are mentioned in the corpus with this label."""
    return _counts(graph, label)[0]


def most_names(graph: GraphClient, label: str) -> int:
    """Return the number of names in a corpus, or a high estimate if names have not been extracted yet."""
    names, chunks = _counts(graph, label)
    return names or _ESTIMATED_NAMES_A_CHUNK * chunks


def _counts(graph: GraphClient, label: str) -> tuple[int, int]:
    (row,) = graph.run("systems/entity_graph/count_names", label, read=True)
    return int(row["names"]), int(row["chunks"])
