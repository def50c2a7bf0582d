"""Identifiers of SlimRAG's nodes."""

from __future__ import annotations

from overstory.graph.ids import content_id


def sentence_id(chunk: str, seq: int) -> str:
    """By its place in its chunk, whose text never changes."""
    return content_id("slim-sentence", chunk, str(seq))


def entity_id(label: str, key: str) -> str:
    """`key` is the normalised canonical name."""
    return content_id("slim-entity", label, key)
