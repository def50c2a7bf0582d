"""How HiRAG's retriever answers."""

from __future__ import annotations

from dataclasses import dataclass

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
