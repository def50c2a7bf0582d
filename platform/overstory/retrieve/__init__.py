"""Retrievers: a question in, evidence out."""

from overstory.retrieve.context import RetrievalContext
from overstory.retrieve.registry import DEFAULT_RETRIEVER, check_retriever, make_retriever, retriever_names

__all__ = ["DEFAULT_RETRIEVER", "RetrievalContext", "check_retriever", "make_retriever", "retriever_names"]
