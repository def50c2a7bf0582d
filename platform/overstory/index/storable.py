"""Documents as they are stored: with their language and metadata in NFC, without those that cannot be stored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from overstory.index.document_checks import fault_of
from overstory.model import Annotation, Document, Loaded
from overstory.model.metadata import composed
from overstory.protocols import OnBroken
from overstory.text.language_detection import with_language


def with_languages(items: Iterable[Loaded]) -> Iterator[Loaded]:
    """Documents with the language that they say or are recognised to be in, lazily."""
    for item in items:
        yield with_language(item) if isinstance(item, Document) else item


def storable(batch: Iterable[Document | Annotation], on_broken: OnBroken) -> list[Document]:
    """The documents of a batch that can be stored, with metadata in NFC; the others go to `on_broken`."""
    documents: list[Document] = []
    for item in batch:
        if isinstance(item, Document):
            fault = fault_of(item)
            if fault is None:
                documents.append(_composed(item))
            else:
                on_broken(fault)
    return documents


def _composed(document: Document) -> Document:
    own, of_file = composed(document.metadata), composed(document.file_metadata)
    if own is document.metadata and of_file is document.file_metadata:
        return document
    return replace(document, metadata=own, file_metadata=of_file)
