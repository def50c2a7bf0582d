"""Rerankers: a question and passages in, the relevance of each passage out."""

from overstory.rerank.registry import make_reranker

__all__ = ["make_reranker"]
