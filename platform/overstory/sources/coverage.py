"""What a run saw of the paths that it was given: was the file of a document deleted, or only not read this time?"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from overstory.surrogates import is_well_formed


@dataclass(frozen=True, slots=True)
class Root:
    """A path that a run was given, absolute.

    Attributes:
        with_contents: documents of the paths below it belong to it as well.
        sitemap: if it is a host, the sitemap that the documents that are meant came from.
    """

    path: str
    with_contents: bool = True
    sitemap: str = ""

    def holds(self, source: str) -> bool:
        """Whether a document with this source belongs to the path."""
        below = self.path.rstrip("/") + "/"
        return source == self.path or (self.with_contents and source.startswith(below))


@dataclass(frozen=True, slots=True)
class Kept:
    """Stored documents that a run did not read, though they may still be there.

    Attributes:
        path: the file or folder that was not read.
        why: the reason.
        empty: the path is missing or empty, as a disk is that is not mounted; syncing with `allow_empty` removes the
            documents.
        excluded: patterns leave it out, or files in it; syncing with `delete_excluded` removes the documents.
        documents: how many there are.
    """

    path: str
    why: str
    empty: bool = False
    excluded: bool = False
    documents: int = 1


@dataclass(slots=True)
class Coverage:
    """Collects what `read_sources` read, and what it did not.

    Attributes:
        roots: the paths that were given.
        read: the real paths of files, and of folders that a loader read as a whole.
        entered: the real paths of other folders.
        hidden: how many files and folders in these were left out because their names begin with a full stop.
        delete_excluded: whether the documents of these are gone.
        folder: to which documents have their sources relative, None where they have whole ones.
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
        """Adds a path that was given and cannot be read: it is missing, or its folder cannot be entered."""
        if not named or not is_well_formed(named):  # no document can have such a source
            return
        path = os.path.abspath(named)  # noqa: PTH100 # Path.absolute keeps "..", which is another name
        self.add_root(path)
        if _is_missing(path):
            self._empty[path] = "it is missing"
        else:
            self.add_unread(path, "it cannot be read")

    def add_unread(self, path: str, why: str) -> None:
        """Adds a file or folder whose documents the run may not have seen, or not all of them."""
        self._unread.setdefault(path, why)

    def add_excluded(self, path: str) -> None:
        """Adds a file or folder that patterns leave out."""
        self._excluded.add(path)

    @property
    def excluded(self) -> int:
        """How many files and folders patterns left out."""
        return len(self._excluded)

    def add_empty(self, path: str) -> None:
        """Adds a folder in which there is nothing to read."""
        self._empty.setdefault(path, "there is nothing in it to read")

    def is_partly_read(self, source: str) -> bool:
        """Whether the run may have missed a part of a source, or of what holds it."""
        if self.folder is not None:
            source = (self.folder / source).as_posix()
        return any(path in self._unread for path in with_parents(source))

    def stored_source(self, source: str) -> str | None:
        """A source of the run as documents have it; None for one that is of no path of the run, or is not there."""
        if not is_well_formed(source) or _is_gone(source) or not any(root.holds(source) for root in self.roots):
            return None
        return source if self.folder is None else source.removeprefix(f"{self.folder.as_posix().rstrip('/')}/")

    def has_no_fault(self, stored: str) -> bool:
        """Whether the run read a source that had a fault before, left it out, or found it gone; `stored` as documents
        have it."""
        source = stored if self.folder is None else (self.folder / stored).as_posix()
        if not any(root.holds(source) for root in self.roots):
            return False
        if "://" in source:
            return not self.is_partly_read(source)
        if _is_gone(source) or os.path.realpath(source) in self.entered:  # a folder fails as a whole, too
            return True
        return any(
            path in self._excluded or path in self.read or os.path.realpath(path) in self.read
            for path in with_parents(source)
        )

    def empty_roots(self) -> list[Root]:
        """The given paths that are missing or hold nothing to read."""
        return [root for root in self.roots if root.path in self._empty and root.path not in self._unread]

    def why_kept(self, source: str) -> Kept | None:
        """The reason why a document that the run did not see may still have its file; None if the file is gone, or was
        read and no longer holds the document."""
        places = with_parents(source)
        for path in places:
            if path in self._unread:
                return Kept(path, self._unread[path])
        if any(path in self._excluded for path in places):
            why = "patterns leave their files out"
            return None if self.delete_excluded else Kept(self._root_of(source), why, excluded=True)
        for path in places:
            if path in self._empty:
                return Kept(path, self._empty[path], empty=True)
        if _is_missing(source):
            return None
        real = os.path.realpath(source)
        if real in self.read or real in self.entered:
            return None
        return Kept(self._root_of(source), "hidden files, and others that are there but were not read")

    def _root_of(self, source: str) -> str:
        return next((root.path for root in self.roots if root.holds(source)), source)


def with_parents(source: str) -> list[str]:
    """A source and all that it lies in: folders, or those of an address up to its host."""
    scheme, mark, rest = source.partition("://")
    if not mark:
        return [source, *map(str, PurePosixPath(source).parents)]
    parts = rest.split("/")
    return [f"{scheme}://{'/'.join(parts[:length])}" for length in range(len(parts), 0, -1)]


def _is_gone(source: str) -> bool:
    return "://" not in source and not source.startswith("neo4j:") and _is_missing(source)


def _is_missing(path: str) -> bool:
    """Whether there is no such file: one that cannot be looked at may be there."""
    try:
        os.stat(path)  # noqa: PTH116 # sources need not be paths at all
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return True
    except OSError:
        return False
    return False
