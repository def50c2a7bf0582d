"""Downloaded files. Each file is stored in a temporary folder while a loader reads it.

Documents and errors refer to such a file by its address, not by its temporary path.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from overstory.errors import BrokenSource
from overstory.model import Document, Link, Loaded, MetadataValue
from overstory.protocols import OnBroken, OnSkipped
from overstory.sources.chosen_files import ChosenFiles
from overstory.sources.coverage import Coverage
from overstory.sources.encodings import DecodedFile
from overstory.sources.read_options import ReadOptions


class PageCache:
    """Caches response bodies in a folder, with the headers that show whether they have changed (ETag and date).

    If `folder` is None, nothing is cached.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def known(self, address: str) -> tuple[dict[str, str], bytes] | None:
        """Return the cached headers and body for an address, or None if they are missing or damaged."""
        if self._folder is None:
            return None
        head, body = self._files(self._folder, address)
        try:
            headers: dict[str, str] = json.loads(head.read_text(encoding="utf-8"))
            content = body.read_bytes()
        except (OSError, ValueError):
            return None
        return (headers, content) if headers.get("sha256") == hashlib.sha256(content).hexdigest() else None

    def keep(self, address: str, headers: Mapping[str, str], content: bytes) -> None:
        """Cache a body if its headers contain an ETag or a date. Errors, such as a full disk, are ignored."""
        kept = {name: headers[name] for name in ("etag", "last-modified", "content-type") if headers.get(name)}
        if self._folder is None or ("etag" not in kept and "last-modified" not in kept):
            return
        head, body = self._files(self._folder, address)
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            body.write_bytes(content)  # if this is interrupted, `known` detects it, because the SHA-256 does not match
            head.write_text(json.dumps({**kept, "sha256": hashlib.sha256(content).hexdigest()}), encoding="utf-8")

    @staticmethod
    def _files(folder: Path, address: str) -> tuple[Path, Path]:
        name = hashlib.sha256(address.encode()).hexdigest()
        return folder / f"{name}.json", folder / name


_LONGEST_NAME_CHARACTERS = 100
"""Maximum number of characters in a part of a temporary path. From longer parts, only the end is kept."""
_INDEX = "index.html"


@dataclass(frozen=True, slots=True)
class FetchedFile:
    """A downloaded file.

    Attributes:
        address: the address of the file, which becomes the source of its documents.
        path: the temporary path of the file.
        folder: the temporary folder that contains the file and corresponds to the address `base`.
        base: the address of the folder on the server, with "/" at the end.
        metadata: metadata about the file, which is added to its documents.
    """

    address: str
    path: Path
    folder: Path
    base: str
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict[str, MetadataValue])

    def address_of(self, path: str) -> str | None:
        """Return the address that corresponds to a temporary path, or None if the path is outside `folder`."""
        if path == str(self.path):
            return self.address
        below = path.removeprefix(f"{self.folder}/")
        if below == path:
            return self.base.rstrip("/") if path == str(self.folder) else None
        return self.base + (below.removesuffix(_INDEX) if below.endswith(f"/{_INDEX}") or below == _INDEX else below)

    def renamed(self, item: Loaded) -> Loaded | None:
        """Return the item with addresses instead of temporary paths.

        Return None if the item is a link whose target is outside `folder`.
        """
        source = self.address_of(item.source) or self.address
        if isinstance(item, Link):
            target = self.address_of(item.target_source) if item.target_source else ""
            return None if target is None else replace(item, source=source, target_source=target)
        if not isinstance(item, Document):
            return replace(item, source=source)
        of_file = not item.source_key and item.source == str(self.path)
        known = {name: value for name, value in self.metadata.items() if of_file or name not in ("size", "modified")}
        return replace(item, source=source, file_metadata=known | dict(item.file_metadata))

    def renamed_error(self, error: BrokenSource) -> BrokenSource:
        """Return the error with the temporary path replaced by the address."""
        source = self.address_of(error.source) or self.address
        renamed = BrokenSource(error.reason, source=source, line=error.line, remedy=error.remedy)
        renamed.__cause__ = error
        return renamed

    def renamed_decoded(self, decoded: DecodedFile) -> DecodedFile:
        return replace(decoded, path=self.address_of(decoded.path) or self.address)


class RemoteFiles(ABC):
    """The files at a given address or below it."""

    def __init__(
        self,
        named: str,
        options: ReadOptions,
        cache: PageCache,
        *,
        is_recognised: Callable[[str], bool],
        on_broken: OnBroken,
        on_skipped: OnSkipped,
        coverage: Coverage,
    ) -> None:
        """
        Args:
            is_recognised: returns True if a loader recognises the name of the file at a path or, if the file exists,
                its content.
        """
        self._address = self._normal(named)
        self._options = options
        self._chosen = ChosenFiles(Path("/"), options, on_broken, reads_files=False) if options.leaves_out else None
        self._is_recognised = is_recognised
        self._on_broken = on_broken
        self._on_skipped = on_skipped
        self._coverage = coverage
        self._cache = cache

    @abstractmethod
    def files(self, only: Sequence[str] | None = None) -> Iterator[FetchedFile]:
        """Yield each file that a loader can read. A file is deleted when the next file is requested.

        Args:
            only: the addresses of the files to yield; None for all files.
        """

    def _knows_name(self, name: str) -> bool:
        return self._is_recognised(f"{os.devnull}/{name}")  # no file can exist at this path; only the name counts

    @staticmethod
    @abstractmethod
    def _normal(named: str) -> str:
        """Return the normal form of an address."""


@contextmanager
def placed(relative: str) -> Generator[tuple[Path, Path]]:
    """Provide a temporary folder and the path in it to which the caller must write the file."""
    with tempfile.TemporaryDirectory(prefix="overstory-fetched-") as made:
        folder = Path(made)
        parts = [part[-_LONGEST_NAME_CHARACTERS:] for part in relative.split("/") if part not in ("", ".", "..")]
        path = folder.joinpath(*(part.replace("\0", "_") for part in parts or [_INDEX]))
        path.parent.mkdir(parents=True, exist_ok=True)
        yield folder, path
