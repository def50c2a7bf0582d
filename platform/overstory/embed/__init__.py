"""Embedders: texts in, unit vectors out."""

from overstory.embed.registry import make_embedder

__all__ = ["make_embedder"]
