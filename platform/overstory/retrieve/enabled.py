"""Any retriever as it answers while documents are disabled: as with a filter that leaves them out."""

from __future__ import annotations

from overstory.filters import Expression
from overstory.filters.expression import without_disabled
from overstory.filters.passages import asks_passages, of_documents
from overstory.model import Evidence
from overstory.protocols import Retriever
from overstory.retrieve.context import RetrievalContext, one_question
from overstory.retrieve.filtered import Filtered, KeepStanding
from overstory.retrieve.narrowed import Narrowed


class Enabled:
    """Asks a retriever among the documents that a filter lets through and that are neither disabled nor half written.

    Whether any is so is read before each question, since another process may disable some at any time.
    """

    def __init__(
        self, retriever: Retriever, where: Expression | None, context: RetrievalContext, *, standing: KeepStanding
    ) -> None:
        """
        Args:
            standing: as of `Filtered`.
        """
        self._standing = standing
        self.name = retriever.name
        self._retriever = retriever
        self._where = where
        self._context = context

    @property
    def documents(self) -> Expression | None:
        """Which documents are let through now; None where all are."""
        where = self._enabled()
        return None if where is None else of_documents(where)

    @one_question()
    def retrieve(self, question: str, k: int) -> Evidence:
        """As `Retriever.retrieve`."""
        return self._among(self._enabled()).retrieve(question, k)

    def _enabled(self) -> Expression | None:
        return without_disabled(self._where) if self._context.corpus().hides_documents else self._where

    def _among(self, where: Expression | None) -> Retriever:
        asked: Retriever = self._retriever
        if where is None:
            return asked
        documents = of_documents(where)
        if documents is not None:
            asked = Filtered(asked, documents, self._context, standing=self._standing)
        return Narrowed(asked, where) if asks_passages(where) else asked
