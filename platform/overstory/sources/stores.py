"""Downloads files from file stores, such as s3://bucket/folder, with fsspec.

fsspec is an optional dependency, and so are its packages for the various kinds of stores. Only this module and
`transfer/shard_folders.py` use fsspec. They convert its errors to `SourceError`.
"""

from __future__ import annotations

import datetime
import mimetypes
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import Any

from overstory.errors import BrokenSource, ExtraMissing, OverstoryError, SourceError
from overstory.model import MetadataValue
from overstory.model.metadata import FILE_NAME, FOLDER, MODIFIED, SIZE
from overstory.sources.remote_files import FetchedFile, RemoteFiles, placed
from overstory.surrogates import is_well_formed

_MODIFIED = ("LastModified", "last_modified", "mtime", "updated", "created")
"""Keys under which the packages for fsspec return the modification time of a file."""
_CHECKSUMS = ("ETag", "etag", "md5Hash", "crc32c", "content_md5", "checksum", "md5", "sha256")
"""Keys under which the packages for fsspec return a checksum, which changes with the content of a file."""
_STATE = "etag"
_KEPT_FILE_BYTES = 67_108_864
"""Maximum size of a file that is cached. Larger files are downloaded again in each run."""

_STORE_HEAD_BYTES = 8_192
"""Number of bytes that are downloaded from a file whose name no loader recognises, to detect its format."""
_ARCHIVE = b"PK\3\4"
_WITHOUT_TEXT = frozenset({"image", "audio", "video", "font"})


def store_at(address: str) -> tuple[Any, str]:
    """Return the fsspec file system for an address, and the path of the address in that file system.

    Raises:
        ExtraMissing: fsspec is not installed.
    """
    try:
        core: Any = import_module("fsspec.core")
    except ImportError as error:
        raise ExtraMissing("fsspec", extra="remote") from error
    store, path = core.url_to_fs(address)
    return store, path.rstrip("/")


@contextmanager
def store_faults(address: str, *, passing: type[Exception] = OverstoryError) -> Generator[None]:
    """Convert every error of a store to `SourceError`, except `OverstoryError` and errors of the type `passing`."""
    try:
        yield
    except (OverstoryError, passing):
        raise
    except Exception as error:  # each kind of store raises other types of errors
        raise SourceError(
            f"{address} cannot be accessed: {type(error).__name__}: {error}",
            remedy="Check the address, the package for its kind of store (s3fs for s3://), credentials and network.",
        ) from error


