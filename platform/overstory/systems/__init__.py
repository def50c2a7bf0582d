"""The framework for retrieval systems. Each system consists of an index and a retriever over the shared graph model."""

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
from overstory.systems.lifecycle import BuildRequest, SystemReport
from overstory.systems.memory import CorpusMemory
from overstory.systems.registry import (
    all_build_requests,
    build_requests,
    check_retriever,
    find_learner,
    find_system,
    installed_systems,
    learn_from,
    make_retriever,
    missing_systems,
    retriever_names,
    system_names,
    systems_of,
    when_asking,
)
from overstory.systems.settings import option
from overstory.systems.state import IndexState, require_state

__all__ = [
    "BuildContext",
    "BuildRequest",
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
    "all_build_requests",
    "build_requests",
    "check_retriever",
    "find_learner",
    "find_system",
    "installed_systems",
    "learn_from",
    "make_retriever",
    "missing_systems",
    "option",
    "require_state",
    "retriever_names",
    "system_names",
    "systems_of",
    "when_asking",
]
