"""Loads files inside another file, such as the attachments of a message. Each is read by the loader for its format.

The contents are written to a temporary folder. The documents have addresses below the outer file, such as
`/mail/offer.eml/prices.pdf`.
"""

from __future__ import annotations

import functools
import os
import posixpath
import tempfile
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path

from overstory.errors import BrokenSource
from overstory.model import Document, Loaded
from overstory.model.metadata import FILE_NAME
from overstory.protocols import OnBroken, OnSkipped
from overstory.sources.encodings import fallback
from overstory.sources.loader_catalogue import Catalogue, catalogue
from overstory.sources.loader_runner import LoaderRunner
from overstory.sources.reading_process import worker_of_worker
from overstory_loaders.blocks import clean_title, is_storable
from overstory_loaders.temporary_copy import TemporaryCopy

_MOST_FILES_DEEP = 5
"""Maximum nesting depth of files, for example of messages attached to messages."""
_LONGEST_MEMBER_NAME_CHARACTERS = 200

_depth: ContextVar[int] = ContextVar("depth", default=0)


def member_name(name: str, default: str) -> str:
    """Return the last part of an inner file's path, shortened if necessary; `default` if it is not a valid name."""
    last = clean_title(posixpath.basename(name.replace("\\", "/")).replace("\0", ""))
    if not last.strip(". ") or not is_storable(last):
        return default
    stem, ending = os.path.splitext(last)  # noqa: PTH122 # on Windows, Path treats "a:" in a name such as "a:b" as a drive
    return stem[: _LONGEST_MEMBER_NAME_CHARACTERS - len(ending[:20])] + ending[:20]


def load_member(
    content: bytes, name: str, place: str, *, on_broken: OnBroken, on_skipped: OnSkipped
) -> Iterator[Loaded]:
    """Yield the documents, annotations and links from a file inside another file.

    Args:
        name: name of the inner file, which must be a result of `member_name`.
        place: address of the inner file, which becomes the source of its documents.
        on_broken: called with errors in the inner file, which name `place`. They are never raised.
        on_skipped: called with `place` and the reason if no loader recognises the inner file.
    """
    if _depth.get() >= _MOST_FILES_DEEP:
        on_broken(
            BrokenSource(
                f"is not read: it is nested more than {_MOST_FILES_DEEP} files deep", source=place, remedy="Extract it."
            )
        )
        return
    with tempfile.TemporaryDirectory(prefix="overstory-") as folder:
        path = Path(folder) / name
        try:
            path.write_bytes(content)
        except (OSError, ValueError) as error:
            on_broken(BrokenSource(f"cannot be written to a temporary file: {error}", source=place))
            return
        loader = _installed().recognising(str(path))
        if loader is None:
            on_skipped(_installed().skipped(str(path), place))
            return
        copy = TemporaryCopy(path, place)

        def report(error: BrokenSource) -> None:
            on_broken(copy.renamed_error(error))

        encoding, on_decoded = fallback()
        loading = LoaderRunner(
            report,
            lambda what: on_skipped(copy.address(what)),
            lambda decoded: on_decoded(copy.renamed_decoded(decoded)),
            encoding=encoding,
            process=worker_of_worker(),
        )
        items = loading.items(str(path), loader)
        while True:
            before = _depth.set(_depth.get() + 1)
            try:
                item = next(items, None)
            finally:
                _depth.reset(before)
            if item is None:
                return
            item = copy.renamed(item)
            if isinstance(item, Document):
                item = replace(item, file_metadata={FILE_NAME: name, **item.file_metadata})
            yield item


@functools.cache
def _installed() -> Catalogue:
    return catalogue()
