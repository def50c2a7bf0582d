"""Embedders by name."""

from __future__ import annotations

from typing import cast

from overstory.plugins import make_part
from overstory.protocols import Embedder
from overstory.settings import EmbeddingSettings

GROUP = "overstory.embedders"


def make_embedder(settings: EmbeddingSettings) -> Embedder:
    """The embedder of the settings, ours or one registered by another package.

    Raises:
        ModelError: no installed package provides an embedder of this name, or it cannot be created.
    """
    return cast("Embedder", make_part(GROUP, settings.embedder, settings, method="embed"))
