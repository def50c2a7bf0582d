"""T-Retriever: an encoding tree over the edges and texts of a graph, whose nodes are searched on all levels.

docs/research/tretriever.md describes our interpretation of the paper.

Source: "T-Retriever: Tree-based Hierarchical Retrieval Augmented Generation for Textual Graphs" (Wei et al. 2026).
"""

from overstory_systems.tretriever.index import TRetriever
from overstory_systems.tretriever.settings import TRetrieverIndexSettings, TRetrieverRetrieverSettings

__all__ = ["TRetriever", "TRetrieverIndexSettings", "TRetrieverRetrieverSettings"]
