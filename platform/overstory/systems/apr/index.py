"""AutoPrunedRetriever's index as a system."""

from __future__ import annotations

from collections.abc import Mapping

from overstory.graph import Corpus, GraphClient
from overstory.llm import Chat
from overstory.protocols import Retriever
from overstory.retrieve import RetrievalContext
from overstory.systems.apr.index_settings import AprIndexSettings
from overstory.systems.apr.reading import VERSION
from overstory.systems.apr.retriever_settings import AprRetrieverSettings
from overstory.systems.apr.store import BUILT, ENTITIES
from overstory.systems.base import BuildContext, Owned, System, SystemRun
from overstory.systems.settings import described
from overstory.systems.state import IndexState


class Apr(System[AprIndexSettings, AprRetrieverSettings]):
    """Source: AutoPrunedRetriever, Sections 2.2, 2.3 and 2.7."""

    name = "apr"
    title = "AutoPrunedRetriever"
    settings = AprIndexSettings
    retriever_settings = AprRetrieverSettings
    unit = "chunk"
    owns = Owned(
        labels=(*BUILT, ENTITIES, "AprRelation", "AprAnswer", "AprQuestion", "AprMemory"),
        vector_indexes=(ENTITIES,),
    )
    rebuilds_after_deletions = False

    def fingerprint(self, settings: AprIndexSettings, context: BuildContext, chat: Chat | None) -> str:  # noqa: ARG002
        """Of the rules by which facts become triples."""
        return f"facts:{VERSION}"

    def build(self, run: SystemRun[AprIndexSettings]) -> None:
        """See `System.build`."""
        from overstory.systems.apr.build import Build  # numpy, which a question may do without

        Build(run).run()

    def describe(self, state: IndexState[AprIndexSettings]) -> str:
        """Where the triples are from, and what differs from the defaults."""
        return ", ".join(filter(None, (f"triples by {state.model or 'rules'}", described(state.settings))))

    def figures(
        self,
        graph: GraphClient,
        corpus: Corpus,
        state: IndexState[AprIndexSettings],  # noqa: ARG002 # counted, not remembered
    ) -> Mapping[str, float]:
        """Symbols, edges between them, and runs with the facts in them; `merged` symbols have a representative."""
        (row,) = graph.run("systems/apr/report", corpus.label, read=True)
        return dict(row)

    def retriever(self, context: RetrievalContext, settings: AprRetrieverSettings) -> Retriever:
        """See `System.retriever`."""
        from overstory.systems.apr.retriever import AprRetriever

        return AprRetriever(self, context, settings)
