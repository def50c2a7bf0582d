"""SlimRAG (Zhang et al. 2025): retrieval without a graph of entities; entities lead to sentences, and to nothing else.

`docs/slimrag.md` says how the paper was read, and what was measured.
"""

from overstory.systems.slimrag.index import SlimRag
from overstory.systems.slimrag.retriever import SlimRagRetriever

__all__ = ["SlimRag", "SlimRagRetriever"]
