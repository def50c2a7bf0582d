"""Retrievers: a question in, evidence out."""

from overstory.retrieve.context import RetrievalContext
from overstory.retrieve.registry import DEFAULT_RETRIEVER, make_retriever, retriever_names

__all__ = ["DEFAULT_RETRIEVER", "RetrievalContext", "make_retriever", "retriever_names"]
