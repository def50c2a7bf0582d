"""Converts LangChain documents, which may come from any LangChain document loader."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from overstory.display import error_text
from overstory.errors import BrokenSource, SourceError
from overstory.model import Document
from overstory.protocols import OnBroken
from overstory_loaders.blocks import clean_text, clean_title
from overstory_loaders.metadata import clean_metadata
from overstory_loaders.place import Place
from overstory_loaders.records import KeyRegister, content_key

if TYPE_CHECKING:
    from langchain_core.documents import Document as LangChainDocument

_log = logging.getLogger(__name__)


@runtime_checkable
class LazyLoader(Protocol):
    """A LangChain document loader. Every subclass of LangChain's `BaseLoader` has this method."""

    def lazy_load(self) -> Iterator[LangChainDocument]: ...


def log_broken(error: BrokenSource) -> None:
    """Log the error as a warning."""
    _log.warning("%s", error)


def from_langchain(
    origin: LazyLoader | Iterable[LangChainDocument], *, source: str | None = None, on_broken: OnBroken = log_broken
) -> Iterator[Document]:
    """Yield documents for `Knowledge.ingest_documents`, lazily.

    A document's key is the `id` of the LangChain document or, if it has none, a hash of its text. Metadata that Neo4j
    cannot store is dropped.

    Args:
        source: `Document.source` of all documents; by default, the entry `source` in each document's metadata.
        on_broken: called for each document that has no text or a duplicate id. It may raise the error.

    Raises:
        SourceError: `source` is not given, and a document has no `source` in its metadata.
        BrokenSource: the LangChain loader failed.
    """
    name = source or type(origin).__name__
    items = _guarded(origin, name) if isinstance(origin, LazyLoader) else iter(origin)
    with KeyRegister() as keys:
        for number, item in enumerate(items, start=1):
            try:
                document = _converted(item, Place(name, record=number), source, keys)
            except BrokenSource as error:
                on_broken(error)
            else:
                yield document


def _guarded(loader: LazyLoader, name: str) -> Iterator[LangChainDocument]:
    """Yield the loader's documents, and convert its exceptions to `BrokenSource`."""
    try:
        yield from loader.lazy_load()
    except Exception as error:
        raise BrokenSource(
            f"the LangChain loader failed: {type(error).__name__}: {error_text(error)}", source=name
        ) from error


def _converted(item: LangChainDocument, place: Place, source: str | None, keys: KeyRegister) -> Document:
    metadata: dict[str, object] = {str(name): value for name, value in item.metadata.items()}
    namespace = source or str(metadata.pop("source", None) or "")
    if not namespace:
        raise SourceError(
            f"{place.source}, record {place.record}: the document has no 'source' in its metadata.",
            remedy="Pass one: from_langchain(…, source=NAME). Use the same name in each run, because ids depend on it.",
        )
    text = clean_text(item.page_content)
    if not text:
        raise place.broken("is empty")
    title = clean_title(str(metadata.pop("title", None) or ""))
    return Document(
        source=namespace,
        source_key=_key(item, text, place, keys, namespace),
        text=text,
        title=title,
        metadata=clean_metadata(metadata).values,
    )


def _key(item: LangChainDocument, text: str, place: Place, keys: KeyRegister, namespace: str) -> str:
    if item.id:
        keys.claim(item.id, place, namespace=namespace)
        return item.id
    return keys.claim_content(content_key({"text": text}), place, namespace=namespace)
