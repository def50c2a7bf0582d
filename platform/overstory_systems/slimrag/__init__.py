"""SlimRAG (Zhang et al. 2025): retrieval without a graph of entities; entities lead to sentences, and to nothing else.

`docs/research/slimrag.md` says how the paper was read, and what was measured.
"""

from overstory_systems.slimrag.index import SlimRag, SlimRagIndexSettings, SlimRagRetrieverSettings

__all__ = ["SlimRag", "SlimRagIndexSettings", "SlimRagRetrieverSettings"]
