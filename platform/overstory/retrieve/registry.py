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


def retriever_names() -> list[str]:
    """The names of all installed retrievers, sorted."""
    return plugins.names(GROUP)


def make_retriever(name: str, context: RetrievalContext) -> Retriever:
    """The retriever of this name; `name:option` passes the option on (an ablation, say)."""
    check_retriever(name)
    base, _, option = name.partition(":")
    arguments = (context, option) if option else (context,)
    made = plugins.make(GROUP, base, *arguments, error=SettingsError, requires=["name", "retrieve"])
    return cast("Retriever", made)


def check_retriever(name: str) -> None:
    """Checks name and options without making the retriever: that needs no corpus, no server and no model."""
    base, _, option = name.partition(":")
    factory = cast("Callable[..., object]", plugins.load(GROUP, base, error=SettingsError))
    if not option:
        return
    try:
        inspect.signature(factory).bind(None, option)
    except TypeError as error:
        raise SettingsError(
            f"The retriever {base!r} has no option {option!r}.", remedy=f"Use {base!r} alone."
        ) from error
