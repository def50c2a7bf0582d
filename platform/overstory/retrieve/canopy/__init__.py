"""The retriever `canopy`: meaning, words and names of a question, and passages reached through names and links."""

from overstory.retrieve.canopy.retriever import CanopyRetriever

__all__ = ["CanopyRetriever"]
