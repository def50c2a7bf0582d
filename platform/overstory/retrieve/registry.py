"""Retrievers by name. Anybody's are found through the entry-point group `overstory.retrievers`, as are ours."""

from __future__ import annotations

import inspect
from importlib.metadata import EntryPoint, entry_points

from overstory.errors import SettingsError
from overstory.protocols import Retriever
from overstory.retrieve.context import RetrievalContext

GROUP = "overstory.retrievers"
DEFAULT_RETRIEVER = "canopy"


def retriever_names() -> list[str]:
    """The names of all installed retrievers, sorted."""
    return sorted({point.name for point in entry_points(group=GROUP)})


def make_retriever(name: str, context: RetrievalContext) -> Retriever:
    """The retriever of this name; `name:option` passes the option on (an ablation, say).

    Raises:
        SettingsError: there is none; the message lists those there are.
    """
    base, _, option = name.partition(":")
    factory = _entry_point(base).load()
    if not option:
        plain: Retriever = factory(context)
        return plain
    try:
        inspect.signature(factory).bind(context, option)
    except TypeError as error:
        raise SettingsError(
            f"The retriever {base!r} has no option {option!r}.", remedy=f"Use {base!r} alone."
        ) from error
    optioned: Retriever = factory(context, option)
    return optioned


def _entry_point(name: str) -> EntryPoint:
    for point in entry_points(group=GROUP):
        if point.name == name:
            return point
    raise SettingsError(f"There is no retriever {name!r}.", remedy=f"Use one of: {', '.join(retriever_names())}.")
