"""What is embedded for a chunk, and which stored vector it has: equal texts share one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from overstory.graph.ids import passage_vector_id
from overstory.model.boilerplate import squeezed
from overstory.model.passage_text import passage_text


def embedded_text(row: Mapping[str, Any]) -> str:
    """The text that is embedded for a chunk; "" for a chunk that is to have no vector, and is not missing one.

    Args:
        row: with the title, heading and text of the chunk, and the spans of its boilerplate, if it has any.
    """
    spans: Sequence[int] = row.get("boilerplate") or ()
    text = squeezed(row["text"], spans)
    return passage_text(row["title"], row["heading"], text) if text or not spans else ""


def vector_of(label: str, row: Mapping[str, Any]) -> str | None:
    """The id of the vector that a chunk has, or will have; None if it is to have none.

    Args:
        label: of the corpus.
        row: as for `embedded_text`.
    """
    text = embedded_text(row)
    return passage_vector_id(label, text) if text else None
