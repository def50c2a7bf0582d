"""How many of the nearest nodes a vector index finds, on a sample."""

from __future__ import annotations

from dataclasses import dataclass

from overstory.graph import GraphClient
from overstory.retrieve.vector_search import depth_for

NEAREST_FOR_RECALL = 10  # neighbours of each sampled node that should be found
MOST_NODES_SAMPLED = 20  # nodes whose neighbours are asked for
_MOST_NODES_COMPARED = 20_000
"""Nodes that each sampled one is compared with; where there are more, what is missed among them stands for the rest."""
_EQUAL_COSINE_DIFFERENCE = 1e-5
"""Cosines that differ by less are equal: index and scan add up in different orders."""


@dataclass(frozen=True, slots=True)
class IndexRecall:
    """The outcome for one index.

    Attributes:
        nodes: the number of nodes that the index is over.
        sampled: how many of them were asked about; 0 if there are none.
        recall: the mean share of the `NEAREST_FOR_RECALL` that the index returned; 1.0 if nothing was sampled.
    """

    nodes: int
    sampled: int
    recall: float


def measure_recall(graph: GraphClient, corpus: str, label: str, index: str, embedding_property: str) -> IndexRecall:
    """Compares the answers of a vector index with a scan. It is asked as retrievers ask it.

    Args:
        corpus: the label of the corpus.
        label: of the nodes that the index is over.
        index: its name.
        embedding_property: where the vectors are.
    """
    (row,) = graph.run(
        "vectors/sample",
        label,
        read=True,
        property=embedding_property,
        most=MOST_NODES_SAMPLED,
        compared=_MOST_NODES_COMPARED,
    )
    nodes, vectors = row["nodes"], row["vectors"]
    if not vectors:
        return IndexRecall(nodes, 0, 1.0)
    wanted = min(NEAREST_FOR_RECALL, nodes)
    found: list[list[str]] = []
    last: list[float] = []
    for vector in vectors:
        rows = graph.run(
            "retrieve/nearest_nodes",
            corpus,
            read=True,
            index=index,
            vector=vector,
            depth=depth_for(NEAREST_FOR_RECALL),
            limit=NEAREST_FOR_RECALL,
        )
        found.append([each["id"] for each in rows])
        last.append(rows[-1]["score"] + _EQUAL_COSINE_DIFFERENCE if len(rows) >= wanted else -2.0)
    compared = min(nodes, _MOST_NODES_COMPARED)
    missed = graph.run(
        "vectors/missed",
        label,
        read=True,
        property=embedding_property,
        vectors=vectors,
        found=found,
        last=last,
        compared=compared,
    )
    lost = sum(min(wanted, each["missed"] * nodes / compared) for each in missed)
    return IndexRecall(nodes, len(vectors), 1.0 - lost / (wanted * len(vectors)))
