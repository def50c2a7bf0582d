"""SeRAG: a chunk graph of three layers, its encoding tree, vectors of communities without a language model.

Source: "Token-Free Hierarchical Indexing for RAG beyond LLM-based Summarization" (SeRAG). docs/research/serag.md
says where the paper is read in which way, and what each part brings.
"""

from overstory_systems.serag.index import SeRag
from overstory_systems.serag.settings import SeragIndexSettings, SeragRetrieverSettings

__all__ = ["SeRag", "SeragIndexSettings", "SeragRetrieverSettings"]
