"""Embedders convert texts to unit vectors."""

from overstory.embed.registry import make_embedder

__all__ = ["make_embedder"]
