"""Retrievers by name, found through the entry-point group `overstory.retrievers`: ours and third-party ones."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import cast

from overstory import plugins
from overstory.errors import SettingsError
from overstory.protocols import Retriever
from overstory.retrieve.context import RetrievalContext

GROUP = "overstory.retrievers"
DEFAULT_RETRIEVER = "canopy"


def retriever_names() -> list[str]:
    """The names of all installed retrievers, sorted."""
    return plugins.names(GROUP)


def make_retriever(name: str, context: RetrievalContext) -> Retriever:
    """The retriever of this name; `name:option` passes the option on (an ablation, say).

    Raises:
        SettingsError: there is no retriever of this name, or it has no options; the message lists those there are. Or
            it cannot be imported or made; the message names its package.
        OverstoryError: as the retriever's own code raises it.
    """
    base, _, option = name.partition(":")
    if option:
        _check_takes_option(base, option, context)
    arguments = (context, option) if option else (context,)
    made = plugins.make(GROUP, base, *arguments, error=SettingsError, requires=["name", "retrieve"])
    return cast("Retriever", made)


def _check_takes_option(name: str, option: str, context: RetrievalContext) -> None:
    factory = cast("Callable[..., object]", plugins.load(GROUP, name, error=SettingsError))
    try:
        inspect.signature(factory).bind(context, option)
    except TypeError as error:
        raise SettingsError(
            f"The retriever {name!r} has no option {option!r}.", remedy=f"Use {name!r} alone."
        ) from error
