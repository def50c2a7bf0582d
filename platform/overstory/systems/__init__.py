"""The framework of systems, each an index and a retriever on the one graph model, and the rooms that they share."""

from overstory.systems.base import (
    BuildContext,
    Learner,
    LearningRun,
    Memory,
    Owned,
    Remembers,
    System,
    SystemRun,
    SystemView,
)
from overstory.systems.lifecycle import SystemReport, Wish
from overstory.systems.memory import CorpusMemory
from overstory.systems.registry import (
    all_wishes,
    check_retriever,
    find_learner,
    find_system,
    installed_systems,
    make_retriever,
    missing_systems,
    remembered,
    retriever_names,
    system_names,
    systems_of,
    when_asking,
    wishes,
)
from overstory.systems.settings import option
from overstory.systems.state import IndexState, require_state

__all__ = [
    "BuildContext",
    "CorpusMemory",
    "IndexState",
    "Learner",
    "LearningRun",
    "Memory",
    "Owned",
    "Remembers",
    "System",
    "SystemReport",
    "SystemRun",
    "SystemView",
    "Wish",
    "all_wishes",
    "check_retriever",
    "find_learner",
    "find_system",
    "installed_systems",
    "make_retriever",
    "missing_systems",
    "option",
    "remembered",
    "require_state",
    "retriever_names",
    "system_names",
    "systems_of",
    "when_asking",
    "wishes",
]
