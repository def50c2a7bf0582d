"""Fast import of the Neo4j driver."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import cast

TAKEN_ALONG = ("pandas", "pyarrow")
"""Packages that the driver imports, if installed, to accept data frames. They triple its import time."""

NOT_THERE = cast("ModuleType", None)
"""Placeholder in `sys.modules` that makes an import fail."""


def import_driver_alone() -> None:
    """Import the Neo4j driver without pandas, for processes that pass no data frames to it, such as commands.

    pandas can still be imported later, and results can then be converted to data frames. If the driver or pandas is
    already imported, this function has no effect.
    """
    if "neo4j" in sys.modules:
        return
    hidden = [name for name in TAKEN_ALONG if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden, NOT_THERE))
    try:
        importlib.import_module("neo4j")
    finally:
        for name in hidden:
            del sys.modules[name]
