"""Builds the tree of a graph with texts: divides the vertices into small groups, and selects the best groups."""

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
    """An encoding tree with the semantic entropy of each node. Entropies are computed when they are first accessed.

    Attributes:
        kept: The candidate tree from which this tree was made. `PARTITION` is the tree made by PARTITION from the root
            downwards, `PARTITION_OF_COMMUNITIES` the tree made by PARTITION inside the communities that `encode` finds,
            and `STRUCTURE` the tree that `encode` finds.
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
        """Semantic entropy of each node in bits, shape (nodes,). It is low if the texts of the node are similar.

        The semantic entropy of a node with one vertex is the vertex's surprise in the nearest ancestor with several
        vertices. The values do not add up to `total`.
        """
        return node_semantic_entropy(self, self._density)

    @cached_property
    def total(self) -> float:
        """Semantic–structural entropy of the tree in bits, which was minimised. It is exact if `estimated` is 0."""
        counted = EncodingTree.from_parents(self._edges, self.parents)
        return semantic_structural_entropy(self._edges, counted, self._density, weight=self._weight)

    @cached_property
    def estimated(self) -> int:
        """Number of groups whose density is estimated. The root counts if some vertex is in no other group."""
        return estimated_groups(self, self._density) if self._weight > 0.0 else 0

    @property
    def capped(self) -> Capped:
        return self._capped

    def distinct(self) -> EncodingTree:
        """Return the tree without nodes that have only one child, so that each set of vertices occurs only once."""
        return distinct(self._edges, self)


def distinct(graph: Graph, tree: EncodingTree) -> EncodingTree:
    """Return the tree without nodes that have only one child, so that each set of vertices occurs only once.

    The structural and the semantic entropy stay the same. In the result, the nodes 0 … n−1 are the vertices, all other
    nodes contain at least two vertices, and the last node is the root. Leaves may be at any depth.
    """
    return without_pass_throughs(graph, tree)


Candidates = Literal["best", "partition"]
"""Candidate trees to build: "best" for all three, or "partition" for PARTITION from the root, as in the paper."""

MOST_NUMBERS_REMEMBERED = 2**23
"""Maximum size of the cache in numbers. With their vertices, they take 128 MiB. A full cache is cleared."""


@dataclass(frozen=True, eq=False)
class RememberedDensity(Density):
    """A density that caches its results. A set is identified by its size and a hash of its vertices."""

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
    """Search for an encoding tree with low semantic–structural entropy, in which every leaf is at depth `height`.

    Three candidate trees are built, which may be higher than `height`:

    - the tree made by PARTITION from the root downwards;
    - the tree made by PARTITION inside the communities that `encode` finds;
    - the tree that `encode` finds.

    In each tree, `best_selection` chooses the nodes to keep, and PRUNE removes nodes that still increase the entropy.
    REGULATE then moves all leaves of the best of the three trees to the same depth. `SemanticTree.kept` states which
    tree was best. If the texts are ignored, the result is therefore never worse than that of `encode`. With
    `candidates="partition"`, only the first tree is built.

    A node with more than √`kernel_entries` vertices (4,096 by default) is divided by moving blocks of vertices. The
    vertices of a block are close in the tree that `encode` finds, and their texts are similar. The number of blocks is
    chosen so that the kernel matrix takes at most 128 MiB. Apart from the vectors, no larger array is kept in memory.

    Args:
        vectors: Shape (n, d). Vectors of the texts, or a `Density` made from them.
        height: Depth of the leaves, ≥ 1. There are height − 1 levels of groups below the root.
        weight: Weight of the texts, ≥ 0, which is called λ in formulas. With 0.0, the texts are ignored.
        structure: False to ignore the edges.
        seed: Random seed. The same seed leads to the same tree.

    Raises:
        GraphError: The arguments are invalid or do not fit together. If rows of the vectors are invalid, the message
            names the first of them.

    Source: T-Retriever, Adaptive Compression Encoding. The density and the weighting differ from the paper; see
    `Density` and `semantic_structural_entropy`.
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
    """Yield the candidate trees, which may have any height. From each, a tree of the requested height is selected."""
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
