"""HiRAG: a layered knowledge graph, communities with reports, and paths between communities.

Source: "Retrieval-Augmented Generation with Hierarchical Knowledge" (HiRAG). docs/research/hirag.md says where the
paper is read in which way, and what each part brings.
"""

from overstory_systems.hirag.index import HiRag
from overstory_systems.hirag.settings import HiragIndexSettings, HiragRetrieverSettings

__all__ = ["HiRag", "HiragIndexSettings", "HiragRetrieverSettings"]
