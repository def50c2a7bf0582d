"""Converts the relative hyperlinks of a page to links between documents, ignoring fragments and queries."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from urllib.parse import unquote, urlsplit

from overstory.model import HYPERLINK, Link
from overstory_loaders.blocks import clean_title, is_storable
from overstory_loaders.odf import SUFFIXES as OPEN_DOCUMENT
from overstory_loaders.pptx import SUFFIXES as SLIDES
from overstory_loaders.text import SUFFIXES as TEXT
from overstory_loaders.xlsx import SUFFIXES as SHEETS

# fmt: off
PAGES = (
    ".md", ".markdown", ".mdown", ".mkd", ".html", ".htm", ".xhtml", *TEXT, ".rst", ".rest", ".pod",
    ".pdf", ".docx", ".epub", ".ipynb", *OPEN_DOCUMENT, *SLIDES, *SHEETS,
)
# fmt: on
"""Suffixes of files that become one document each. Links to other files, such as pictures, would have no target."""
_LONGEST_PATH_CHARACTERS = 2_000


def hyperlinks(source: str, found: Iterable[tuple[str, str]], *, index: str = "") -> Iterator[Link]:
    """Yield links from a document to the files that its hyperlinks name, whether or not these files exist.

    Args:
        source: source of the document, which is an absolute path.
        found: address and text of each hyperlink.
        index: name of the file that an address of a folder ("guide/") refers to. If "", such addresses are skipped.
    """
    for address, words in found:
        path = _path(address, index)
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), path)) if path else source
        if target != source:
            yield Link(source, "", "", target_source=target, type=HYPERLINK, text=clean_title(words))


def _path(address: str, index: str) -> str:
    """Return the path in an address if it is relative and names a file that becomes a document; "" otherwise."""
    try:
        parts = urlsplit(address.strip())
    except ValueError:  # urlsplit rejects incomplete IPv6 addresses
        return ""
    path = unquote(parts.path)
    if parts.scheme or parts.netloc or not path or path.startswith("/") or len(path) > _LONGEST_PATH_CHARACTERS:
        return ""
    if path.endswith("/"):
        path = path + index if index else ""
    return path if path.lower().endswith(PAGES) and is_storable(path) else ""
