"""The public names of `overstory_entropy.semantic`, for programs that import them from here."""

from __future__ import annotations

from overstory_entropy import semantic
from overstory_entropy.semantic import *  # noqa: F403 # whatever is public there

__all__: list[str] = []
__all__ += semantic.__all__
