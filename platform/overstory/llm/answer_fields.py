"""Types for fields of structured answers. They correct values that violate the schema instead of rejecting them.

Many endpoints do not enforce the bounds in a schema, and rejecting an answer would waste what was paid for it.
Therefore texts and lists that are too long are truncated, and numbers out of bounds are clamped.
"""

from __future__ import annotations

import math
from typing import Annotated, cast

from pydantic import BeforeValidator, Field


def at_most(length: int) -> BeforeValidator:
    """Return a pydantic validator that truncates texts and lists to `length` characters or items."""

    def cut(value: object) -> object:
        if isinstance(value, str):
            return value[:length]
        return cast("list[object]", value)[:length] if isinstance(value, list) else value

    return BeforeValidator(cut)


def _number(value: object, low: float, high: float) -> float:
    try:
        number = float(value)  # type: ignore[arg-type] # raises if the value is not a number
    except (TypeError, ValueError, OverflowError):
        return low
    return min(max(number, low), high) if math.isfinite(number) else low


def _strength(value: object) -> int:
    return round(_number(value, 1, 10))


def _rating(value: object) -> float:
    return _number(value, 0, 10)


Strength = Annotated[int, Field(ge=1, le=10), BeforeValidator(_strength)]
"""Integer from 1 to 10; 1 if the value is not a number."""
Rating = Annotated[float, Field(ge=0, le=10), BeforeValidator(_rating)]
"""Number from 0 to 10; 0 if the value is not a number."""
