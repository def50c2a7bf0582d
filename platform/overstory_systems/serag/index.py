"""The SeRAG system. Its index needs no language model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib.resources import files

from overstory.display import counted
from overstory.graph import Corpus, GraphClient
from overstory.protocols import Retriever
from overstory.retrieve import RetrievalContext
from overstory.systems.base import Owned, System, SystemRun
from overstory.systems.settings import described
from overstory.systems.state import IndexState
from overstory.systems.tree.kinds import TreeKind
from overstory_systems.serag.build import FusedGraphBuild
from overstory_systems.serag.settings import (
    FUSED_TREE,
    LABEL,
    NAME,
    SEMANTIC,
    SEMANTIC_TREE,
    SeragIndexSettings,
    SeragRetrieverSettings,
)
from overstory_systems.serag.update import Update, can_update

SERAG_BYTES_A_PASSAGE, SERAG_BYTES_A_SHARER = 12_000, 12
"""Bytes that a build needs for a passage, and for each other passage with which it may share entities
(docs/scale.md)."""


class SeRag(System[SeragIndexSettings, SeragRetrieverSettings]):
    """The SeRAG system, which builds a chunk graph and its encoding tree.

    Source: SeRAG paper, Sections 3.1 and 3.2.
    """

    name = NAME
    title = "SeRAG"
    good_for = "which passages belong together, and a search among their neighbours"
    settings = SeragIndexSettings
    retriever_settings = SeragRetrieverSettings
    unit = "chunk"
    memory_remedy = "With serag:sharing=64,common=200 it keeps fewer edges and takes less."
    owns = Owned(
        labels=(LABEL,),
        relationship_types=("LINKED", "SIMILAR"),
        generations=(NAME,),
        saved_queries=("systems/serag/saved_queries/linked_passages",),
        examples="systems/serag/examples",
        style=files("overstory_systems.serag").joinpath("style.grass"),
    )
    trees = (FUSED_TREE, SEMANTIC_TREE)

    def bytes_a_passage(self, settings: SeragIndexSettings, graph: GraphClient, corpus: Corpus) -> int:  # noqa: ARG002 # they do not matter
        """Return the memory per passage, which grows with the number of edges from shared entities."""
        return SERAG_BYTES_A_PASSAGE + SERAG_BYTES_A_SHARER * min(settings.sharing, settings.common)

    def build(self, run: SystemRun[SeragIndexSettings]) -> None:
        if run.before is not None and can_update(run):
            Update(run, run.before).run()
        else:
            FusedGraphBuild(run).run()

    def index_options(self, settings: SeragRetrieverSettings) -> str:
        """Return the option that builds the second tree if the settings search this tree."""
        return "semantic" if settings.tree == SEMANTIC else ""

    def describe(self, state: IndexState[SeragIndexSettings]) -> str:
        """Describe the levels, non-default settings, and how neighbours were found."""
        settings = state.settings
        levels = counted(settings.levels, "community level")
        second = f"a second tree ({SEMANTIC})" if settings.semantic else ""
        others = described(replace(settings, levels=SeragIndexSettings().levels, semantic=False))
        by = "found by GDS" if state.details.get("by_gds") else "found exactly"
        return ", ".join(filter(None, (levels, second, others))) + f"; similar chunks {by}"

    def figures(self, graph: GraphClient, corpus: Corpus, state: IndexState[SeragIndexSettings]) -> Mapping[str, float]:
        (row,) = graph.run("systems/serag/report", corpus.label, read=True, generation=state.generation)
        return {"stored_edges": row["links"], "tree_nodes": row["nodes"]}

    def has_tree(self, tree: TreeKind, state: IndexState[SeragIndexSettings]) -> bool:
        """Return True if the index contains the tree. The tree over meaning alone is optional."""
        return tree.name in state.settings.trees()

    def retriever(self, context: RetrievalContext, settings: SeragRetrieverSettings) -> Retriever:
        from overstory_systems.serag.retriever import SeragRetriever

        return SeragRetriever(self, context, settings)
