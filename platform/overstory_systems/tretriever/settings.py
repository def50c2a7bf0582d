"""Settings of T-Retriever's index."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from overstory.errors import SettingsError
from overstory.systems.settings import Preset, Presets, option


@dataclass(frozen=True, slots=True)
class TRetrieverRetrieverSettings:
    """Source: T-Retriever, Eq. 12; k = 6 is the paper's, the other number ours (docs/tretriever.md)."""

    subgraphs: int = option(6, "k: nodes of the tree nearest to the question, of all levels", least=1, most=50)
    vertices: int = option(12, "vertices of each that are read, those nearest to the question", least=1, most=1_000)
    sets: bool = option(True, "sets of the tree; without them single vertices are looked for")
    neighbours: bool = option(True, "a single vertex near the question brings those that it has edges with")

    presets: ClassVar[Presets] = {
        "paper": Preset(
            "as published: all vertices of a set, single ones without neighbours",
            {"neighbours": False, "vertices": 1_000},
        )
    }


Over = Literal["auto", "documents", "entities"]
"""What the vertices may be. "auto" takes documents where there are links between some, else entities."""

Vertices = Literal["documents", "entities"]
"""What they are."""


@dataclass(frozen=True, slots=True)
class TRetrieverIndexSettings:
    """Source: the paper's S²-Entropy, Eq. 5 and 6; docs/tretriever.md says where the defaults are from."""

    over: Over = option("auto", "documents joined by links, or names; auto takes documents where there are links")
    height: int = option(4, "of the tree: levels of groups between the root and the leaves, plus one", least=2, most=8)
    semantic: float = option(1.0, "the weight of the texts beside the edges; 0 for edges alone", least=0.0, most=1e3)
    structure: bool = option(True, "the edges count")
    tree: Literal["best", "partition"] = option("best", "of three trees the one of least entropy, or PARTITION's")
    bandwidth: float = option(6.0, "how wide groups of similar texts are, in likeliest bandwidths", least=0.1, most=100)
    edge_weights: bool = option(True, "edges count by their weights, not all alike")

    def require_something(self) -> None:
        if not self.structure and self.semantic == 0.0:
            raise SettingsError(
                "T-Retriever's index has nothing to group by: no-structure leaves the edges out, semantic=0 the texts.",
                remedy="Add structure, semantic=1 or defaults: options that were given before are kept.",
            )
