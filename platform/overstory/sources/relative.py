"""Sources by their paths below a folder, for documents that are read from a place that they do not belong to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from overstory.model import Link, Loaded


def relative_to(items: Iterable[Loaded], folder: Path) -> Iterator[Loaded]:
    """What loaders yield, with the paths of files below a folder in place of whole ones; other sources stay."""
    before = f"{folder.as_posix().rstrip('/')}/"
    for item in items:
        source = item.source.removeprefix(before)
        if isinstance(item, Link):
            yield replace(item, source=source, target_source=item.target_source.removeprefix(before))
        else:
            yield replace(item, source=source)
