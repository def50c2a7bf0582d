"""SlimRAG (Zhang et al. 2025): retrieval without a graph of entities; entities lead only to sentences.

`docs/research/slimrag.md` describes how the paper was interpreted and what was measured.
"""

from overstory_systems.slimrag.index import SlimRag, SlimRagIndexSettings, SlimRagRetrieverSettings

__all__ = ["SlimRag", "SlimRagIndexSettings", "SlimRagRetrieverSettings"]
