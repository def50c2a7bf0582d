"""Documents from LangChain: from any of its document loaders, or existing documents."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Protocol, runtime_checkable

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
    """The method of a LangChain loader that is used; every subclass of `BaseLoader` has it."""

    def lazy_load(self) -> Iterator[LangChainDocument]: ...


def log_broken(error: BrokenSource) -> None:
    """Log the error as a warning and continue."""
    _log.warning("%s", error)


def from_langchain(
    origin: LazyLoader | Iterable[LangChainDocument], *, source: str | None = None, on_broken: OnBroken = log_broken
) -> Iterator[Document]:
    """Yield documents for `Knowledge.ingest_documents`, lazily.

    The key is the LangChain document's `id`, otherwise a hash of its text. Metadata that Neo4j cannot store is dropped.

    Args:
        origin: a LangChain document loader, or LangChain documents.
        source: namespace of the keys; by default each document's own metadata `source`.
        on_broken: called for documents without text or with a duplicate id; may raise.
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
    """Yield the loader's documents; its exceptions become `BrokenSource`."""
    try:
        yield from loader.lazy_load()
    except Exception as error:
        raise BrokenSource(f"the LangChain loader failed: {type(error).__name__}: {error}", source=name) from error


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
