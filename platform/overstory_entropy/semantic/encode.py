"""The tree of a graph with texts: PARTITION down to the smallest groups, selection of the best groups, REGULATE."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from overstory_entropy.compile import Floats, Ints
from overstory_entropy.encoder import encode
from overstory_entropy.encoding_tree import EncodingTree
from overstory_entropy.errors import GraphError
from overstory_entropy.graph import Graph
from overstory_entropy.semantic.density import Arrangement, Density
from overstory_entropy.semantic.formula import (
    check_weight,
    density_for,
    estimated_groups,
    node_semantic_entropy,
    semantic_structural_entropy,
)
from overstory_entropy.semantic.partition import MOST_KERNEL_ENTRIES, Capped, Divider, partition_all
from overstory_entropy.semantic.prune import best_selection, prune, regulate, without_pass_throughs

Kept = Literal["partition", "partition of communities", "structure"]
PARTITION: Kept = "partition"
PARTITION_OF_COMMUNITIES: Kept = "partition of communities"
STRUCTURE: Kept = "structure"


class SemanticTree(EncodingTree):
    """An encoding tree with the semantic entropy of each node. Entropies are computed on first access.

    Attributes:
        kept: Origin of the tree: PARTITION from the root down, PARTITION inside the communities of the structural
            engine, or the tree of the structural engine.
    """

    def __init__(
        self, tree: EncodingTree, edges: Graph, density: Density, weight: float, capped: Capped, kept: Kept
    ) -> None:
        super().__init__(tree.parents, tree.leaves, tree.volume, tree.cut)
        self._edges, self._density, self._weight = edges, density, weight
        self._capped = capped
        self.kept: Kept = kept

    @cached_property
    def semantic_entropy(self) -> Floats:
        """H_sem of each node in bits, shape (nodes,); low if the texts of the node are similar.

        The values do not add up to the total. For a node of one vertex, it is the vertex's surprise in the nearest
        larger ancestor.
        """
        return node_semantic_entropy(self, self._density)

    @cached_property
    def total(self) -> float:
        """Minimised semantic–structural entropy S² in bits, exact if `estimated` is 0."""
        counted = EncodingTree.from_parents(self._edges, self.parents)
        return semantic_structural_entropy(self._edges, counted, self._density, weight=self._weight)

    @cached_property
    def estimated(self) -> int:
        """Number of groups whose density is estimated. The root counts if it is the only group of a vertex."""
        return estimated_groups(self, self._density) if self._weight > 0.0 else 0

    @property
    def capped(self) -> Capped:
        return self._capped

    def distinct(self) -> EncodingTree:
        """Return the tree without pass-through nodes, so that each set of vertices occurs once."""
        return distinct(self._edges, self)


def distinct(graph: Graph, tree: EncodingTree) -> EncodingTree:
    """Return the same tree without nodes that have a single child, so that each set of vertices occurs once.

    Both entropies stay the same. Node i of the result is a single vertex if i < n. The other nodes have two or more
    vertices, and the last is the root. Leaves may be at any depth.

    Args:
        graph: Graph of the tree's vertices.
        tree: A tree such as `encode_semantic` returns.
    """
    return without_pass_throughs(graph, tree)


Candidates = Literal["best", "partition"]
"""Trees to choose from: "best" for all three, "partition" for PARTITION from the root down, as published."""

MOST_NUMBERS_REMEMBERED = 2**23
"""Cached numbers, 128 MiB including their vertices. When the cache is full, it is cleared."""


@dataclass(frozen=True, eq=False)
class RememberedDensity(Density):
    """A density that caches its results. A set is identified by the sum of random numbers assigned to its vertices."""

    _known: dict[tuple[int, int], tuple[Ints, Floats]] = field(default_factory=dict)
    _kept: list[int] = field(default_factory=lambda: [0])

    @classmethod
    def of(cls, density: Density) -> RememberedDensity:
        return cls(density.points, density.bandwidth, density.exact_members)

    def surprise(self, members: Ints, asked: Ints | None = None) -> Floats:
        key = (len(members), int(self._numbers[members].sum()))
        known = self._known.get(key)
        if known is None:
            if asked is not None and 2 * len(asked) < len(members):
                return super().surprise(members, asked)
            known = members.copy(), super().surprise(members)
            if self._kept[0] + len(members) > MOST_NUMBERS_REMEMBERED:
                self._known.clear()
                self._kept[0] = 0
            self._known[key] = known
            self._kept[0] += len(members)
        self._by_vertex[known[0]] = known[1]
        found: Floats = self._by_vertex[members if asked is None else asked]
        return found

    @cached_property
    def _numbers(self) -> NDArray[np.uint64]:
        return np.random.default_rng(0).integers(0, 2**64, self.vertices, dtype=np.uint64)

    @cached_property
    def _by_vertex(self) -> Floats:
        return np.empty(self.vertices)


def encode_semantic(
    graph: Graph,
    vectors: Density | ArrayLike,
    *,
    height: int = 4,
    weight: float = 1.0,
    structure: bool = True,
    candidates: Candidates = "best",
    seed: int = 0,
    kernel_entries: int = MOST_KERNEL_ENTRIES,
) -> SemanticTree:
    """Return an encoding tree of low semantic–structural entropy, with every leaf at depth `height`.

    Three high trees are built: PARTITION from the root down, PARTITION inside the communities of the structural engine,
    and the tree of the structural engine itself. In each, `best_selection` chooses the nodes to keep, and PRUNE removes
    those that still raise the entropy. REGULATE then levels the best of the three, named by `SemanticTree.kept`. So
    with λ = 0 the result is never worse than that of the structural engine. With `candidates="partition"` only the
    first is built.

    A node of more than √`kernel_entries` vertices (4,096) is divided by moving blocks of vertices, neighbours in the
    structural tree and similar in text. The number of blocks keeps the kernel matrix within 128 MiB. Apart from the
    vectors, no larger array is held.

    Args:
        vectors: Shape (n, d), or a `Density` made from the vectors.
        height: ≥ 1. The root, and height − 1 levels of groups.
        weight: λ ≥ 0, weight of one bit of text; 0.0 ignores the texts.
        structure: True if the edges count.
        candidates: Trees to choose from.
        seed: The same seed gives the same tree.
        kernel_entries: Size of the largest kernel matrix.

    Raises:
        GraphError: The arguments are inconsistent or invalid. The message names the first bad row of the vectors.

    Source: T-Retriever, Adaptive Compression Encoding; for density and weighting see `Density` and
    `semantic_structural_entropy`.
    """
    check_weight(weight)
    if height < 1:
        raise GraphError(f"the height must be at least 1, got {height}")
    plain = density_for(graph, vectors, seed=seed)
    density = RememberedDensity.of(plain)
    edges = graph if structure else Graph.from_edges(graph.vertices, np.empty((0, 2), dtype=np.int64))
    divider = Divider(edges, density, weight, np.random.default_rng(seed), kernel_entries=kernel_entries)
    best, least, kept = EncodingTree.from_labels(edges), np.inf, PARTITION
    for name, high in _high_trees(divider, height, candidates, seed):
        low = best_selection(edges, high, density, height, weight)
        low = prune(edges, low, density, height=height, weight=weight, gaining=True).tree
        bits = semantic_structural_entropy(edges, low, density, weight=weight)
        if bits < least:
            best, least, kept = low, bits, name
    regulated = regulate(graph, best, height)
    return SemanticTree(regulated, edges, plain, weight, divider.capped, kept)


def _high_trees(
    divider: Divider, height: int, candidates: Candidates, seed: int
) -> Iterator[tuple[Kept, EncodingTree]]:
    """Yield trees of any height, from which a tree of the requested height is selected."""
    graph = divider.graph
    if graph.edges == 0 or height == 1:
        yield PARTITION, partition_all(divider)
        return
    communities = _structural_tree(graph, 1, seed)
    divider.arrangement = Arrangement.of(divider.density.points, communities)
    yield PARTITION, partition_all(divider)
    if candidates == "best":
        yield PARTITION_OF_COMMUNITIES, partition_all(divider, communities)
        yield STRUCTURE, _structural_tree(graph, height - 1, seed)


def _structural_tree(graph: Graph, levels: int, seed: int) -> EncodingTree:
    return without_pass_throughs(graph, encode(graph, levels=levels, seed=seed))
