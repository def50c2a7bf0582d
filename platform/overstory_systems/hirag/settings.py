"""Settings of HiRAG's index and retriever."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from overstory.systems.settings import option


@dataclass(frozen=True, slots=True)
class HiragRetrieverSettings:
    """Settings of the retriever. The default of `entities` is from the paper, the others are ours (docs/hirag.md).

    Source: HiRAG paper, Section 4.2.

    Attributes:
        flat: If True, the retriever requires an index without summary layers.
    """

    entities: int = option(20, "n: entities nearest to the question (Eq. 12)", least=1, most=200)
    communities: int = option(8, "communities whose reports are read", least=0, most=100)
    keys: int = option(10, "m: key entities of each community (Eq. 14)", least=1, most=100)
    pairs: int = option(8, "pairs of key entities that are bridged", least=0, most=200)
    bridge: bool = option(True, "search paths between communities (Eq. 15)")
    flat: bool = option(False, "use an index without summary layers")


Clusters = Literal["mixture", "k-means"]
"""Clustering of a layer's entities: a Gaussian mixture as published, or k-means groups of similar size."""


@dataclass(frozen=True, slots=True)
class HiragIndexSettings:
    """Settings of the index, which docs/hirag.md explains.

    Attributes:
        layers: With 0, layers are added until the cluster sparsity changes by at most 5 % (Section 5.4).
    """

    flat: bool = option(False, "no summary layers: the paper's ablation w/o HiIndex")
    layers: int = option(0, "summary layers; 0: until cluster sparsity is stable", least=0, most=8)
    clusters: Clusters = option("mixture", "a Gaussian mixture, or k-means groups of `cluster-size`")
    cluster_size: int = option(10, "entities per k-means cluster", least=2, most=30, only_with=("clusters", "k-means"))
    gleaning: bool = option(False, "ask the language model a second time for entities it missed")
