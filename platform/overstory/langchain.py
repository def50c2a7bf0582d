"""Overstory as a LangChain retriever. Requires `pip install "overstory[langchain]"`."""

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

PASSWORD_VARIABLE = "OVERSTORY_NEO4J_PASSWORD"  # noqa: S105 # the variable's name, not a password


class OverstoryRetriever(SharesKnowledge, BaseRetriever):
    """A LangChain retriever that finds passages of a corpus for a question.

    Several threads may use a retriever at the same time. Retrievers on the same corpus with the same settings share a
    connection and a model. The first question opens them. They are closed when the last of these retrievers is closed:
    by `close`, at the end of a `with` block, or by garbage collection.

    Retrievers can be copied and pickled. Retrievers without `settings` can also be saved with `langchain_core.load`,
    which stores the name of the password variable instead of the password.

    Attributes:
        corpus: name of the corpus; by default, the corpus in the settings.
        k: number of passages to return, from 1 to 1,000. `invoke(question, k=…)` overrides it.
        retriever: name of an Overstory retriever.
        parts: True to also return reports, subgraphs, relations and other parts, as separate documents after the
            passages.
        filter: metadata filter as a mapping (`{"date": {"$gte": "2024-01-01"}}`), as text (`"author = 'Ada'"`), or as
            an expression of `overstory.filters`. `invoke(question, filter=…)` overrides it.
        enrich: your own Cypher statement, as for `Knowledge.search`. Its columns, except `id`, become metadata.
        uri: address of your own Neo4j server; by default, the address in the settings.
        user: user of this server; by default, the user in the settings.
        password: password of this user; by default, the password in the settings.
        database: database on this server; by default, the database in the settings.
        settings: settings; by default, they are read from the OVERSTORY_* environment variables.
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
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002 # LangChain passes this argument
        k: int | None = None,
        filter: str | dict[str, Any] | Expression | None = None,  # noqa: A002 # LangChain users expect this name
    ) -> list[Document]:
        knowledge = self.knowledge  # this reference keeps it open if another thread closes the retriever
        return _documents(knowledge.search(query, **self._options(k, filter)), parts=self.parts)

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,  # noqa: ARG002 # LangChain passes this argument
        k: int | None = None,
        filter: str | dict[str, Any] | Expression | None = None,  # noqa: A002
    ) -> list[Document]:
        """If the task is cancelled, the server stops the query."""
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
        """Omit the connection. A copy in another process opens its own connection."""
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
