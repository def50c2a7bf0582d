"""Records what a run read and what it skipped.

A sync uses this record to distinguish a file that was deleted from a file that still exists but was not read.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from overstory.surrogates import is_well_formed


@dataclass(frozen=True, slots=True)
class Root:
    """A path or an address that a run was asked to read.

    Attributes:
        path: the path in absolute form, or the address.
        with_contents: True if documents below the path belong to the root, too.
        sitemap: the address of the sitemap that lists the documents, if `path` is the address of a host; otherwise "".
    """

    path: str
    with_contents: bool = True
    sitemap: str = ""

    def holds(self, source: str) -> bool:
        """Return True if a document with this source belongs to the root."""
        below = self.path.rstrip("/") + "/"
        return source == self.path or (self.with_contents and source.startswith(below))


@dataclass(frozen=True, slots=True)
class Kept:
    """Stored documents that a run did not read. Sync keeps them, because their files may still exist.

    Attributes:
        empty: True if the path is missing or empty, as with a disk that is not mounted. With `allow_empty`, sync
            deletes the documents.
        excluded: True if patterns exclude the path or files in it. With `delete_excluded`, sync deletes the documents.
    """

    path: str
    why: str
    empty: bool = False
    excluded: bool = False
    documents: int = 1


@dataclass(slots=True)
class Coverage:
    """A record of what `read_sources` read and what it skipped.

    Attributes:
        read: the real paths of files that were read, of folders that one loader read in one piece, and the addresses of
            downloaded files.
        entered: the real paths of all other folders that were visited.
        hidden: number of files and folders that were skipped because their names begin with a full stop.
        folder: if stored sources are relative paths, the folder that they are relative to; None if they are absolute.
    """

    roots: list[Root] = field(default_factory=list[Root])
    read: set[str] = field(default_factory=set[str])
    entered: set[str] = field(default_factory=set[str])
    hidden: int = 0
    delete_excluded: bool = False
    folder: Path | None = None
    _excluded: set[str] = field(default_factory=set[str])
    _unread: dict[str, str] = field(default_factory=dict[str, str])
    _empty: dict[str, str] = field(default_factory=dict[str, str])

    def add_root(self, path: str, *, with_contents: bool = True, sitemap: str = "") -> None:
        self.roots.append(Root(path, with_contents, sitemap))

    def add_unusable(self, named: str) -> None:
        """Record that one of the given paths cannot be read, because it is missing or not accessible."""
        if not named or not is_well_formed(named):  # the source of a document is never empty or malformed
            return
        path = os.path.abspath(named)  # noqa: PTH100 # `Path.absolute` would keep "..", but sources do not contain it
        self.add_root(path)
        if _is_missing(path):
            self._empty[path] = "it is missing"
        else:
            self.add_unread(path, "it cannot be read")

    def add_unread(self, path: str, why: str) -> None:
        """Record a file or folder in which the run may have missed documents, and the reason why."""
        self._unread.setdefault(path, why)

    def add_excluded(self, path: str) -> None:
        self._excluded.add(path)

    @property
    def excluded(self) -> int:
        """Number of files and folders that are excluded by patterns."""
        return len(self._excluded)

    def add_empty(self, path: str) -> None:
        self._empty.setdefault(path, "it contains nothing to read")

    def is_partly_read(self, source: str) -> bool:
        """Return True if the run may have missed documents in this source or in a folder that contains it."""
        if self.folder is not None:
            source = (self.folder / source).as_posix()
        return any(path in self._unread for path in with_parents(source))

    def stored_source(self, source: str) -> str | None:
        """Return a source in the form in which documents store it.

        Return None if the source belongs to no root of the run or no longer exists.
        """
        if not is_well_formed(source) or _is_gone(source) or not any(root.holds(source) for root in self.roots):
            return None
        return source if self.folder is None else source.removeprefix(f"{self.folder.as_posix().rstrip('/')}/")

    def has_no_fault(self, stored: str) -> bool:
        """Return True if a source that failed in an earlier run is no longer at fault.

        This is the case if this run read the source, excluded it, or found that it no longer exists.

        Args:
            stored: the source in the form in which documents store it.
        """
        source = stored if self.folder is None else (self.folder / stored).as_posix()
        if not any(root.holds(source) for root in self.roots):
            return False
        if "://" in source:
            return not self.is_partly_read(source)
        if (
            _is_gone(source) or os.path.realpath(source) in self.entered
        ):  # the second condition is for a folder that could not be entered before
            return True
        return any(
            path in self._excluded or path in self.read or os.path.realpath(path) in self.read
            for path in with_parents(source)
        )

    def empty_roots(self) -> list[Root]:
        """Return the roots that are missing or that contain nothing to read."""
        return [root for root in self.roots if root.path in self._empty and root.path not in self._unread]

    def why_kept(self, source: str) -> Kept | None:
        """Return the reason to keep a stored document that the run did not find, or None if it can be deleted.

        The document can be deleted if its file is gone, or if the run read the file and did not find the document.
        """
        places = with_parents(source)
        for path in places:
            if path in self._unread:
                return Kept(path, self._unread[path])
        if any(path in self._excluded for path in places):
            why = "patterns exclude their files"
            return None if self.delete_excluded else Kept(self._root_of(source), why, excluded=True)
        for path in places:
            if path in self._empty:
                return Kept(path, self._empty[path], empty=True)
        if _is_missing(source):
            return None
        real = os.path.realpath(source)
        if real in self.read or real in self.entered:
            return None
        return Kept(self._root_of(source), "files that exist but were not read, such as hidden ones")

    def _root_of(self, source: str) -> str:
        return next((root.path for root in self.roots if root.holds(source)), source)


def with_parents(source: str) -> list[str]:
    """Return a source and everything that contains it, innermost first.

    A path is contained in its folders. An address is contained in each shorter address, down to the host alone.
    """
    scheme, mark, rest = source.partition("://")
    if not mark:
        return [source, *map(str, PurePosixPath(source).parents)]
    parts = rest.split("/")
    return [f"{scheme}://{'/'.join(parts[:length])}" for length in range(len(parts), 0, -1)]


def _is_gone(source: str) -> bool:
    return "://" not in source and not source.startswith("neo4j:") and _is_missing(source)


def _is_missing(path: str) -> bool:
    """A file that cannot be accessed may exist."""
    try:
        os.stat(path)  # noqa: PTH116 # a source may be a text that is not a path
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return True
    except OSError:
        return False
    return False
