"""T-Retriever: an encoding tree over the edges and the texts of a graph, whose nodes of all levels are searched alike.

Source: "T-Retriever: Tree-based Hierarchical Retrieval Augmented Generation for Textual Graphs" (Wei et al. 2026).
docs/research/tretriever.md says how the paper was read.
"""

from overstory_systems.tretriever.index import TRetriever
from overstory_systems.tretriever.settings import TRetrieverIndexSettings, TRetrieverRetrieverSettings

__all__ = ["TRetriever", "TRetrieverIndexSettings", "TRetrieverRetrieverSettings"]
