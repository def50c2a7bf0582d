"""The T-Retriever system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib.resources import files

from overstory.display import counted
from overstory.graph import Corpus, GraphClient
from overstory.llm import Chat, Estimate
from overstory.model.documents import Unit
from overstory.protocols import Retriever
from overstory.retrieve import RetrievalContext
from overstory.systems.base import BuildContext, Owned, System, SystemRun, SystemView
from overstory.systems.entity_graph.counts import most_names
from overstory.systems.settings import described
from overstory.systems.state import IndexState
from overstory.systems.tree.kinds import TreeKind
from overstory_systems.tretriever.names import DOCUMENT_TREE, ENTITY_TREE, KEPT, NAME, NODE, SUMMARY, vertices_of
from overstory_systems.tretriever.settings import TRetrieverIndexSettings, TRetrieverRetrieverSettings
from overstory_systems.tretriever.summaries import writer_for

KEPT_TREES: Mapping[str, str] = {
    "partition": "tree by PARTITION",
    "partition of communities": "tree by PARTITION inside structural communities",
    "structure": "tree by structure alone",
}
"""Display names for the values of `SemanticTree.kept`."""

_TRETRIEVER_BYTES_A_PASSAGE = 33_000
"""Memory that a build needs per passage for vertices, edges and summaries, in bytes, as measured (docs/scale.md)."""


class TRetriever(System[TRetrieverIndexSettings, TRetrieverRetrieverSettings]):
    """The T-Retriever system, which builds an encoding tree over documents or entities.

    Source: T-Retriever paper, Adaptive Compression Encoding, Eq. 3 to 10.
    """

    name = NAME
    title = "T-Retriever"
    good_for = "a graph: the part of it around a question, edges included"
    settings = TRetrieverIndexSettings
    retriever_settings = TRetrieverRetrieverSettings
    unit = "document"
    owns = Owned(
        labels=(NODE, SUMMARY),
        vector_indexes=(NODE,),
        generations=(NAME,),
        saved_queries=tuple(f"systems/tretriever/saved_queries/{name}" for name in ("subgraph", "way", "sets")),
        examples="systems/tretriever/examples",
        style=files("overstory_systems.tretriever").joinpath("style.grass"),
    )
    trees = (DOCUMENT_TREE, ENTITY_TREE)
    reads_with_model = True

    def units_of(self, state: IndexState[TRetrieverIndexSettings] | None) -> tuple[Unit, ...]:
        """Return the units on which the index depends. A tree over entities also depends on chunks."""
        return ("document", "chunk") if state is not None and state.details.get("over") == "entities" else ("document",)

    def require(self, settings: TRetrieverIndexSettings, graph: GraphClient) -> None:  # noqa: ARG002 # needs no server feature
        settings.require_something()

    def fingerprint(self, settings: TRetrieverIndexSettings, context: BuildContext, chat: Chat | None) -> str:  # noqa: ARG002
        """Return the fingerprint of the rules, or of the language model and its prompts."""
        return writer_for(chat, "").fingerprint

    def bytes_a_passage(self, settings: TRetrieverIndexSettings, graph: GraphClient, corpus: Corpus) -> int:
        """Return the memory per passage for entities, as measured; 0 for documents, which are few."""
        return _TRETRIEVER_BYTES_A_PASSAGE if vertices_of(settings, graph, corpus) == "entities" else 0

    def build(self, run: SystemRun[TRetrieverIndexSettings]) -> None:
        from overstory_systems.tretriever.build import VertexTreeBuild  # importing the entropy engine takes a second

        VertexTreeBuild(run).run()

    def estimate(self, view: SystemView[TRetrieverIndexSettings]) -> Estimate:
        """Estimate the cost, assuming as many new sets as vertices. It is lower if existing summaries are kept."""
        from overstory_systems.tretriever.model_summaries import (
            ModelSetSummariser,  # pydantic is needed only with a model
        )

        if vertices_of(view.settings, view.graph, view.corpus) == "documents":
            (row,) = view.graph.run("corpus/count_documents", view.corpus.label, read=True)
            vertices = int(row["documents"])
        else:
            vertices = most_names(view.graph, view.corpus.label)
        whole = ModelSetSummariser(view.context.chat(view.model), view.model).estimate(vertices)
        if not view.is_as_built or view.before is None:
            return whole
        without = int(self.figures(view.graph, view.corpus, view.before)["sets_without_summary"])
        return replace(whole, kept=int(view.before.figures["sets"]) - without)

    def has_tree(self, tree: TreeKind, state: IndexState[TRetrieverIndexSettings]) -> bool:
        """Return True if the tree's vertices are of the kind that the index uses."""
        return (tree == ENTITY_TREE) == (state.details.get("over") == "entities")

    def describe(self, state: IndexState[TRetrieverIndexSettings]) -> str:
        """Describe the vertices, and list the settings that differ from the defaults."""
        one, several = ("entity", "entities") if state.details.get("over") == "entities" else ("document", "documents")
        vertices = counted(int(state.figures.get("vertices", 0)), one, several)
        kept = KEPT_TREES.get(str(state.details.get(KEPT)), "")
        others = described(replace(state.settings, over="auto"))
        return ", ".join(filter(None, (f"over {vertices}", kept, f"summaries by {state.model or 'rules'}", others)))

    def figures(
        self, graph: GraphClient, corpus: Corpus, state: IndexState[TRetrieverIndexSettings]
    ) -> Mapping[str, float]:
        """Count the sets without a summary. If a passage is deleted, the summaries that use it are hidden."""
        (row,) = graph.run("systems/tretriever/size", corpus.label, read=True, generation=state.generation)
        return {"sets_without_summary": row["without"]}

    def retriever(self, context: RetrievalContext, settings: TRetrieverRetrieverSettings) -> Retriever:
        from overstory_systems.tretriever.retriever import TRetrieverRetriever

        return TRetrieverRetriever(self, context, settings)
