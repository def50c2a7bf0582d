"""Documents as they are stored: with their language and metadata in NFC, without those that cannot be stored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from overstory.graph import GraphClient
from overstory.index.document_checks import MOST_KEYS_OF_A_CORPUS, fault_of, too_many_keys
from overstory.model import Annotation, Document, Loaded
from overstory.model.metadata import composed
from overstory.protocols import OnBroken
from overstory.text.language_detection import with_language


def with_languages(items: Iterable[Loaded]) -> Iterator[Loaded]:
    """Documents with the language that they say or are recognised to be in, lazily."""
    for item in items:
        yield with_language(item) if isinstance(item, Document) else item


def storable(batch: Iterable[Document | Annotation], on_broken: OnBroken, keys: set[str]) -> list[Document]:
    """The documents of a batch that can be stored, with metadata in NFC; the others go to `on_broken`.

    Args:
        keys: keys of metadata that the corpus has; those of these documents are added.
    """
    documents: list[Document] = []
    for item in batch:
        if isinstance(item, Document):
            fault = fault_of(item)
            document = item if fault else _composed(item)
            new = set[str]() if fault else document.all_metadata.keys() - keys
            if new and len(keys) + len(new) > MOST_KEYS_OF_A_CORPUS:
                fault = too_many_keys(document)
            if fault is None:
                keys |= new
                documents.append(document)
            else:
                on_broken(fault)
    return documents


def keys_of(graph: GraphClient, label: str) -> set[str]:
    """The keys of metadata that the documents of a corpus have."""
    return {row["key"] for row in graph.run("corpus/metadata_keys", label, read=True)}


def _composed(document: Document) -> Document:
    own, of_file = composed(document.metadata), composed(document.file_metadata)
    if own is document.metadata and of_file is document.file_metadata:
        return document
    return replace(document, metadata=own, file_metadata=of_file)
