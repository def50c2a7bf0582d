"""Digests by which equal requests, prompts and models are recognised."""

from __future__ import annotations

import hashlib
import json


def digest_of(*parts: object) -> str:
    """Return 64 hexadecimal digits of a hash of all parts in order. Parts must be JSON-serialisable."""
    content = json.dumps(parts, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(content.encode()).hexdigest()


def fingerprint_of(name: str, *parts: object) -> str:
    """Return `name:` and the first 16 hexadecimal digits of the digest of all arguments."""
    return f"{name}:{digest_of(name, *parts)[:16]}"
