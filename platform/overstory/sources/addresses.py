"""What kind of address a source is, by its form."""

from __future__ import annotations

import re

_REMOTE = re.compile(r"(?!neo4j|bolt|https?:)[A-Za-z][A-Za-z0-9+.-]+://.+")


def is_page(source: str) -> bool:
    """Whether a source is the address of a page or a sitemap."""
    return source.lower().startswith(("http://", "https://"))


def is_remote(source: str) -> bool:
    """Whether a source is an address that a store of files may have; pages and databases are no files."""
    return _REMOTE.match(source) is not None
