"""Embedders by name."""

from __future__ import annotations

from typing import cast

from overstory.plugins import make_part
from overstory.protocols import Embedder
from overstory.settings import EmbeddingSettings

GROUP = "overstory.embedders"


def make_embedder(settings: EmbeddingSettings) -> Embedder:
    """The embedder that the settings name, ours or one that another package registers.

    Raises:
        ModelError: no installed package has one of this name, or it cannot be made.
    """
    return cast("Embedder", make_part(GROUP, settings.embedder, settings, method="embed"))
