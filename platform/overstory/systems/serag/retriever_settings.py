"""How SeRAG's retriever answers: the published score, ours, and the ablations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from overstory.errors import SettingsError
from overstory.systems.serag.index_settings import NAME, SEMANTIC

SelfQuery = Literal["model", "none"]


@dataclass(frozen=True, slots=True)
class SeragOptions:
    """S(q, v) = fine · (cos(q, v) + bonus · log(1 + B)) + coarse · cos(q, h_β) + beside · near(v).

    The last term is ours: the best score among the `anchors` best chunks that v is linked to inside a community of the
    finest level, times the edge's share of that chunk's strongest. The defaults are ours, too; docs/serag.md has what
    each term brings.

    Attributes:
        coarse, fine: γ_c and γ_f of Eq. 10. With a coarse term only chunks of the selected communities are candidates.
        bonus: of the entities of the question.
        idf_weighted: whether an entity's bonus is multiplied by its IDF weight; ours.
        similar_names: whether names that are like those of the question count, too (Eq. 12).
        beside, anchors: of the last term.
        communities: selected on each level (k_coarse).
        tree: the tree that is asked.
        self_query: what is added to a question: a language model's passage where there is one, or nothing.
    """

    coarse: float = 0.0
    fine: float = 1.0
    bonus: float = 0.15
    idf_weighted: bool = True
    similar_names: bool = False
    beside: float = 0.1
    anchors: int = 5
    communities: int = 10
    tree: str = NAME
    self_query: SelfQuery = "model"

    @property
    def edge_weight(self) -> str:
        """The property of the edges that counts."""
        return "similar" if self.tree == SEMANTIC else "weight"

    @classmethod
    def named(cls, option: str) -> SeragOptions:
        """Those that `serag:paper,flat` names.

        Raises:
            SettingsError: there is none of a name.
        """
        names = list(dict.fromkeys(name.strip() for name in option.split(",") if name.strip()))
        unknown = [name for name in names if name not in OPTIONS]
        if unknown:
            raise SettingsError(
                f"The retriever 'serag' has no option {unknown[0]!r}.", remedy=f"Use: {', '.join(OPTIONS)}."
            )
        found = _PAPER if "paper" in names else cls()
        if "flat" in names:
            found = replace(found, coarse=0.0, beside=0.0)
        if "semantic" in names:
            found = replace(found, tree=SEMANTIC)
        if "no-self-query" in names:
            found = replace(found, self_query="none")
        return found


OPTIONS = ("paper", "flat", "semantic", "no-self-query")

_PAPER = SeragOptions(coarse=0.4, fine=0.6, bonus=1.0, idf_weighted=False, similar_names=True, beside=0.0)
"""The paper's Table 5."""
