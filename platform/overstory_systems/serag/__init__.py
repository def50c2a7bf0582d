"""SeRAG: a chunk graph of three layers, its encoding tree, and community vectors, all without a language model.

docs/research/serag.md describes our interpretation of the paper and the contribution of each part.

Source: "Token-Free Hierarchical Indexing for RAG beyond LLM-based Summarization" (SeRAG).
"""

from overstory_systems.serag.index import SeRag
from overstory_systems.serag.settings import SeragIndexSettings, SeragRetrieverSettings

__all__ = ["SeRag", "SeragIndexSettings", "SeragRetrieverSettings"]
