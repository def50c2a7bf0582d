"""Units: the inputs of an index, and the leaves of a tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Unit = Literal["document", "chunk", "entity"]

SINGULAR: Mapping[Unit, str] = {"document": "document", "chunk": "passage", "entity": "name"}
PLURAL: Mapping[Unit, str] = {unit: f"{word}s" for unit, word in SINGULAR.items()}
"""Names shown to readers."""
