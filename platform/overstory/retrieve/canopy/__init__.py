"""The retriever `canopy`, which uses meaning, words and names, and follows names and links to further passages."""

from overstory.retrieve.canopy.retriever import CanopyRetriever

__all__ = ["CanopyRetriever"]
