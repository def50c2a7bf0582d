"""The retriever `canopy`: meaning, words and names of a question, and where the names in the best passages lead."""

from overstory.retrieve.canopy.retriever import CanopyRetriever

__all__ = ["CanopyRetriever"]
