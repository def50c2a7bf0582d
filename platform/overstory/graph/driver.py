"""Neo4j's driver, imported without what it takes along."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import cast

TAKEN_ALONG = ("pandas", "pyarrow")
"""What the driver imports where it is installed, to take data frames as parameters; three times as slow as the rest."""

NOT_THERE = cast("ModuleType", None)
"""A module that Python refuses to import."""


def import_driver_alone() -> None:
    """Imports Neo4j's driver without pandas: for a process that passes it no data frames, like a command.

    pandas itself can be imported afterwards, and results can be read as data frames. Changes nothing where the driver
    or pandas is imported already.
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
