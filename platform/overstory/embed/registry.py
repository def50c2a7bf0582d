"""Embedders by name."""

from __future__ import annotations

from typing import cast

from overstory import plugins
from overstory.errors import ModelError
from overstory.protocols import Embedder
from overstory.settings import EmbeddingSettings

GROUP = "overstory.embedders"

MULTILINGUAL = "multilingual"
"""Our embedder for other languages than English."""

_ENGLISH_ONLY = ("minilm-int8:", "minilm-and-bge-int8:")
"""How the fingerprints of embedders begin whose model knows English alone."""


def make_embedder(settings: EmbeddingSettings) -> Embedder:
    """The embedder of the settings, ours or one registered by another package."""
    made = plugins.make(
        GROUP, settings.embedder, settings, error=ModelError, requires=["embed"], setting="OVERSTORY_EMBEDDER"
    )
    return cast("Embedder", made)


def knows_english_only(fingerprint: str) -> bool:
    """Return True if the embedder with this fingerprint was trained on English texts only."""
    return fingerprint.startswith(_ENGLISH_ONLY)
