"""Extractors by name. Anybody's are found through the entry-point group `overstory.extractors`, as is ours."""

from __future__ import annotations

from importlib.metadata import entry_points

from overstory.errors import ModelError
from overstory.protocols import Extractor
from overstory.settings import ExtractionSettings

GROUP = "overstory.extractors"


def make_extractor(settings: ExtractionSettings) -> Extractor:
    """The extractor that the settings name. An entry point is called with the settings, and gives the extractor.

    Raises:
        ModelError: no installed package has one of this name, or it cannot be made.
    """
    found = entry_points(group=GROUP, name=settings.extractor)
    if not found:
        known = ", ".join(sorted(entry_points(group=GROUP).names)) or "none"
        raise ModelError(
            f"There is no extractor {settings.extractor!r}; known: {known}.",
            remedy="Set OVERSTORY_EXTRACTOR to one of these, or install the package that has it.",
        )
    try:
        make = next(iter(found)).load()
    except (ImportError, AttributeError) as error:
        raise ModelError(
            f"The extractor {settings.extractor!r} cannot be loaded: {error}",
            remedy="Reinstall the package that has it.",
        ) from error
    extractor = make(settings)
    if not isinstance(extractor, Extractor):
        raise ModelError(
            f"What the extractor {settings.extractor!r} gives is no extractor but a {type(extractor).__name__}.",
            remedy="Report this to the makers of the package that has it.",
        )
    return extractor
