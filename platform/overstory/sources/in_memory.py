"""Loads documents that a program passes in memory, as `Document` objects or as strings."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath
from typing import cast

from overstory.errors import SourceError
from overstory.model import Annotation, Document, Link, Loaded

TEXT_SOURCE = "text"
"""The source of documents that were passed as strings."""

InMemory = Loaded | str
"""Types that can be loaded from memory. A string becomes a document whose key is the beginning of its SHA-256 hash."""


def in_memory_documents(given: InMemory | Iterable[InMemory]) -> Iterator[Loaded]:
    """Yield the given item or items, and convert strings to documents. Items are consumed lazily.

    Raises:
        SourceError: an item is not a string, `Document`, `Annotation` or `Link`.
    """
    for number, thing in enumerate(_things(given), start=1):
        if isinstance(thing, str):
            yield _text_document(thing)
        elif isinstance(thing, Document | Annotation | Link):
            yield thing
        else:
            raise _refusal(thing, number)


def _things(given: object) -> Iterable[object]:
    """Return the given items. A string, bytes, a mapping, or an object that is not iterable counts as one item."""
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        return [given]
    return cast("Iterable[object]", given)


def _text_document(text: str) -> Document:
    stripped = text.strip()
    key = hashlib.sha256(stripped.encode("utf-8", "replace")).hexdigest()[:16]
    return Document(source=TEXT_SOURCE, source_key=key, text=stripped)


def _refusal(thing: object, number: int) -> SourceError:
    remedy = "Pass texts, or overstory.Document(source=…, source_key=…, text=…)."
    if isinstance(thing, PurePath):
        remedy = "Load files and folders with Knowledge.ingest."
    elif hasattr(thing, "page_content"):
        remedy = "Convert LangChain documents first: overstory_loaders.from_langchain(documents)"
    return SourceError(
        f"Item {number} is of type {type(thing).__name__}, but must be a text or a Document.", remedy=remedy
    )
