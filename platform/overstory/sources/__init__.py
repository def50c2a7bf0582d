"""Sources of documents: files, folders and texts in memory."""

from overstory.sources.in_memory import InMemory, in_memory_documents
from overstory.sources.walk import read_sources

__all__ = ["InMemory", "in_memory_documents", "read_sources"]
