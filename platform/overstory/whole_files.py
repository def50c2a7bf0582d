"""Atomic writing of files."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

_OWNER_ONLY = 0o600  # only the user may read the file
_ANYBODY = 0o666  # the umask removes permissions


@contextmanager
def written_whole(file: Path, *, mode: int = _ANYBODY) -> Generator[TextIO]:
    """Open a UTF-8 text stream that replaces the file atomically when the block ends without an error.

    Readers never see a partial file, and an interrupted run leaves none.

    Raises:
        OSError: the file cannot be written.
    """
    part = file.with_name(f"{file.name}.{os.getpid()}.part")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "w", encoding="utf-8") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(file)
    finally:
        with suppress(OSError):  # the name may be too long
            part.unlink(missing_ok=True)


def write_whole(file: Path, text: str, *, mode: int = _OWNER_ONLY) -> None:
    """Replace the contents of a file atomically; by default only the user can read the file.

    Raises:
        OSError: as for `written_whole`.
    """
    with written_whole(file, mode=mode) as stream:
        stream.write(text)
