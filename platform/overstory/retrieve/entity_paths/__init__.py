"""Paths between two entities, over passages that mention entities together, facts and links."""

from overstory.retrieve.entity_paths.path_search import find_paths

__all__ = ["find_paths"]
