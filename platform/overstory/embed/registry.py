"""Embedders by name."""

from __future__ import annotations

from typing import cast

from overstory import plugins
from overstory.errors import ModelError
from overstory.protocols import Embedder
from overstory.settings import EmbeddingSettings

GROUP = "overstory.embedders"


def make_embedder(settings: EmbeddingSettings) -> Embedder:
    """The embedder of the settings, ours or one registered by another package."""
    made = plugins.make(
        GROUP, settings.embedder, settings, error=ModelError, requires=["embed"], setting="OVERSTORY_EMBEDDER"
    )
    return cast("Embedder", made)
