"""Verifies model files by their SHA-256 digests."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path

from overstory.errors import ModelError

REINSTALL = "Reinstall Overstory: pip install --force-reinstall --no-deps overstory"


@functools.cache
def checked(path: Path, sha256: str, *, remedy: str) -> Path:
    """Verify the SHA-256 digest of a model file, once per process, and return its path.

    Args:
        remedy: tells the user what to do if the file is missing or differs.
    """
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(f"The model file {path} cannot be read: {error}", remedy=remedy) from error
    if found != sha256:
        raise ModelError(f"{path} is not the expected file: its SHA-256 is {found}, not {sha256}.", remedy=remedy)
    return path


def fingerprint_of(name: str, *parts: object) -> str:
    """Return the name, a colon, and 16 hexadecimal digits of a hash of all parts."""
    content = "\0".join(str(part) for part in parts)
    return f"{name}:{hashlib.sha256(content.encode()).hexdigest()[:16]}"
