"""What is embedded for a chunk, and which stored vector it has: equal texts share one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from overstory.graph.ids import passage_vector_id
from overstory.model.passage_text import passage_text, squeezed
from overstory.text.blocks import is_only_boilerplate


def embedded_text(row: Mapping[str, Any]) -> str:
    """The text that is embedded for a chunk; "" for one that holds nothing but boilerplate, which is to have no vector.

    Args:
        row: with the title, heading and text of the chunk, and the spans of its boilerplate, if it has any.
    """
    spans: Sequence[int] = row.get("boilerplate") or ()
    if is_only_boilerplate((row["text"], row["heading"]), spans):
        return ""
    return passage_text(row["title"], row["heading"], squeezed(row["text"], spans))


def vector_of(label: str, row: Mapping[str, Any]) -> str | None:
    """The id of the vector that a chunk has, or will have; None if it is to have none.

    Args:
        label: of the corpus.
        row: as for `embedded_text`.
    """
    text = embedded_text(row)
    return passage_vector_id(label, text) if text else None
