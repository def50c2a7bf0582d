"""How SeRAG's retriever answers: the published score, ours, and the ablations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from overstory.systems.settings import Preset, Presets, option
from overstory_systems.serag.index_settings import NAME, SEMANTIC

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
