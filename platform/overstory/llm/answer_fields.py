"""Types for the fields of a language model's answers, which take what their schema forbids.

Many endpoints do not keep to bounds in a schema. The answer is paid for, so a text or list that is too long is cut, and
a number out of bounds is the nearest one within.
"""

from __future__ import annotations

import math
from typing import Annotated, cast

from pydantic import BeforeValidator, Field


def at_most(length: int) -> BeforeValidator:
    """Cuts a text or a list that is longer."""

    def cut(value: object) -> object:
        if isinstance(value, str):
            return value[:length]
        return cast("list[object]", value)[:length] if isinstance(value, list) else value

    return BeforeValidator(cut)


def _number(value: object, low: float, high: float) -> float:
    try:
        number = float(value)  # type: ignore[arg-type] # what cannot be a number raises
    except (TypeError, ValueError, OverflowError):
        return low
    return min(max(number, low), high) if math.isfinite(number) else low


def _strength(value: object) -> int:
    return round(_number(value, 1, 10))


def _rating(value: object) -> float:
    return _number(value, 0, 10)


Strength = Annotated[int, Field(ge=1, le=10), BeforeValidator(_strength)]
"""1 to 10; 1 for what is not a number."""
Rating = Annotated[float, Field(ge=0, le=10), BeforeValidator(_rating)]
"""0 to 10; 0 for what is not a number."""
