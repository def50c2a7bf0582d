"""Paths between two names, over the passages that mention names together and the facts that tie them."""

from overstory.retrieve.entity_paths.path_search import find_paths

__all__ = ["find_paths"]
