"""SlimRAG (Zhang et al. 2025): retrieval without a graph of entities. Entities only lead to sentences.

`docs/research/slimrag.md` describes our interpretation of the paper and our measurements.
"""

from overstory_systems.slimrag.index import SlimRag, SlimRagIndexSettings, SlimRagRetrieverSettings

__all__ = ["SlimRag", "SlimRagIndexSettings", "SlimRagRetrieverSettings"]
