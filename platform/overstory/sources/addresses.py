"""Addresses as sources: their kinds, by their form, and what of them counts."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, urlsplit

from overstory.errors import BrokenSource

_REMOTE = re.compile(r"(?!neo4j|bolt|https?:)[A-Za-z][A-Za-z0-9+.-]+://.+")

_DEFAULT_PORTS = {"http": 80, "https": 443}


def is_page(source: str) -> bool:
    """Whether a source is the address of a page or a sitemap."""
    return source.lower().startswith(("http://", "https://"))


def is_remote(source: str) -> bool:
    """Whether a source is an address that a store of files may have; pages and databases are no files."""
    return _REMOTE.match(source) is not None


def normal_address(named: str) -> str:
    """An address without what does not count: the fragment, an empty path, capitals in scheme and host.

    Raises:
        BrokenSource: it is not the address of a page, or has a user or a password in it.
    """
    try:
        parts = urlsplit(named)
        _ = parts.port
    except ValueError as error:
        raise BrokenSource(f"is no address: {error}", source=named, remedy="Check it.") from error
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname or any(map(str.isspace, parts.netloc)):
        raise BrokenSource("is no address of a page", source=named, remedy="Check it.")
    if "@" in parts.netloc:
        what = "has a user or a password in it, which would be stored"
        raise BrokenSource(what, source=parts._replace(netloc=parts.hostname).geturl(), remedy="Leave it out.")
    return parts._replace(netloc=parts.netloc.lower(), path=parts.path or "/", fragment="").geturl()


def port_of(parts: SplitResult) -> int:
    """The port of a page's address, or the default of its scheme."""
    return parts.port or _DEFAULT_PORTS[parts.scheme]


def is_default_port(parts: SplitResult) -> bool:
    """Whether a page has the default port of its scheme."""
    return port_of(parts) == _DEFAULT_PORTS[parts.scheme]
