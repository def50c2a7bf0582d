"""Settings of T-Retriever's index and retriever."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from overstory.errors import SettingsError
from overstory.systems.settings import Preset, Presets, option


@dataclass(frozen=True, slots=True)
class TRetrieverRetrieverSettings:
    """Settings of the retriever. The default of `subgraphs` is from the paper, `vertices` is ours (docs/tretriever.md).

    Source: T-Retriever paper, Eq. 12.
    """

    subgraphs: int = option(6, "k: nodes of the tree nearest to the question, on any level", least=1, most=50)
    vertices: int = option(12, "vertices read per node, those nearest to the question", least=1, most=1_000)
    sets: bool = option(True, "search sets of vertices; off searches single vertices only")
    neighbours: bool = option(True, "add the neighbours of a single vertex near the question")

    presets: ClassVar[Presets] = {
        "paper": Preset(
            "as published: all vertices of a set, single ones without neighbours",
            {"neighbours": False, "vertices": 1_000},
        )
    }


Over = Literal["auto", "documents", "entities"]
"""Setting for the vertices. "auto" means documents if there are links between documents, otherwise entities."""

Vertices = Literal["documents", "entities"]
"""Kind of the vertices of a tree."""


@dataclass(frozen=True, slots=True)
class TRetrieverIndexSettings:
    """Settings of the index. docs/tretriever.md explains the defaults.

    Source: T-Retriever paper, S²-Entropy, Eq. 5 and 6.
    """

    over: Over = option("auto", "vertices: documents joined by links, or entities; auto: documents if there are links")
    height: int = option(4, "height of the tree: levels of groups between root and leaves, plus one", least=2, most=8)
    semantic: float = option(1.0, "weight of the texts relative to the edges; 0 for edges alone", least=0.0, most=1e3)
    structure: bool = option(True, "use the edges")
    tree: Literal["best", "partition"] = option("best", "the tree of least entropy out of three, or PARTITION's")
    bandwidth: float = option(6.0, "width of groups of similar texts, in likeliest bandwidths", least=0.1, most=100)
    edge_weights: bool = option(True, "use the weights of edges; off counts all edges alike")

    def require_something(self) -> None:
        if not self.structure and self.semantic == 0.0:
            raise SettingsError(
                "T-Retriever's index has nothing to group by: no-structure ignores the edges, "
                "and semantic=0 ignores the texts.",
                remedy="Add structure, semantic=1 or defaults. Options of earlier runs are kept.",
            )
