"""Retrievers of every kind by name: those that need no index of their own, and those of the systems."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from overstory import retrieve
from overstory.answer import Answer
from overstory.errors import CorpusError, DatabaseError, SettingsError
from overstory.model import Evidence
from overstory.protocols import Retriever
from overstory.retrieve import RetrievalContext
from overstory.systems.base import Learner, LearningRun, System
from overstory.systems.registry import find_system, installed_systems, system_names
from overstory.systems.settings import SettingsClass, check, parse, refuse_class


def retriever_names() -> list[str]:
    """The names of all installed retrievers, sorted."""
    return sorted({*retrieve.retriever_names(), *system_names()})


def make_retriever(wanted: str | SettingsClass, context: RetrievalContext) -> Retriever:
    """The retriever of a name, with options after a colon ("serag:paper,flat"), or of a system's retriever settings."""
    of_system = _of_system(wanted)
    if of_system is None:
        return retrieve.make_retriever(str(wanted), context)
    system, settings = of_system
    return system.retriever(context, settings)


def check_retriever(wanted: str | SettingsClass) -> None:
    """Checks name and options without making the retriever: that needs no corpus, no server and no model."""
    if _of_system(wanted) is None:
        retrieve.check_retriever(str(wanted))


def when_asking(wanted: str | SettingsClass) -> str | SettingsClass:
    """The retriever as questions are answered from it, which may read more than a search does."""
    of_system = _of_system(wanted)
    if of_system is None:
        return wanted
    system, settings = of_system
    asking: SettingsClass = system.when_asking(settings)
    return wanted if asking == settings else asking


def find_learner(wanted: str | SettingsClass) -> Learner:
    """The system of a retriever, which learns from answers."""
    name = wanted.partition(":")[0] if isinstance(wanted, str) else ""
    for system in installed_systems():
        mine = system.name == name or (not name and type(wanted) is system.retriever_settings)
        if mine and isinstance(system, Learner):
            return system
    shown = name or type(wanted).__name__
    learners = [system.name for system in installed_systems() if isinstance(system, Learner)]
    raise SettingsError(
        f"The retriever {shown!r} does not learn from answers.",
        remedy=f"Ask without remembering, or with one of: {', '.join(learners)}."
        if learners
        else "Ask without remembering: no system that learns is installed.",
    )


def remembered(learner: Learner, answer: Answer, evidence: Evidence, run: Callable[[], LearningRun]) -> Answer:
    """The answer, with notes on what a system learnt from it. A failure there becomes a note: the answer stands."""
    try:
        notes = tuple(learner.learn(answer, evidence, run()))
    except (CorpusError, DatabaseError) as error:
        notes = (f"the answer was not remembered: {error}",)
    return replace(answer, notes=(*answer.notes, *notes))


def _of_system(wanted: str | SettingsClass) -> tuple[System[Any, Any], SettingsClass] | None:
    """The system that the retriever belongs to, and the retriever's settings; None for one that needs no system."""
    refuse_class(wanted)
    if not isinstance(wanted, str):
        for system in installed_systems():
            if type(wanted) is system.retriever_settings:
                return system, check(wanted, of=f"The retriever {system.name!r}")
        raise SettingsError(
            f"{type(wanted).__name__} is not the settings class of any retriever.",
            remedy=f"Give the name of a retriever: {', '.join(retriever_names())}.",
        )
    name, _, options = wanted.partition(":")
    if name in system_names():
        system = find_system(name)
        return system, parse(system.retriever_settings, options, of=f"The retriever {name!r}")
    if name not in retrieve.retriever_names():
        raise SettingsError(f"There is no retriever {name!r}.", remedy=f"Use one of: {', '.join(retriever_names())}.")
    return None
