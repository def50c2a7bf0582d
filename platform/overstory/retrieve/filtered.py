"""Any retriever that can be filtered, with its filter."""

from __future__ import annotations

from overstory.errors import FilterError
from overstory.filters import Expression
from overstory.model import Evidence
from overstory.protocols import FilteringRetriever, Retriever


class Filtered:
    """Asks a retriever among the documents that a filter lets through."""

    def __init__(self, retriever: Retriever, where: Expression) -> None:
        """
        Raises:
            FilterError: the retriever cannot be filtered.
        """
        if not isinstance(retriever, FilteringRetriever):
            raise FilterError(
                f"The retriever {retriever.name} cannot be filtered: what it finds stands on all documents.",
                remedy="Ask canopy, hybrid, dense or lexical, or leave the filter out.",
            )
        self.name = retriever.name
        self._retriever = retriever
        self._where = where

    def retrieve(self, question: str, k: int) -> Evidence:
        """As `Retriever.retrieve`."""
        return self._retriever.retrieve_among(question, k, self._where)
