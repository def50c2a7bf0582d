"""Search for paths between two entities. Each step is a fact, a link, or a passage that mentions two entities."""

from overstory.retrieve.entity_paths.path_search import find_paths

__all__ = ["find_paths"]
