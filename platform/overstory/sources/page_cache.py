"""What was fetched in earlier runs, so that only what changed is fetched again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path


class PageCache:
    """Bodies with their validators, in a folder of files that can be fetched again."""

    def __init__(self, folder: Path | None) -> None:
        """
        Args:
            folder: None to keep nothing.
        """
        self._folder = folder

    def known(self, address: str) -> tuple[dict[str, str], bytes] | None:
        """The headers that a body came with, and the body; None if there is none that is whole."""
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
        """Keeps a body that can be asked for again; a full disk keeps none."""
        kept = {name: headers[name] for name in ("etag", "last-modified", "content-type") if headers.get(name)}
        if self._folder is None or ("etag" not in kept and "last-modified" not in kept):
            return
        head, body = self._files(self._folder, address)
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            body.write_bytes(content)  # half of it does not have its SHA-256
            head.write_text(json.dumps({**kept, "sha256": hashlib.sha256(content).hexdigest()}), encoding="utf-8")

    @staticmethod
    def _files(folder: Path, address: str) -> tuple[Path, Path]:
        name = hashlib.sha256(address.encode()).hexdigest()
        return folder / f"{name}.json", folder / name
