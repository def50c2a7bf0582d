"""Published systems, each on the one graph model: an index stage and a retriever of its own."""

from overstory.systems.base import BuildContext, System, SystemReport
from overstory.systems.registry import find_system, retrievers_without_system, system_names

__all__ = ["BuildContext", "System", "SystemReport", "find_system", "retrievers_without_system", "system_names"]
