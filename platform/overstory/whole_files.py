"""Write files atomically, so that nobody can read a file that is only partly written."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

_OWNER_ONLY = 0o600
_ANYBODY = 0o666  # everybody may read and write the file, unless the umask forbids it


@contextmanager
def written_whole(file: Path, *, mode: int = _ANYBODY) -> Generator[TextIO]:
    """Open a UTF-8 text stream whose content replaces the file atomically if the block ends without an error.

    Raises:
        OSError: the file cannot be written.
    """
    with _replacing(file, mode) as target, os.fdopen(target, "w", encoding="utf-8", closefd=False) as stream:
        yield stream


def write_whole(file: Path, content: str | bytes, *, mode: int = _OWNER_ONLY) -> None:
    """Replace the content of a file atomically. By default, only the user can read the file.

    Raises:
        OSError: the file cannot be written.
    """
    data = content.encode() if isinstance(content, str) else content
    with _replacing(file, mode) as target, os.fdopen(target, "wb", closefd=False) as stream:
        stream.write(data)


@contextmanager
def _replacing(file: Path, mode: int) -> Generator[int]:
    """Yield a file descriptor. If the block ends without an error, what was written to it replaces the file."""
    part = file.with_name(f"{file.name}.{os.getpid()}.part")
    try:
        target = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
        try:
            yield target
            os.fsync(target)
        finally:
            os.close(target)
        part.replace(file)
    finally:
        with suppress(OSError):  # this fails, too, if the file name is too long
            part.unlink(missing_ok=True)
