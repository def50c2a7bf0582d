"""The HiRAG system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib.resources import files

from overstory.display import counted
from overstory.graph import Corpus, GraphClient
from overstory.llm import Chat, Estimate
from overstory.protocols import Retriever
from overstory.retrieve import RetrievalContext
from overstory.systems.base import BuildContext, Owned, System, SystemRun, SystemView
from overstory.systems.entity_graph.counts import most_names
from overstory.systems.entity_graph.descriptions import DESCRIPTIONS_VERSION
from overstory.systems.settings import described
from overstory.systems.state import IndexState
from overstory.systems.tree.kinds import TreeKind
from overstory_systems.hirag.knowledge_graph import (
    COMMUNITIES,
    COMMUNITY,
    DESCRIPTION,
    ENTITY,
    LAYERS,
    NAME,
    READING,
    REPORT,
)
from overstory_systems.hirag.reports import reporter_for
from overstory_systems.hirag.settings import HiragIndexSettings, HiragRetrieverSettings
from overstory_systems.hirag.summaries import summariser_for

_NAMES_A_CLUSTER = 5  # assumed before a build
_NAMES_A_COMMUNITY = 2
"""Assumed numbers of names, for estimates before a build. In real graphs, both are about twice as high."""

_HIRAG_BYTES_A_PASSAGE = 31_000
"""Memory that a build needs per passage for entities, relations and clusters, in bytes, as measured (docs/scale.md)."""


class HiRag(System[HiragIndexSettings, HiragRetrieverSettings]):
    """The HiRAG system, which builds summary layers and communities.

    Source: HiRAG paper, Sections 4.1 and 5.4, Algorithm 1.
    """

    name = NAME
    title = "HiRAG"
    good_for = "what all documents are about: reports on communities, with sources"
    settings = HiragIndexSettings
    retriever_settings = HiragRetrieverSettings
    unit = "chunk"
    owns = Owned(
        labels=(ENTITY, DESCRIPTION, COMMUNITY, REPORT, READING),
        marks=("HiragBridged",),
        vector_indexes=(ENTITY,),
        generations=(NAME,),
        saved_queries=tuple(f"systems/hirag/saved_queries/{name}" for name in ("layer", "entity", "bridge")),
        examples="systems/hirag/examples",
        style=files("overstory_systems.hirag").joinpath("style.grass"),
    )
    trees = (COMMUNITIES, LAYERS)
    reads_with_model = True
    answers_on_all = True

    def require(self, settings: HiragIndexSettings, graph: GraphClient) -> None:
        from overstory.vectors.k_means import require_clustering
        from overstory_systems.hirag.communities import require_gds

        require_gds(graph)
        if not settings.flat:
            require_clustering()

    def fingerprint(self, settings: HiragIndexSettings, context: BuildContext, chat: Chat | None) -> str:  # noqa: ARG002
        """Return the fingerprint of the rules, or of the language model and its prompts."""
        parts = [str(DESCRIPTIONS_VERSION), summariser_for(chat, "").fingerprint, reporter_for(chat, "").fingerprint]
        if chat is not None:
            from overstory_systems.hirag.model_extraction import (
                reader_fingerprint,  # pydantic is needed only with a model
            )

            parts.insert(0, reader_fingerprint(chat, settings))
        return " ".join(parts)

    def bytes_a_passage(self, settings: HiragIndexSettings, graph: GraphClient, corpus: Corpus) -> int:  # noqa: ARG002 # they do not matter
        """Return a constant, because memory use hardly depends on the settings."""
        return _HIRAG_BYTES_A_PASSAGE

    def build(self, run: SystemRun[HiragIndexSettings]) -> None:
        from overstory_systems.hirag.build import HierarchyBuild

        HierarchyBuild(run).run()

    def estimate(self, view: SystemView[HiragIndexSettings]) -> Estimate:
        """Estimate the cost from the number of names, as if all clusters and communities were new.

        The actual cost is lower if summaries and reports of the index in use are kept.
        """
        from overstory_systems.hirag.model_extraction import estimate_reading
        from overstory_systems.hirag.model_texts import ModelClusterSummariser, ModelReporter

        reading = estimate_reading(view)
        chat = view.context.chat(view.model)
        names = most_names(view.graph, view.corpus.label)
        clusters = 0 if view.settings.flat else -(-names // _NAMES_A_CLUSTER)
        communities = -(-names // _NAMES_A_COMMUNITY)
        summaries = ModelClusterSummariser(chat, view.model).estimate(clusters)
        whole = reading + summaries + ModelReporter(chat, view.model).estimate(communities)
        if not view.is_as_built or view.before is None:
            return whole
        reports = int(self.figures(view.graph, view.corpus, view.before)["reports"])
        return replace(whole, kept=int(view.before.figures["clusters_summarised"]) + reports)

    def index_options(self, settings: HiragRetrieverSettings) -> str:
        """Return the option of a flat index (the paper's ablation w/o HiIndex) if the settings require it."""
        return "flat" if settings.flat else ""

    def has_tree(self, tree: TreeKind, state: IndexState[HiragIndexSettings]) -> bool:
        """Return False only for the summary layers of a flat index."""
        return tree != LAYERS or not state.settings.flat

    def describe(self, state: IndexState[HiragIndexSettings]) -> str:
        """Describe who read the documents, and state the number of layers."""
        settings = state.settings
        layers = "flat" if settings.flat else counted(int(state.figures.get("layers", 0)), "summary layer")
        others = described(replace(settings, flat=False))
        return ", ".join(filter(None, (f"read by {state.model or 'rules'}", layers, others)))

    def figures(self, graph: GraphClient, corpus: Corpus, state: IndexState[HiragIndexSettings]) -> Mapping[str, float]:
        """Count the visible reports. If a passage is deleted, the reports that cite it are hidden, too."""
        (row,) = graph.run("systems/hirag/report", corpus.label, read=True, generation=state.generation)
        return {"reports": row["reports"], "communities_without_report": row["without"]}

    def retriever(self, context: RetrievalContext, settings: HiragRetrieverSettings) -> Retriever:
        from overstory_systems.hirag.retriever import HiragRetriever

        return HiragRetriever(self, context, settings)