class StoreFiles(RemoteFiles):
    """The file at an address in a store, or the files below that address."""

    def files(self, only: Sequence[str] | None = None) -> Iterator[FetchedFile]:
        """Yield the files in order of their names."""
        if only is not None and self._address in only:
            only = None
        if only is None:
            self._coverage.add_root(self._address)
        try:
            with store_faults(self._address):
                store, root = store_at(self._address)
                store.invalidate_cache()
                found: dict[str, dict[str, Any]] = store.find(root, detail=True)
        except SourceError as error:
            self._coverage.add_root(self._address)
            self._coverage.add_unread(self._address, "its store cannot be accessed")
            reason = str(error).removeprefix(f"{self._address} ")
            self._on_broken(BrokenSource(reason, source=self._address, remedy=error.remedy))
            return
        if not found:
            self._coverage.add_empty(self._address)
            reason = "no file exists at this address"
            self._on_broken(BrokenSource(reason, source=self._address, remedy="Check the address."))
        for name in sorted(found):
            below = name.removeprefix(root).lstrip("/")
            address = f"{self._address}/{below}" if below else self._address
            if only is not None and address not in only:
                continue
            if only is not None:
                self._coverage.add_root(address)
            is_file = found[name].get("type", "file") == "file" and not name.endswith(
                "/"
            )  # some stores list folders as files whose names end with "/"
            if is_file and self._is_read(below, address):
                yield from self._file(store, name, below, address, found[name])
        for gone in set(only or ()) - {f"{self._address}/{name.removeprefix(root).lstrip('/')}" for name in found}:
            if gone.startswith(f"{self._address}/"):
                self._coverage.add_root(gone)

    @staticmethod
    def _normal(named: str) -> str:
        return named.rstrip("/")

    def _is_read(self, below: str, address: str) -> bool:
        """Return True if a file must be read; otherwise record that it is hidden or excluded."""
        parts = PurePosixPath(below).parts
        if not is_well_formed(below) or any(part.startswith(".") for part in parts):
            self._coverage.hidden += 1
            return False
        if below and self._chosen is not None and not self._chosen.chooses(below):
            self._coverage.add_excluded(address)
            return False
        return True

    def _file(self, store: Any, name: str, below: str, address: str, info: Mapping[str, Any]) -> Iterator[FetchedFile]:
        relative = below or PurePosixPath(address).name
        base = f"{self._address}/" if below else f"{self._address.rpartition('/')[0]}/"
        with placed(relative) as (folder, path):
            try:
                with store_faults(address):
                    is_read = self._knows_name(path.name) or self._is_read_by_head(store, name, info, path)
                    if is_read:
                        self._fetch(store, name, address, info, path)
                        is_read = self._is_recognised(str(path))
            except SourceError as error:
                self._coverage.add_unread(address, "it could not be fetched")
                reason = str(error).removeprefix(f"{address} ")
                self._on_broken(BrokenSource(reason, source=address, remedy=error.remedy))
                return
            if not is_read:
                self._coverage.add_unread(address, "no loader reads it")
                self._on_skipped(address)
                return
            self._coverage.read.add(address)
            metadata: dict[str, MetadataValue] = {FILE_NAME: PurePosixPath(relative).name}
            metadata[FOLDER] = PurePosixPath(below).parent.as_posix() if below else "."
            metadata[SIZE] = path.stat().st_size
            if (modified := _modified(info)) is not None:
                metadata[MODIFIED] = modified
            yield FetchedFile(address, path, folder, base, metadata)

    def _is_read_by_head(self, store: Any, name: str, info: Mapping[str, Any], path: Path) -> bool:
        """Download the beginning of a file, and return True if a loader may recognise its content.

        For a ZIP archive, the beginning is not enough. Therefore the result is True for every ZIP archive. For images,
        audio, videos, fonts, and files that are too large, the result is always False.
        """
        kind = (mimetypes.guess_type(path.name)[0] or "").partition("/")[0]
        if kind in _WITHOUT_TEXT or not 0 < (info.get("size") or 0) <= _KEPT_FILE_BYTES:
            return False
        head: bytes = store.cat_file(name, start=0, end=_STORE_HEAD_BYTES)
        path.write_bytes(head)
        return head.startswith(_ARCHIVE) or self._is_recognised(str(path))

    def _fetch(self, store: Any, name: str, address: str, info: Mapping[str, Any], path: Path) -> None:
        state = "" if _is_here(store) else _state(info)
        known = self._cache.known(address) if state else None
        if known is not None and known[0].get(_STATE) == state:
            path.write_bytes(known[1])
            return
        store.get_file(name, str(path))
        if state and path.stat().st_size <= _KEPT_FILE_BYTES:
            self._cache.keep(address, {_STATE: state}, path.read_bytes())


def _is_here(store: Any) -> bool:
    protocol: str | tuple[str, ...] = store.protocol
    return "file" in ((protocol,) if isinstance(protocol, str) else protocol)


def _state(info: Mapping[str, Any]) -> str:
    """Return a text that changes whenever a file changes, made from its size and its checksum or modification time.

    Return "" if neither the checksum nor the modification time is known.
    """
    checksum = next((f"{key} {info[key]}" for key in _CHECKSUMS if info.get(key)), "")
    time = next((f"{key} {info[key]}" for key in _MODIFIED if info.get(key) is not None), "")
    return f"{checksum or time}, {info.get('size')} bytes" if checksum or time else ""


def _modified(info: Mapping[str, Any]) -> datetime.datetime | None:
    found = next((info[name] for name in _MODIFIED if info.get(name) is not None), None)
    if isinstance(found, int | float):
        found = datetime.datetime.fromtimestamp(found, datetime.UTC)
    if not isinstance(found, datetime.datetime):
        return None
    in_utc = found.astimezone(datetime.UTC) if found.tzinfo else found.replace(tzinfo=datetime.UTC)
    return in_utc.replace(microsecond=0)
