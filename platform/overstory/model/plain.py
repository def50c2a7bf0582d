"""Values of ours as JSON types: what `--json` prints, and what the service sends."""

from __future__ import annotations

import dataclasses
import datetime
import math
from typing import Any

from overstory.model.parts import Part


def plain(value: Any) -> Any:  # any of our values in, JSON types out
    """Dataclasses become objects, whose keys are the names of their fields; JSON has no NaN and no infinity, so that
    these become None.
    """
    if isinstance(value, Part):
        return value.as_json()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, datetime.datetime):
        return value.isoformat()
    if isinstance(value, Exception):
        return str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
