"""Overstory as a LangChain retriever. Needs `pip install "overstory[langchain]"`."""

from __future__ import annotations

from typing import Any, Self

from overstory.errors import ExtraMissing
from overstory.filters import Expression, read_filter
from overstory.knowledge import Knowledge
from overstory.knowledge.shared_knowledge import CorpusPlace, SearchArguments, SharesKnowledge
from overstory.model import Evidence, HitStatement
from overstory.model.plain import hit_metadata, part_metadata
from overstory.retrieve.repeats import check_depth
from overstory.settings import DEFAULT_RETRIEVER, Settings

try:
    from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from pydantic import ConfigDict, Field, PrivateAttr, SecretStr, field_validator
except ImportError as error:
    raise ExtraMissing("langchain-core", extra="langchain") from error

PASSWORD_VARIABLE = "OVERSTORY_NEO4J_PASSWORD"  # noqa: S105 # its name


class OverstoryRetriever(SharesKnowledge, BaseRetriever):
    """Finds the passages of a corpus that answer a question, as LangChain documents.

    Any number of threads may use one. Retrievers over the same corpus with the same settings share a connection and a
    model; these are opened by the first question, and closed with the last retriever that uses them: by `close`, at the
    end of a `with` block, or when Python forgets it. Can be copied, pickled and, without `settings`, saved by
    `langchain_core.load`; the password is saved as the name of its environment variable.

    Attributes:
        corpus: the name of the corpus; that of the settings if left out.
        k: how many passages, 1 to 1,000; `invoke(question, k=…)` asks for another number.
        retriever: the name of an Overstory retriever.
        parts: whether reports, paths, subgraphs, facts and the like become documents of their own, after the passages.
        filter: on the metadata of documents, as a mapping (`{"date": {"$gte": "2024-01-01"}}`) or as text (`"author =
            'Ada'"`), or an expression of `overstory.filters`; `invoke(question, filter=…)` asks with another one in its
            place.
        enrich: Cypher of your own that is run on the passages found, as of `Knowledge.search`: what it returns beside
            `id` are metadata of theirs.
        uri, user, password, database: a Neo4j of your own; what is left out comes from the settings.
        settings: what the OVERSTORY_* environment variables say, if left out.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid", validate_assignment=True)

    corpus: str | None = None
    k: int = 5
    retriever: str = DEFAULT_RETRIEVER
    parts: bool = False
    filter: str | dict[str, Any] | Expression | None = None
    enrich: str | HitStatement | None = None
    uri: str | None = None
    user: str | None = None
    password: SecretStr | None = None
    database: str | None = None
    settings: Settings | None = Field(default=None, repr=False)

    _opened: tuple[CorpusPlace, Knowledge] | None = PrivateAttr(default=None)

    @field_validator("k")
    @classmethod
    def _check_k(cls, k: int) -> int:
        check_depth(k)
        return k

    @field_validator("filter")
    @classmethod
    def _check_filter(cls, where: str | dict[str, Any] | Expression | None) -> str | dict[str, Any] | Expression | None:
        if where is not None:
            read_filter(where)
        return where

    @field_validator("enrich")
    @classmethod
    def _check_statement(cls, enrich: str | HitStatement | None) -> str | HitStatement | None:
        if isinstance(enrich, str):
            HitStatement(enrich)
        return enrich

    def _place(self) -> CorpusPlace:
        password = None if self.password is None else self.password.get_secret_value()
        return CorpusPlace(self.corpus, self.uri, self.user, password, self.database, self.settings)

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002 # LangChain's signature
        k: int | None = None,
        filter: str | dict[str, Any] | Expression | None = None,  # noqa: A002 # as LangChain's users know it
    ) -> list[Document]:
        knowledge = self.knowledge  # ours until the end, even if another thread closes the retriever
        return _documents(knowledge.search(query, **self._options(k, filter)), parts=self.parts)

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,  # noqa: ARG002 # LangChain's signature
        k: int | None = None,
        filter: str | dict[str, Any] | Expression | None = None,  # noqa: A002
    ) -> list[Document]:
        """As `_get_relevant_documents`. Cancelling it ends the question on the server."""
        knowledge = self.knowledge
        return _documents(await knowledge.asearch(query, **self._options(k, filter)), parts=self.parts)

    def _options(self, k: int | None, where: str | dict[str, Any] | Expression | None) -> SearchArguments:
        return SearchArguments(
            k=self.k if k is None else k,
            retriever=self.retriever,
            where=self.filter if where is None else where,
            enrich=self.enrich,
        )

    @classmethod
    def is_lc_serializable(cls) -> bool:
        return True

    @property
    def lc_secrets(self) -> dict[str, str]:
        return {"password": PASSWORD_VARIABLE}

    def __getstate__(self) -> dict[Any, Any]:
        """Without the connection: a copy in another process opens its own."""
        state = super().__getstate__()
        return state | {"__pydantic_private__": (state["__pydantic_private__"] or {}) | {"_opened": None}}

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Self:
        copied = self.__copy__()
        copied._opened = None
        return super(OverstoryRetriever, copied).__deepcopy__(memo)


def _documents(evidence: Evidence, *, parts: bool) -> list[Document]:
    found = [
        Document(id=hit.chunk_id, page_content=hit.text, metadata=hit_metadata(hit, evidence)) for hit in evidence.hits
    ]
    others = evidence.other_parts if parts else ()
    return found + [Document(page_content=part.text, metadata=part_metadata(part, evidence)) for part in others]
