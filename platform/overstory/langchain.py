"""Overstory as a LangChain retriever. Needs `pip install "overstory[langchain]"`."""

from __future__ import annotations

import functools
import threading
import weakref
from types import TracebackType
from typing import Any, Self

from overstory.errors import ExtraMissing, QuestionError
from overstory.filters import Expression, read_filter
from overstory.graph import close_forgotten
from overstory.knowledge import Knowledge
from overstory.model import BridgePath, Evidence, Hit, Part
from overstory.model.metadata import as_json
from overstory.retrieve.repeats import MOST_HITS
from overstory.settings import DEFAULT_RETRIEVER, Settings

try:
    from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables import run_in_executor
    from pydantic import ConfigDict, Field, PrivateAttr, SecretStr, field_validator
except ImportError as error:
    raise ExtraMissing("langchain-core", extra="langchain") from error

PASSWORD_VARIABLE = "OVERSTORY_NEO4J_PASSWORD"  # noqa: S105 # its name


class OverstoryRetriever(BaseRetriever):
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
        uri, user, password, database: a Neo4j of your own; what is left out comes from the settings.
        settings: what the OVERSTORY_* environment variables say, if left out.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid", validate_assignment=True)

    corpus: str | None = None
    k: int = 5
    retriever: str = DEFAULT_RETRIEVER
    parts: bool = False
    filter: str | dict[str, Any] | Expression | None = None
    uri: str | None = None
    user: str | None = None
    password: SecretStr | None = None
    database: str | None = None
    settings: Settings | None = Field(default=None, repr=False)

    _opened: tuple[_Place, Knowledge] | None = PrivateAttr(default=None)

    @field_validator("k")
    @classmethod
    def _check_k(cls, k: int) -> int:
        if not 1 <= k <= MOST_HITS:
            raise QuestionError(f"k is {k}.", remedy=f"Ask for 1 to {MOST_HITS:,} passages.")
        return k

    @field_validator("filter")
    @classmethod
    def _check_filter(cls, where: str | dict[str, Any] | Expression | None) -> str | dict[str, Any] | Expression | None:
        if where is not None:
            read_filter(where)
        return where

    @property
    def knowledge(self) -> Knowledge:
        """The corpus, which retrievers like this one share.

        Raises:
            SettingsError: as `Knowledge`.
        """
        place = (self.corpus, self.uri, self.user, self.password, self.database, self.settings)
        opened = self._opened
        if opened is None or opened[0] != place:
            opened = self._opened = (place, _shared_knowledge(*place))
        return opened[1]

    def close(self) -> None:
        """Gives the connection back; it is closed when no other retriever uses it. A later question opens another."""
        self._opened = None
        close_forgotten()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002 # LangChain's signature
        k: int | None = None,
        filter: str | dict[str, Any] | Expression | None = None,  # noqa: A002 # as LangChain's users know it
    ) -> list[Document]:
        """The best passages, best first."""
        return self._found(query, k, filter)

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,  # noqa: ARG002 # LangChain's signature
        k: int | None = None,
        filter: str | dict[str, Any] | Expression | None = None,  # noqa: A002
    ) -> list[Document]:
        """As `_get_relevant_documents`, in a thread."""
        return await run_in_executor(None, functools.partial(self._found, query, k, filter))

    def _found(self, query: str, k: int | None, where: str | dict[str, Any] | Expression | None) -> list[Document]:
        knowledge = self.knowledge  # ours until the end, even if another thread closes the retriever
        evidence = knowledge.search(
            query,
            self.k if k is None else k,
            retriever=self.retriever,
            where=self.filter if where is None else where,
        )
        found = [_document(hit, evidence) for hit in evidence.hits]
        return [*found, *(_part(part, evidence) for part in evidence.other_parts)] if self.parts else found

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


_Place = tuple[str | None, str | None, str | None, SecretStr | None, str | None, Settings | None]

_open: weakref.WeakValueDictionary[tuple[str, Settings], Knowledge] = weakref.WeakValueDictionary()
_opening = threading.Lock()


def _shared_knowledge(
    corpus: str | None,
    uri: str | None,
    user: str | None,
    password: SecretStr | None,
    database: str | None,
    settings: Settings | None,
) -> Knowledge:
    """The one `Knowledge` of retrievers over the same corpus with the same settings."""
    chosen = (settings or Settings.from_environment()).at(
        uri, user=user, password=None if password is None else password.get_secret_value(), database=database
    )
    with _opening:
        name = chosen.corpus if corpus is None else corpus
        knowledge = _open.get((name, chosen))
        if knowledge is None:
            knowledge = _open[name, chosen] = Knowledge(name, settings=chosen)
        return knowledge


def _part(part: Part, evidence: Evidence) -> Document:
    """A part as a document: metadata are text or numbers, as of a passage."""
    passages = evidence.passages_of(part)
    return Document(
        page_content=part.text,
        metadata={
            "kind": part.kind,
            "source": passages[0].source if passages else "",
            "title": part.text.partition("\n")[0],
            "retriever": evidence.retriever,
            "score": part.score,
            "chunk_ids": "\n".join(part.chunks),
            "document_ids": "\n".join(part.documents),
        },
    )


def _document(hit: Hit, evidence: Evidence) -> Document:
    """A hit as LangChain has it, with the metadata that its document came with, where ours does not say the same.

    What we add is text or a number, and dates are text: many stores and tracers take nothing else.
    """
    paths = evidence.paths_to(hit)[:1]
    others = [part for part in evidence.parts_on(hit) if not isinstance(part, BridgePath)]
    ours: dict[str, Any] = {
        "source": hit.source,
        "source_key": hit.source_key,
        "title": hit.title,
        "heading": hit.heading,
        "document_id": hit.document_id,
        "retriever": evidence.retriever,
        "score": hit.score,
        "why": hit.why,
        "figures": hit.figures,
        "repeated": hit.repeated,
        "also": hit.also,
        "sentence": hit.text[slice(*hit.sentence)] if hit.sentence else "",
        "path": "\n".join(line for path in paths for line in (str(path), *path.quotations())),
        "parts": "\n\n".join(part.text for part in others),
    }
    optional: dict[str, Any] = {
        "start_index": hit.start,
        "end_index": hit.end,
        "page": hit.page,
        "notes": "\n".join(evidence.notes) or None,
    }
    ours |= {key: value for key, value in optional.items() if value is not None}
    return Document(id=hit.chunk_id, page_content=hit.text, metadata={**as_json(hit.metadata), **ours})
