"""Settings of AutoPrunedRetriever's index."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from overstory.systems.settings import option

TripleSource = Literal["auto", "rules", "loaded"]
"""Where triples are from. "auto" takes those that were loaded with a chunk, else those that rules find in it."""


@dataclass(frozen=True, slots=True)
class AprIndexSettings:
    """Source: AutoPrunedRetriever, Sections 2.2, 2.3 and 2.7; the numbers are ours (docs/research/apr.md)."""

    triples: TripleSource = option("auto", "loaded OpenIE triples, those of rules, or the first where there are any")
    cohesion: float = option(0.7, "τ: how well a triple must fit into the run before it", least=0.0, most=1.0)
    merge: bool = option(True, "names that mean the same are one symbol; without it what was merged is undone")
    same: float = option(0.93, "cosine from which names may be merged", least=0.5, most=1.0)
    budget: int = option(200_000, "symbols above which names are merged by k-means, too", least=1_000, most=100_000_000)
