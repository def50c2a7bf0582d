"""How T-Retriever's retriever answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

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
