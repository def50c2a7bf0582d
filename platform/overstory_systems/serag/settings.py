"""Settings of SeRAG's index and retriever: the published score, our score, and the ablations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from overstory.systems.settings import Preset, Presets, option
from overstory.systems.tree.kinds import TreeKind
from overstory_systems.serag.chunk_graph import FUSED, MEANING_ALONE, Shares

LINKED: Final = "LINKED"
"""Type of the relationships between chunks in the chunk graph."""
NAME: Final = "serag"
"""Name of the system, of its generations, and of its tree over the fused graph."""
SEMANTIC: Final = "serag-semantic"
"""Name of the tree over the layer SIMILAR alone, for the paper's ablation."""

LABEL: Final = "SeragNode"
REACH: Final = "reach"
"""Leaf property: cosine of the chunk to its k-th nearest neighbour (k = `nearest`). Missing if there are fewer."""
FUSED_TREE: Final = TreeKind(NAME, "SeRAG tree", "chunk", LABEL, structure=NAME, leaf_properties=(REACH,))
SEMANTIC_TREE: Final = TreeKind(
    SEMANTIC, "SeRAG tree over meaning alone", "chunk", LABEL, structure=NAME, options="semantic"
)
TREES: Final = {NAME: FUSED_TREE, SEMANTIC: SEMANTIC_TREE}

Search = Literal["auto", "exact", "gds"]
"""How nearest neighbours are found. "exact" compares all pairs of chunks. "gds" uses Graph Data Science and finds
nearly all neighbours. "auto" decides by the number of chunks."""


@dataclass(frozen=True, slots=True)
class SeragIndexSettings:
    """Settings of the index. docs/serag.md explains those for which the paper states no value.

    Attributes:
        common: An entity creates no edges if more chunks than this, or than max(50, 10 % of all chunks), mention it.
        sharing: Of the pairs that share entities, the strongest of each chunk are kept.
        linked: The strongest edges of each chunk are stored, but the tree is built from all edges.

    Source: SeRAG paper, Table 5.
    """

    levels: int = option(2, "community levels between the root and the chunks", least=1, most=8)
    semantic: bool = option(False, "build a second tree, over meaning alone")
    nearest: int = option(20, "nearest chunks to which each chunk is linked", least=1, most=1_000)
    common: int = option(1_000, "chunks that may mention an entity that makes edges", least=2, most=100_000)
    sharing: int = option(512, "chunks with shared entities to which each chunk is linked", least=1, most=10_000)
    linked: int = option(32, "stored edges of each chunk", least=1, most=1_000)
    search: Search = option("auto", "search for the nearest neighbours: exact, by Graph Data Science, or auto")

    def trees(self) -> dict[str, Shares]:
        """Return the names of the index's trees, each with its weights of the layers."""
        return {NAME: FUSED} | ({SEMANTIC: MEANING_ALONE} if self.semantic else {})


Tree = Literal["serag", "serag-semantic"]


@dataclass(frozen=True, slots=True)
class SeragRetrieverSettings:
    """Settings of the retriever, which computes the score S(q, v) of chunk v for question q.

    S(q, v) = fine · (cos(q, v) + bonus · log(1 + B)) + coarse · cos(q, h_β) + neighbours · near(v).

    B sums v's mentions of the question's entities (Eq. 13), and h_β is the vector of v's selected community. near(v) is
    ours: among the `anchors` best chunks, consider those linked to v within a community of the finest level. near(v) is
    the highest product of such a chunk's score and the edge's weight relative to the chunk's strongest edge. The
    defaults are ours, too (docs/serag.md). With a coarse term, only chunks of the selected communities are candidates.
    """

    coarse: float = option(0.0, "γ_c of Eq. 10: weight of the community's cosine", least=0, most=100)
    fine: float = option(1.0, "γ_f of Eq. 10: weight of the chunk's own score", least=0, most=100)
    bonus: float = option(0.15, "weight of the question's entities", least=0, most=100)
    idf_weighted: bool = option(True, "scale the entity bonus by IDF; ours")
    similar_names: bool = option(False, "also count names similar to those of the question (Eq. 12)")
    neighbours: float = option(0.1, "weight of the neighbour score; ours", least=0, most=100)
    anchors: int = option(5, "chunks whose neighbours are scored", least=0, most=1_000)
    communities: int = option(10, "k_coarse: communities selected on each level", least=1, most=10_000)
    tree: Tree = option(NAME, "tree to search")
    self_query: bool = option(True, "add a passage by the language model to the question, if there is a model")

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
        """Name of the property that contains the edge weights for the searched tree."""
        return "semantic_weight" if self.tree == SEMANTIC else "weight"
