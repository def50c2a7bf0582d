"""Rerankers rate the relevance of passages to a question."""

from overstory.rerank.registry import make_reranker

__all__ = ["make_reranker"]
