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
    part = file.with_name(f"{file.name}.{os.getpid()}.part")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "w", encoding="utf-8") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(file)
    finally:
        with suppress(OSError):  # this fails, too, if the file name is too long
            part.unlink(missing_ok=True)


def write_whole(file: Path, text: str, *, mode: int = _OWNER_ONLY) -> None:
    """Replace the content of a file atomically. By default, only the user can read the file.

    Raises:
        OSError: the file cannot be written.
    """
    with written_whole(file, mode=mode) as stream:
        stream.write(text)
