"""Encoding trees, under the name that `overstory_entropy` had before it became a package of its own.

The public names of `overstory_entropy`, for programs that import them from here.
"""

from __future__ import annotations

import overstory_entropy
from overstory_entropy import *  # noqa: F403 # whatever is public there

__all__: list[str] = []
__all__ += overstory_entropy.__all__
