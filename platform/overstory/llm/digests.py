"""Digests of values, by which runs recognise an equal request, prompt or model."""

from __future__ import annotations

import hashlib
import json


def digest_of(*parts: object) -> str:
    """64 hexadecimal digits that depend on all parts and their order. Parts must be serialisable as JSON."""
    content = json.dumps(parts, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(content.encode()).hexdigest()


def fingerprint_of(name: str, *parts: object) -> str:
    """`name:` and 16 hexadecimal digits of the digest."""
    return f"{name}:{digest_of(name, *parts)[:16]}"
