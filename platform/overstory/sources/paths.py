"""Functions that classify paths and addresses, state why they cannot be read, and keep a run inside its folders."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from typing import IO
from urllib.parse import SplitResult, urlsplit

from overstory.errors import BrokenSource
from overstory.model import Link, Loaded
from overstory.surrogates import is_well_formed

_REMOTE = re.compile(r"(?!neo4j|bolt|https?:)[A-Za-z][A-Za-z0-9+.-]+://.+")

_DEFAULT_PORTS = {"http": 80, "https": 443}


def is_page(source: str) -> bool:
    """Return True if a source is the address of a web page or of a sitemap."""
    return source.lower().startswith(("http://", "https://"))


def is_remote(source: str) -> bool:
    """Return True if a source is an address in a file store, such as "s3://bucket/file".

    Return False for paths and for the addresses of web pages and databases.
    """
    return _REMOTE.match(source) is not None


def normal_address(named: str) -> str:
    """Return the address of a web page in normal form.

    Scheme and host are in lower case, an empty path becomes "/", and the fragment is removed.

    Raises:
        BrokenSource: `named` is not the address of a web page, or it contains a user name or a password.
    """
    try:
        parts = urlsplit(named)
        _ = parts.port
    except ValueError as error:
        raise BrokenSource(f"is not a valid address: {error}", source=named, remedy="Check the address.") from error
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname or any(map(str.isspace, parts.netloc)):
        raise BrokenSource("is not the address of a web page", source=named, remedy="Check the address.")
    if "@" in parts.netloc:
        what = "contains a user name or a password, which would be stored"
        raise BrokenSource(what, source=parts._replace(netloc=parts.hostname).geturl(), remedy="Leave it out.")
    return parts._replace(netloc=parts.netloc.lower(), path=parts.path or "/", fragment="").geturl()


def port_of(parts: SplitResult) -> int:
    """Return the port of a page's address, or the default port of its scheme."""
    return parts.port or _DEFAULT_PORTS[parts.scheme]


def is_default_port(parts: SplitResult) -> bool:
    return port_of(parts) == _DEFAULT_PORTS[parts.scheme]


# A run may be confined to some folders. It then follows no symbolic link out of them. A link may be changed after it
# was checked, and some loaders open more files, such as the tables of a graph. Therefore each file is checked again
# after it was opened.

LEADS_OUTSIDE = "points outside the folders that may be read"

_folders: ContextVar[Sequence[str]] = ContextVar("overstory_confining_folders", default=())


@contextmanager
def confined_to(folders: Sequence[str]) -> Generator[None]:
    """Confine loaders to these folders during the `with` block; if `folders` is empty, they may follow every link."""
    before = _folders.set(folders)
    try:
        yield
    finally:
        _folders.reset(before)


def leads_outside(path: str | Path, folders: Sequence[str] | None = None) -> bool:
    """Return True if a path leads outside `folders`, by default outside the folders to which the run is confined."""
    inside = _folders.get() if folders is None else folders
    return bool(inside) and not _lies_in(os.path.realpath(path), inside)


def check_opened(file: IO[bytes], source: str) -> None:
    """Check that an opened file lies in the folders to which the run is confined.

    If the path `source` itself is not in these folders, the file is not checked: it is a temporary copy, such as a file
    extracted from an archive.

    Raises:
        BrokenSource: a symbolic link leads out of the folders.
    """
    folders = _folders.get()
    if not folders or not _lies_in(os.path.abspath(source), folders):  # noqa: PTH100 # `resolve` would follow links
        return
    real = os.path.realpath(source)
    try:
        is_same = os.path.samestat(os.fstat(file.fileno()), os.stat(real))  # noqa: PTH116
    except OSError:
        is_same = False
    if not is_same or not _lies_in(real, folders):
        raise BrokenSource(LEADS_OUTSIDE, source=source, remedy="Copy the file into the folder.")


def _lies_in(path: str, folders: Sequence[str]) -> bool:
    return any(path == folder or path.startswith(f"{folder.rstrip('/')}/") for folder in folders)


def relative_to(items: Iterable[Loaded], folder: Path) -> Iterator[Loaded]:
    """Yield the items with sources that are relative to a folder. A source outside the folder is not changed."""
    before = f"{folder.as_posix().rstrip('/')}/"
    for item in items:
        source = item.source.removeprefix(before)
        if isinstance(item, Link):
            yield replace(item, source=source, target_source=item.target_source.removeprefix(before))
        else:
            yield replace(item, source=source)


def problem_of(path: str) -> BrokenSource | None:
    """Return the error if a path is not a file or folder that can be read, else None."""
    if not is_well_formed(path):
        return unnamable(path)
    if path and (is_file(path) or is_folder(path)):
        return None
    try:
        Path(path or "\0").stat()
    except PermissionError as error:
        return unreadable(error, path)
    except (OSError, ValueError):
        shown = path or "(an empty path)"
        return BrokenSource("no such file or folder", source=shown, remedy="Check the path.")
    return BrokenSource("is neither a file nor a folder", source=path, remedy="Write it to a file first.")


def why_skipped(path: Path) -> str:
    """Return the reason why a path cannot be read as a file, or "" if it is a regular file."""
    if is_file(path):
        return ""
    # `os.path.exists` is used for the same reason as `os.path.isfile` in `is_file`.
    return "neither a file nor a folder" if os.path.exists(path) else "a broken link"  # noqa: PTH110


# `Path.is_file` and `Path.is_dir` raise an error for a path in a folder that cannot be entered; `os.path` does not.
def is_file(path: str | Path) -> bool:
    return os.path.isfile(path)  # noqa: PTH113


def is_folder(path: str | Path) -> bool:
    return os.path.isdir(path)  # noqa: PTH112


def has_entries(folder: Path) -> bool:
    try:
        return any(folder.iterdir())
    except OSError:
        return False


def is_of_kernel(path: str | Path) -> bool:
    """Return True if a path is in /proc or /sys, where the kernel generates the content of a file when it is read.

    Such files look like regular files, but reading one of them may wait forever, as with /proc/kmsg.
    """
    try:
        device = Path(path).stat().st_dev
    except (OSError, ValueError):
        return False
    return device in _kernel_devices() or os.path.realpath(path).startswith(("/proc/", "/sys/"))


@functools.cache
def _kernel_devices() -> frozenset[int]:
    return frozenset(Path(place).stat().st_dev for place in ("/proc", "/sys") if os.path.ismount(place))


def absolute(path: str) -> Path:
    """Return the absolute path without "..".

    Symbolic links are kept, because the path as the user gave it identifies the document. They are resolved only if
    the meaning of ".." depends on them.
    """
    plain = Path(os.path.abspath(path))  # noqa: PTH100 # `Path.absolute` would keep ".."
    # If "link" is a symbolic link, "link/.." means the parent of the link's target, not the folder that contains it.
    return plain if ".." not in Path(path).parts or _is_same(plain, path) else Path(path).resolve()


def _is_same(plain: Path, path: str) -> bool:
    try:
        return plain.samefile(path)
    except OSError:
        return False


def unreadable(error: OSError, source: str) -> BrokenSource:
    if isinstance(error, PermissionError):
        remedy = "Check the permissions of the file and of its folders."
        return BrokenSource("cannot be read: permission denied", source=source, remedy=remedy)
    return BrokenSource(f"cannot be read: {error.strerror or error}", source=source)


def unnamable(path: str) -> BrokenSource:
    shown = os.fsencode(path).decode("utf-8", "backslashreplace")
    return BrokenSource("its name is not UTF-8", source=shown, remedy="Rename it.")
