"""Finds systems and retrievers by name. Systems are loaded from the entry-point group `overstory.systems`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from overstory import plugins, retrieve
from overstory.answer import Answer
from overstory.errors import CorpusError, DatabaseError, SettingsError
from overstory.graph import Corpus
from overstory.graph.statements import add_statements
from overstory.model import Evidence
from overstory.protocols import Retriever
from overstory.retrieve import RetrievalContext
from overstory.systems.base import Learner, LearningRun, System
from overstory.systems.lifecycle import BuildRequest
from overstory.systems.settings import SettingsClass, check, parse, refuse_class

GROUP = "overstory.systems"

_LOADED: dict[str, System[Any, Any]] = {}
_LOADING = threading.RLock()  # ensures that each system is loaded only once, even if several threads need it


def system_names() -> list[str]:
    """Return the names of all installed systems, sorted."""
    return plugins.names(GROUP)


def find_system(name: str) -> System[Any, Any]:
    with _LOADING:
        if name not in _LOADED:
            _LOADED[name] = _loaded(name)
        return _LOADED[name]


def installed_systems() -> list[System[Any, Any]]:
    """Return all systems that can be loaded, sorted by name."""
    found: list[System[Any, Any]] = []
    for name in system_names():
        try:
            found.append(find_system(name))
        except SettingsError:
            continue  # `find_system` reports the error when the user names this system
    return found


def systems_of(corpus: Corpus) -> list[System[Any, Any]]:
    """Return the installed systems that have an index in a corpus, sorted by name."""
    names = set(system_names())
    return [find_system(name) for name in sorted(corpus.systems) if name in names]


def missing_systems(corpus: Corpus) -> list[str]:
    """Return the names of the systems that have an index in a corpus but are no longer installed."""
    return sorted(corpus.systems.keys() - set(system_names()))


def build_requests(
    systems: str | SettingsClass | Sequence[str | SettingsClass], model: str | None = None
) -> dict[str, BuildRequest[Any]]:
    """Return a map from system names to build requests, after checking all options.

    Args:
        systems: Names, optionally followed by a colon and options ("serag:levels=3"), or index settings objects.
        model: Name of the language model that reads the texts for these systems; None to keep the current choice.
    """
    found: dict[str, BuildRequest[Any]] = {}
    for each in systems if isinstance(systems, Sequence) and not isinstance(systems, str) else [systems]:
        request = _build_request(each, model)
        request.check()
        if found.setdefault(request.system.name, request) != request:
            raise SettingsError(
                f"The system {request.system.name!r} is named twice with different options.",
                remedy="Name it once with all options.",
            )
    return found


def all_build_requests(
    corpus: Corpus, requested: Mapping[str, BuildRequest[Any]], model: str | None
) -> dict[str, BuildRequest[Any]]:
    """Return the given build requests, and a request for every other system that has an index in the corpus.

    The settings of the other systems are not changed.

    Args:
        model: Name of the language model. It is used for the systems of the corpus if `requested` is empty.
    """
    kept = {each.name: BuildRequest(each, model=None if requested else model) for each in systems_of(corpus)}
    if model is not None and not (requested or kept):
        raise SettingsError(
            f"No system of corpus {corpus.name!r} uses a language model.",
            remedy=f"Name a system as well: {', '.join(system_names())} (--system NAME, or systems=[…] in Python).",
        )
    return {**requested, **{name: request for name, request in kept.items() if name not in requested}}


def _build_request(wanted: str | SettingsClass, model: str | None) -> BuildRequest[Any]:
    if isinstance(wanted, str):
        name, _, options = wanted.partition(":")
        if "," in name:
            each = " ".join(f"--system {one.strip()}" for one in name.split(","))
            raise SettingsError(f"{name!r} is not one system.", remedy=f"Name each system separately: {each}")
        return BuildRequest(find_system(name), options, None, model)
    refuse_class(wanted)
    for system in installed_systems():
        if type(wanted) is system.settings:
            return BuildRequest(system, "", wanted, model)
    raise SettingsError(
        f"{type(wanted).__name__} is not the settings class of any system's index.",
        remedy=f"Give the name of a system, or its settings: {', '.join(system_names())}.",
    )


def _loaded(name: str) -> System[Any, Any]:
    made = plugins.make(GROUP, name, error=SettingsError, requires=["name"])
    if not isinstance(made, System) or made.name != name:
        raise SettingsError(
            f"The entry point {name!r} of {GROUP} gives {type(made).__name__}, which is not a system with that name.",
            remedy="Report this to the authors of the package that defines the entry point.",
        )
    if made.statements is not None:
        add_statements(made.statements)
    return made


def retriever_names() -> list[str]:
    """Return the names of all installed retrievers, sorted."""
    return sorted({*retrieve.retriever_names(), *system_names()})


def make_retriever(wanted: str | SettingsClass, context: RetrievalContext) -> Retriever:
    """Create a retriever.

    Args:
        wanted: Name, optionally followed by a colon and options ("serag:paper,flat"), or a settings object.
    """
    of_system = _of_system(wanted)
    if of_system is None:
        return retrieve.make_retriever(str(wanted), context)
    system, settings = of_system
    return system.retriever(context, settings)


def check_retriever(wanted: str | SettingsClass) -> None:
    """Check the name and the options of a retriever without creating it, which needs no corpus, server or model."""
    if _of_system(wanted) is None:
        retrieve.check_retriever(str(wanted))


def when_asking(wanted: str | SettingsClass) -> str | SettingsClass:
    """Return the retriever to use for answering a question. It may read more than the same retriever for a search.

    The argument and the result are names or settings objects.
    """
    of_system = _of_system(wanted)
    if of_system is None:
        return wanted
    system, settings = of_system
    asking: SettingsClass = system.when_asking(settings)
    return wanted if asking == settings else asking


def find_learner(wanted: str | SettingsClass) -> Learner:
    """Return the system to which a retriever belongs, if this system learns from answers.

    Raises:
        SettingsError: The system does not learn from answers.
    """
    name = wanted.partition(":")[0] if isinstance(wanted, str) else ""
    for system in installed_systems():
        mine = system.name == name or (not name and type(wanted) is system.retriever_settings)
        if mine and isinstance(system, Learner):
            return system
    shown = name or type(wanted).__name__
    learners = [system.name for system in installed_systems() if isinstance(system, Learner)]
    raise SettingsError(
        f"The retriever {shown!r} does not learn from answers.",
        remedy=f"Ask without remembering, or use one of: {', '.join(learners)}."
        if learners
        else "Ask without remembering: no system that learns from answers is installed.",
    )


def learn_from(learner: Learner, answer: Answer, evidence: Evidence, run: Callable[[], LearningRun]) -> Answer:
    """Let a system learn from an answer, and return the answer with notes on what was learned.

    If learning fails, a note states the reason.
    """
    try:
        notes = tuple(learner.learn(answer, evidence, run()))
    except (CorpusError, DatabaseError) as error:
        notes = (f"the answer was not remembered: {error}",)
    return replace(answer, notes=(*answer.notes, *notes))


def _of_system(wanted: str | SettingsClass) -> tuple[System[Any, Any], SettingsClass] | None:
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
