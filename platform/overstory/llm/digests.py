"""Computes digests that identify requests, prompts and models."""

from __future__ import annotations

import hashlib
import json


def digest_of(*parts: object) -> str:
    """Return a hash of all parts, as 64 hexadecimal digits. The parts must be JSON-serialisable."""
    content = json.dumps(parts, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(content.encode()).hexdigest()


def fingerprint_of(name: str, *parts: object) -> str:
    """Return the name, a colon, and 16 hexadecimal digits of a hash of all arguments."""
    return f"{name}:{digest_of(name, *parts)[:16]}"
