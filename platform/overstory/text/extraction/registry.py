"""Extractors by name."""

from __future__ import annotations

from typing import cast

from overstory import plugins
from overstory.errors import ModelError
from overstory.protocols import Extractor
from overstory.settings import ExtractionSettings

GROUP = "overstory.extractors"


def make_extractor(settings: ExtractionSettings) -> Extractor:
    """The extractor that the settings name, ours or one that another package registers."""
    made = plugins.make(
        GROUP, settings.extractor, settings, error=ModelError, requires=["extract"], setting="OVERSTORY_EXTRACTOR"
    )
    return cast("Extractor", made)
