"""How HiRAG's index is built."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from overstory.systems.settings import option


@dataclass(frozen=True, slots=True)
class HiragRetrieverSettings:
    """Source: HiRAG, Section 4.2; n = 20 is the paper's, the others are ours (docs/hirag.md).

    Attributes:
        flat: an index with summary layers is refused then.
    """

    entities: int = option(20, "n: entities nearest to the question (Eq. 12)", least=1, most=200)
    communities: int = option(8, "communities whose reports are read", least=0, most=100)
    keys: int = option(10, "m: key entities of each community (Eq. 14)", least=1, most=100)
    pairs: int = option(8, "pairs of key entities that are bridged", least=0, most=200)
    bridge: bool = option(True, "paths between communities (Eq. 15)")
    flat: bool = option(False, "asks an index without summary layers")


Clusters = Literal["mixture", "k-means"]
"""How the entities of a layer are clustered: as published, or into groups of equal size."""


@dataclass(frozen=True, slots=True)
class HiragIndexSettings:
    """Settings of the index; docs/hirag.md has their reasons.

    Attributes:
        layers: 0 stops where the cluster sparsity changes by at most 5 % (Section 5.4).
    """

    flat: bool = option(False, "no summary layers: the paper's ablation w/o HiIndex")
    layers: int = option(0, "summary layers; 0: until cluster sparsity settles", least=0, most=8)
    clusters: Clusters = option("mixture", "a Gaussian mixture, or groups of `cluster-size` by k-means")
    cluster_size: int = option(
        10, "entities that a cluster of k-means should have", least=2, most=30, only_with=("clusters", "k-means")
    )
    gleaning: bool = option(False, "a language model looks a second time for entities it missed")
