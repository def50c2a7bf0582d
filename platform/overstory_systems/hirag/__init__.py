"""HiRAG: a layered knowledge graph, communities with reports, and paths between communities.

docs/research/hirag.md describes our interpretation of the paper and the contribution of each part.

Source: "Retrieval-Augmented Generation with Hierarchical Knowledge" (HiRAG).
"""

from overstory_systems.hirag.index import HiRag
from overstory_systems.hirag.settings import HiragIndexSettings, HiragRetrieverSettings

__all__ = ["HiRag", "HiragIndexSettings", "HiragRetrieverSettings"]
