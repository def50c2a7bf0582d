"""Settings of SeRAG's index and of its retriever: the published score, ours, and the ablations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from overstory.systems.settings import Preset, Presets, option
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


Tree = Literal["serag", "serag-semantic"]


@dataclass(frozen=True, slots=True)
class SeragRetrieverSettings:
    """S(q, v) = fine · (cos(q, v) + bonus · log(1 + B)) + coarse · cos(q, h_β) + neighbours · near(v).

    The last term is ours: the best score among the `anchors` best chunks that v is linked to inside a community of the
    finest level, times the edge's share of that chunk's strongest. The defaults are ours, too; docs/serag.md has what
    each term brings. With a coarse term only chunks of the selected communities are candidates.
    """

    coarse: float = option(0.0, "γ_c of Eq. 10: weight of the community's cosine", least=0, most=100)
    fine: float = option(1.0, "γ_f of Eq. 10: weight of the chunk's own score", least=0, most=100)
    bonus: float = option(0.15, "weight of the question's entities", least=0, most=100)
    idf_weighted: bool = option(True, "scale the entity bonus by IDF; ours")
    similar_names: bool = option(False, "names like those of the question count, too (Eq. 12)")
    neighbours: float = option(0.1, "weight of the neighbour score; ours", least=0, most=100)
    anchors: int = option(5, "chunks whose neighbours are scored", least=0, most=1_000)
    communities: int = option(10, "k_coarse: communities selected on each level", least=1, most=10_000)
    tree: Tree = option(NAME, "the tree that is asked")
    self_query: bool = option(True, "add a language model's passage to the question, where there is a model")

    presets: ClassVar[Presets] = {
        "paper": Preset(  # the paper's Table 5
            "the score as published; the default is ours",
            {
                "coarse": 0.4,
                "fine": 0.6,
                "bonus": 1.0,
                "idf_weighted": False,
                "similar_names": True,
                "neighbours": 0.0,
            },
        ),
        "flat": Preset("without tree and edges", {"coarse": 0.0, "neighbours": 0.0}),
        "semantic": Preset("tree and edges of meaning alone", {"tree": SEMANTIC}),
    }

    @property
    def edge_weight(self) -> str:
        """The property of the edges that counts."""
        return "semantic_weight" if self.tree == SEMANTIC else "weight"
