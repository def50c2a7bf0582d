"""Errors about folders on a disk: full, closed to the user, or without enough space."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from overstory.errors import ServerError

FULL = {errno.ENOSPC, errno.EDQUOT}
"""Errors of a write to a disk that is full, or to which the user may write no more."""
_CLOSED = {errno.EACCES, errno.EPERM, errno.EROFS}


@contextmanager
def storage_errors(place: Path, *, error: type[ServerError] = ServerError, variable: str) -> Generator[None]:
    """Convert OS errors about `place` into an `error`.

    Args:
        variable: the environment variable that sets this place.
    """
    try:
        yield
    except OSError as fault:
        raise _explained(fault, place, error, variable) from fault


def _explained(fault: OSError, place: Path, error: type[ServerError], variable: str) -> ServerError:
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
    """Raise the error if the disk of an existing folder has less than `needed` bytes free."""
    free = shutil.disk_usage(place).free
    if free < needed:
        raise error(
            f"The disk is full: {place} has {free / 1e6:.0f} MB of free space, and {needed / 1e6:.0f} MB are needed.",
            remedy=f"Free some space, or set {variable} to a folder on another disk.",
        )
