"""Creates embedders by name."""

from __future__ import annotations

from typing import cast

from overstory import plugins
from overstory.errors import ModelError
from overstory.protocols import Embedder
from overstory.settings import EmbeddingSettings

GROUP = "overstory.embedders"

MULTILINGUAL = "multilingual"
"""Name of the built-in embedder for languages other than English."""

_ENGLISH_ONLY = ("minilm-int8:", "minilm-fast:", "minilm-and-bge:")
"""Prefixes of the fingerprints of embedders whose models were trained on English texts only."""


def make_embedder(settings: EmbeddingSettings) -> Embedder:
    """Create the embedder that `settings.embedder` names. It can be built in or registered by another package."""
    made = plugins.make(
        GROUP, settings.embedder, settings, error=ModelError, requires=["embed"], setting="OVERSTORY_EMBEDDER"
    )
    return cast("Embedder", made)


def knows_english_only(fingerprint: str) -> bool:
    """Return True if the embedder with this fingerprint was trained on English texts only."""
    return fingerprint.startswith(_ENGLISH_ONLY)
