"""Embedders by name. Anybody's are found through the entry-point group `overstory.embedders`, as are ours."""

from __future__ import annotations

from importlib.metadata import entry_points

from overstory.errors import ModelError
from overstory.protocols import Embedder
from overstory.settings import EmbeddingSettings

GROUP = "overstory.embedders"


def make_embedder(settings: EmbeddingSettings) -> Embedder:
    """The embedder that the settings name. An entry point is called with the settings, and gives the embedder.

    Raises:
        ModelError: no installed package has one of this name, or it cannot be made.
    """
    found = entry_points(group=GROUP, name=settings.embedder)
    if not found:
        known = ", ".join(sorted(entry_points(group=GROUP).names)) or "none"
        raise ModelError(
            f"There is no embedder {settings.embedder!r}; known: {known}.",
            remedy="Set OVERSTORY_EMBEDDER to one of these, or install the package that has it.",
        )
    try:
        make = next(iter(found)).load()
    except (ImportError, AttributeError) as error:
        raise ModelError(
            f"The embedder {settings.embedder!r} cannot be loaded: {error}",
            remedy="Reinstall the package that has it.",
        ) from error
    embedder: Embedder = make(settings)
    if not callable(getattr(embedder, "embed", None)):  # isinstance would ask an endpoint for its dimension
        raise ModelError(
            f"What the embedder {settings.embedder!r} gives is no embedder but a {type(embedder).__name__}.",
            remedy="Report this to the makers of the package that has it.",
        )
    return embedder
