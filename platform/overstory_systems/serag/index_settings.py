"""Settings of SeRAG's index."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from overstory.systems.settings import option
from overstory.systems.tree.kinds import TreeKind
from overstory_systems.serag.chunk_graph import FUSED, MEANING_ALONE, Shares

LINKED: Final = "LINKED"
"""The type of the edges of the chunk graph."""
NAME: Final = "serag"
"""Of the system, of its generations, and of its tree over the fused graph."""
SEMANTIC: Final = "serag-semantic"
"""The tree over the layer SIMILAR alone, for the ablation of the paper."""

LABEL: Final = "SeragNode"
REACH: Final = "reach"
"""Of a leaf: the cosine of the last of the chunk's nearest; left out where it has fewer of them than wanted."""
FUSED_TREE: Final = TreeKind(NAME, "SeRAG tree", "chunk", LABEL, structure=NAME, leaf_properties=(REACH,))
SEMANTIC_TREE: Final = TreeKind(
    SEMANTIC, "SeRAG tree over meaning alone", "chunk", LABEL, structure=NAME, options="semantic"
)
TREES: Final = {NAME: FUSED_TREE, SEMANTIC: SEMANTIC_TREE}

Search = Literal["auto", "exact", "gds"]
"""Who finds the nearest neighbours: "exact" compares all chunks with all, "gds" has Graph Data Science find nearly all
of them, "auto" decides by the number of chunks."""


@dataclass(frozen=True, slots=True)
class SeragIndexSettings:
    """Source of the defaults: the paper's Table 5; docs/serag.md has the others' reasons.

    Attributes:
        common: an entity that more chunks mention makes no edges, nor one that more than a tenth of them mention.
        sharing: the strongest are kept.
        linked: the strongest are stored; the tree is made from all.
    """

    levels: int = option(2, "community levels between the root and the chunks", least=1, most=8)
    semantic: bool = option(False, "a second tree, over meaning alone")
    nearest: int = option(20, "chunks that each is similar to", least=1, most=1_000)
    common: int = option(1_000, "the most chunks of an entity that makes edges", least=2, most=100_000)
    sharing: int = option(512, "the most chunks that each shares entities with", least=1, most=10_000)
    linked: int = option(32, "stored edges of each chunk", least=1, most=1_000)
    search: Search = option("auto", "who finds the nearest neighbours")

    def trees(self) -> dict[str, Shares]:
        """The trees that the index has, and what each layer counts in them."""
        return {NAME: FUSED} | ({SEMANTIC: MEANING_ALONE} if self.semantic else {})
