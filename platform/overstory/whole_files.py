"""Files that are there as a whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

_OWNER_ONLY = 0o600  # the mode of what only the user may read
_ANYBODY = 0o666  # less what the umask takes


@contextmanager
def written_whole(file: Path, *, mode: int = _ANYBODY) -> Generator[TextIO]:
    """A stream of text, in UTF-8, that takes the place of a file when the block ends without an error: no reader ever
    sees half of it, and an interrupted run leaves none.

    Raises:
        OSError: it cannot be written.
    """
    part = file.with_name(f"{file.name}.{os.getpid()}.part")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "w", encoding="utf-8") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(file)
    finally:
        with suppress(OSError):  # its name may be too long
            part.unlink(missing_ok=True)


def write_whole(file: Path, text: str, *, mode: int = _OWNER_ONLY) -> None:
    """Replaces a file by a text, which only the user can read.

    Raises:
        OSError: as `written_whole`.
    """
    with written_whole(file, mode=mode) as stream:
        stream.write(text)
