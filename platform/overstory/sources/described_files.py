"""Documents with what is known of the file that they were read from: its name, folder, size and time."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from overstory.model import Document, Loaded, MetadataValue
from overstory.model.file_metadata import FILE_NAME, FOLDER, MODIFIED, SIZE


def describing(path: Path, given: Path) -> Callable[[Loaded], Loaded]:
    """Adds to a document of a file, or of a folder that is read as one, what is known of the file.

    Size and time are those of a file that is one document: of a file with a million records they would change with each
    record, and say nothing of the others.

    Args:
        given: the path that was named, to which the folder is relative.
    """
    of_records = {FILE_NAME: path.name, FOLDER: _folder(path, given)}
    of_file = of_records | _measured(path)

    def described(item: Loaded) -> Loaded:
        if not isinstance(item, Document):
            return item
        is_file = not item.source_key and item.source == str(path)
        known = dict(of_file if is_file else of_records)
        if item.source.startswith(f"{path}/") and FOLDER in item.file_metadata:  # of a file in an archive
            inner = posixpath.join(of_records[FOLDER], path.name, str(item.file_metadata[FOLDER]))
            return replace(item, file_metadata=dict(item.file_metadata) | {FOLDER: posixpath.normpath(inner)})
        return replace(item, file_metadata=known | dict(item.file_metadata))

    return described


def _folder(path: Path, given: Path) -> str:
    """ "." for a path that was named itself, and for what lies in a folder that was named."""
    return "." if path == given else path.parent.relative_to(given).as_posix()


def _measured(path: Path) -> dict[str, MetadataValue]:
    try:
        found = os.stat(path)  # noqa: PTH116 # as the walk does
    except OSError:
        return {}  # the loader says what is wrong
    try:
        modified = datetime.fromtimestamp(found.st_mtime_ns // 10**9, UTC)
    except (ValueError, OverflowError, OSError):  # a time that no calendar has
        return {SIZE: found.st_size}
    return {SIZE: found.st_size, MODIFIED: modified}
