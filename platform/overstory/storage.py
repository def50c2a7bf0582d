"""Errors about folders that are not accessible or whose disk is full."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from overstory.errors import ServerError

FULL = {errno.ENOSPC, errno.EDQUOT}
"""Error numbers of writing when the disk is full or the user's quota is used up."""
_CLOSED = {errno.EACCES, errno.EPERM, errno.EROFS}


@contextmanager
def storage_errors(place: Path, *, error: type[ServerError] = ServerError, variable: str) -> Generator[None]:
    """Convert an `OSError` that the block raises to an exception with a remedy.

    Args:
        place: folder that the block reads or writes.
        variable: environment variable that sets the folder. The remedy names it.
    """
    try:
        yield
    except OSError as fault:
        raise _storage_error(fault, place, error, variable) from fault


def _storage_error(fault: OSError, place: Path, error: type[ServerError], variable: str) -> ServerError:
    if fault.errno in FULL:
        return error(
            f"The disk is full: {place} could not be written.",
            remedy=f"Free some space (a server needs about 500 MB), or set {variable} to a folder on another disk.",
        )
    if fault.errno in _CLOSED:
        return error(
            f"{fault.filename or place} cannot be read or written: {fault.strerror}.",
            remedy=f"Fix its owner or mode (chown, chmod), or set {variable} to a folder that you can write to.",
        )
    return error(f"{fault.filename or place}: {fault.strerror or fault}.", remedy=f"Set {variable} to another folder.")


def check_space(place: Path, needed: int, *, error: type[ServerError], variable: str) -> None:
    """Raise an exception if fewer than `needed` bytes are free on the disk of an existing folder.

    Args:
        variable: environment variable that sets the folder. The remedy names it.
    """
    free = shutil.disk_usage(place).free
    if free < needed:
        raise error(
            f"The disk of {place} has {free / 1e6:.0f} MB of free space, but {needed / 1e6:.0f} MB are needed.",
            remedy=f"Free some space, or set {variable} to a folder on another disk.",
        )
