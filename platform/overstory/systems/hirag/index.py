"""HiRAG's index as a system."""

from __future__ import annotations

from overstory.protocols import Retriever
from overstory.retrieve import RetrievalContext
from overstory.systems.base import Owned, System, SystemRun
from overstory.systems.hirag.index_settings import HiragIndexSettings
from overstory.systems.hirag.names import COMMUNITIES, COMMUNITY, DESCRIPTION, ENTITY, NAME, READING, REPORT
from overstory.systems.hirag.retriever_settings import HiragRetrieverSettings


class HiRag(System[HiragIndexSettings, HiragRetrieverSettings]):
    """Source: the paper's Sections 4.1 and 5.4, Algorithm 1."""

    name = NAME
    title = "HiRAG"
    settings = HiragIndexSettings
    retriever_settings = HiragRetrieverSettings
    unit = "chunk"
    owns = Owned(
        labels=(ENTITY, DESCRIPTION, COMMUNITY, REPORT, READING),
        vector_indexes=(ENTITY,),
        generations=(NAME,),
    )
    trees = (COMMUNITIES,)
    reads_with_model = True

    def build(self, run: SystemRun[HiragIndexSettings]) -> None:
        """See `System.build`."""
        from overstory.systems.hirag.build import Build

        Build(run).run()

    def retriever(self, context: RetrievalContext, settings: HiragRetrieverSettings) -> Retriever:
        """See `System.retriever`."""
        from overstory.systems.hirag.retriever import HiragRetriever

        return HiragRetriever(self, context, settings)
