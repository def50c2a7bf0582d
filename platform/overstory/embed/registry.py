"""Embedders by name."""

from __future__ import annotations

from typing import cast

from overstory import plugins
from overstory.errors import ModelError
from overstory.protocols import Embedder
from overstory.settings import EmbeddingSettings

GROUP = "overstory.embedders"


def make_embedder(settings: EmbeddingSettings) -> Embedder:
    """The embedder that the settings name, ours or one that another package registers.

    Raises:
        ModelError: no installed package has one of this name, or it cannot be made.
    """
    made = plugins.make(
        GROUP, settings.embedder, settings, error=ModelError, requires=["embed"], setting="OVERSTORY_EMBEDDER"
    )
    return cast("Embedder", made)
