"""Field types for answers of language models that tolerate violations of the schema.

Many endpoints do not enforce bounds in a schema, and the answer is already paid for. So a text or list that is too long
is truncated, and a number out of bounds is clamped.
"""

from __future__ import annotations

import math
from typing import Annotated, cast

from pydantic import BeforeValidator, Field


def at_most(length: int) -> BeforeValidator:
    """Return a validator that truncates texts and lists to `length`."""

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
