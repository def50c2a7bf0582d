"""Folders that a run must not leave: links out of them are not followed.

The walk checks where each path leads. A link may be swapped after that, and some loaders open files that the walk did
not see, such as the tables of a graph or what a manual page includes; so each file is checked again when it is open.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import IO

from overstory.errors import BrokenSource

LEADS_OUTSIDE = "leads out of the folders that may be read"

_folders: ContextVar[Sequence[str]] = ContextVar("overstory_confining_folders", default=())


@contextmanager
def confined_to(folders: Sequence[str]) -> Generator[None]:
    """Loaders open no file through links out of these folders; without folders, any."""
    before = _folders.set(folders)
    try:
        yield
    finally:
        _folders.reset(before)


def leads_outside(path: str | Path, folders: Sequence[str] | None = None) -> bool:
    """Whether a path leads out of some folders, those of the run by default."""
    inside = _folders.get() if folders is None else folders
    return bool(inside) and not _lies_in(os.path.realpath(path), inside)


def check_opened(file: IO[bytes], source: str) -> None:
    """Check a file that was opened by a name in the folders of the run. Others are copies, such as members of archives.

    Raises:
        BrokenSource: it does not lie in these folders.
    """
    folders = _folders.get()
    if not folders or not _lies_in(os.path.abspath(source), folders):  # noqa: PTH100 # links are not followed
        return
    real = os.path.realpath(source)
    try:
        is_same = os.path.samestat(os.fstat(file.fileno()), os.stat(real))  # noqa: PTH116 # as in the line above
    except OSError:
        is_same = False
    if not is_same or not _lies_in(real, folders):
        raise BrokenSource(LEADS_OUTSIDE, source=source, remedy="Copy the file into the folder.")


def _lies_in(path: str, folders: Sequence[str]) -> bool:
    return any(path == folder or path.startswith(f"{folder.rstrip('/')}/") for folder in folders)
