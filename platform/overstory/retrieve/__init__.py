"""Retrievers, which find evidence for a question."""

from overstory.retrieve.context import RetrievalContext, check_retriever, make_retriever, retriever_names
from overstory.settings import DEFAULT_RETRIEVER

__all__ = ["DEFAULT_RETRIEVER", "RetrievalContext", "check_retriever", "make_retriever", "retriever_names"]
