"""Published systems, each on the one graph model: an index stage and a retriever of its own."""

from overstory.systems.registry import find_system, retrievers_without_system, system_names
from overstory.systems.system import BuildContext, System, SystemReport

__all__ = ["BuildContext", "System", "SystemReport", "find_system", "retrievers_without_system", "system_names"]
