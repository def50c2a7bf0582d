"""Reads documents from all kinds of sources: files, folders, web pages, file stores, databases, and texts in memory."""

from overstory.sources.coverage import Coverage, Kept, Root
from overstory.sources.encodings import DecodedFile
from overstory.sources.in_memory import InMemory, in_memory_documents
from overstory.sources.loader_catalogue import catalogue
from overstory.sources.paths import absolute, relative_to
from overstory.sources.read_options import ReadOptions
from overstory.sources.walk import read_sources

__all__ = [
    "Coverage",
    "DecodedFile",
    "InMemory",
    "Kept",
    "ReadOptions",
    "Root",
    "absolute",
    "catalogue",
    "in_memory_documents",
    "read_sources",
    "relative_to",
]
