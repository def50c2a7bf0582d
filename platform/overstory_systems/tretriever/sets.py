"""The distinct sets of a tree, as summarisers read them.

Source: T-Retriever, Eq. 10: a summary is made from the texts of the vertices and of the edges of a set.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from overstory.systems.tree.reports import Report
from overstory_entropy import EncodingTree, Graph
from overstory_systems.tretriever.summaries import SetToSummarise, ShownEdge
from overstory_systems.tretriever.vertex_graph import Ints, VertexGraph

MOST_MEMBERS = 30
"""Vertices of a set that are read for its summary, those nearest to the mean of all."""
MOST_EDGES = 30
MOST_PARTS = 20
"""Summaries of sets right below that are read with them, those of the largest."""


class Sets:
    """What the summaries of a tree's sets are made from.

    Attributes:
        count: how many sets of two vertices or more there are, without the root.
        keys: of every node a digest of what stands below it: what its summary is made from.
    """

    def __init__(self, graph: VertexGraph, edges: Graph, tree: EncodingTree) -> None:
        """
        Args:
            edges: `graph` for the entropy engine, as the tree was made over it.
            tree: without pass-through nodes.
        """
        self._graph, self._edges, self._tree = graph, edges, tree
        self._local = np.full(len(graph.ids), -1, dtype=np.int64)
        self.count = max(0, len(tree) - tree.leaves - 1)
        self.keys = _keys(graph, tree)

    def bottom_up(self) -> Iterator[list[int]]:
        """The nodes of two vertices or more but the root, those of the lowest level first."""
        tree = self._tree
        inner = np.arange(tree.leaves, len(tree) - 1)
        for depth in range(tree.height - 1, 0, -1):
            yield inner[tree.depths[inner] == depth].tolist()

    def to_summarise(self, nodes: Sequence[int], reports: Mapping[int, Report]) -> Iterator[SetToSummarise]:
        """These nodes, in order.

        Args:
            reports: of the nodes summarised so far; those of a node's children must be there when it is asked for.
        """
        tree = self._tree
        for node in nodes:
            members = np.sort(tree.members(node))
            shown = self._nearest_to_mean(members)
            below = tree.children(node)
            parts = [child for child in below.tolist() if child in reports]
            parts.sort(key=lambda child: (-int(tree.sizes[child]), child))
            volume = float(tree.volume[node])
            yield SetToSummarise(
                key=self.keys[node],
                members=shown.tolist(),
                size=len(members),
                inside=1.0 - float(tree.cut[node]) / volume if volume > 0.0 else 0.0,
                edges=self._edges_among(shown),
                parts=[reports[child] for child in parts[:MOST_PARTS]],
            )

    def _nearest_to_mean(self, members: Ints) -> Ints:
        vectors = self._graph.vectors[members]
        cosines = np.rint(vectors @ vectors.mean(axis=0) * 2**20)
        return members[np.argsort(-cosines, kind="stable")[:MOST_MEMBERS]]

    def _edges_among(self, members: Ints) -> list[ShownEdge]:
        """The strongest edges between some vertices."""
        graph, edges, local = self._graph, self._edges, self._local
        local[members] = np.arange(len(members))
        rows: list[tuple[float, int, int]] = []
        for member in members.tolist():
            row = slice(int(edges.indptr[member]), int(edges.indptr[member + 1]))
            neighbours = edges.neighbours[row]
            inside = np.flatnonzero((local[neighbours] >= 0) & (neighbours > member))
            weights, others = edges.weights[row][inside], neighbours[inside]
            rows.extend((-float(w), member, int(other)) for w, other in zip(weights, others, strict=True))
        local[members] = -1
        shown = [(one, other, graph.edge_at(one, other)) for _, one, other in sorted(rows)[:MOST_EDGES]]
        return [
            ShownEdge(*((other, one) if graph.turned[at] else (one, other)), graph.chunks[at], graph.says[at])
            for one, other, at in shown
        ]


def _keys(graph: VertexGraph, tree: EncodingTree) -> list[str]:
    """A digest of each node: of a leaf the vertex, what it says and its edges; above them of all children.

    The edges of a vertex are in it, so that a set whose edges changed has another digest.
    """
    own = graph.edge_digests
    keys = [_digest(id_, source, edges) for id_, source, edges in zip(graph.ids, graph.sources, own, strict=True)]
    below: list[list[str]] = [[] for _ in range(len(tree) - tree.leaves)]
    keys += [""] * len(below)
    for node in np.argsort(-tree.depths, kind="stable").tolist():
        if node >= tree.leaves:
            keys[node] = _digest(*sorted(below[node - tree.leaves]))
        if node != tree.root:
            below[int(tree.parents[node]) - tree.leaves].append(keys[node])
    return keys


def _digest(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]
