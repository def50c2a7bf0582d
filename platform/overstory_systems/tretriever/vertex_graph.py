"""The textual attributed graph that a tree is built over: what is computed with, before anything of it is stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from overstory.model.units import Unit
from overstory.protocols import Vectors

if TYPE_CHECKING:
    from overstory_entropy import Graph  # which takes a second to import

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class VertexGraph:
    """Vertices with vectors of their texts, and edges between them.

    Attributes:
        unit: what a vertex is.
        ids: n of them, of documents or entities, ascending; all else names vertices by their places here.
        sources: a digest of what each vertex says: equal digests, equal texts.
        vectors: float32[n, d], of unit length; zeros where a vertex has none.
        ends: shape (m, 2), the lower place first; each pair once, in order.
        weights: shape (m,), above 0.
        chunks: the ids of the passages that state each edge, the most important first; none for links of documents.
        says: what each edge says: the sentence of a relation, types and texts of links; may be "".
        turned: shape (m,), whether an edge leads from the higher place to the lower; False where it leads both ways, or
            has no direction.
    """

    unit: Unit
    ids: list[str]
    sources: list[str]
    vectors: Vectors
    ends: Ints
    weights: Floats
    chunks: Sequence[tuple[str, ...]]
    says: Sequence[str]
    turned: NDArray[np.bool_]

    def as_graph(self, *, weighted: bool = True) -> Graph:
        """The same for the entropy engine.

        Args:
            weighted: False for weight 1 everywhere, as in the paper.
        """
        from overstory_entropy import Graph

        weights = self.weights if weighted else np.ones(len(self.weights))
        return Graph.from_edges(len(self.ids), self.ends, weights)

    def edge_at(self, one: int, other: int) -> int:
        """The place of the edge between two vertices, `one` the lower place."""
        start, end = np.searchsorted(self.ends[:, 0], [one, one + 1]).tolist()
        return int(start + np.searchsorted(self.ends[start:end, 1], other))


class VertexText(NamedTuple):
    """What a vertex says.

    Attributes:
        name: its title, or its name.
        text: what is said of it, without its name in front; may be "".
        chunks: the ids of the passages that the text is taken from.
    """

    name: str
    text: str
    chunks: tuple[str, ...]


VertexTexts = Callable[[Sequence[int]], list[VertexText]]
"""The texts of vertices by their places, read when they are needed."""
