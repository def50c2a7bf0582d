"""Finds encoding trees, which are hierarchical partitions that describe the edges of a graph in the fewest bits.

The package consists of pure functions on arrays. It needs only numpy and numba, and does not import `overstory`. Its
names are imported on first use, so that importing `overstory_entropy.errors` loads neither numpy nor numba.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from overstory_entropy.consolidation import community_vectors, structural_weights
    from overstory_entropy.encoder import encode
    from overstory_entropy.encoding_tree import EncodingTree, flat_entropy, structural_entropy
    from overstory_entropy.errors import GraphError
    from overstory_entropy.graph import Graph

__all__ = [
    "EncodingTree",
    "Graph",
    "GraphError",
    "community_vectors",
    "encode",
    "flat_entropy",
    "structural_entropy",
    "structural_weights",
]

_HOMES = {
    "consolidation": ("community_vectors", "structural_weights"),
    "encoder": ("encode",),
    "encoding_tree": ("EncodingTree", "flat_entropy", "structural_entropy"),
    "errors": ("GraphError",),
    "graph": ("Graph",),
}


def __getattr__(name: str) -> object:
    for module, names in _HOMES.items():
        if name in names:
            value: object = getattr(importlib.import_module(f"{__name__}.{module}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
