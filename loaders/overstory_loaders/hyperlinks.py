"""The hyperlinks of a page that name other files: relative ones, without what follows a "#" or a "?"."""

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
"""Suffixes of files that become one document each. A link to a picture or an archive would wait for it for ever."""
_LONGEST_PATH_CHARACTERS = 2_000


def hyperlinks(source: str, found: Iterable[tuple[str, str]], *, index: str = "") -> Iterator[Link]:
    """Links from a document to those of the files that its hyperlinks name, whether these files are there or not.

    Args:
        source: of the document, an absolute path.
        found: the hyperlinks, each as its address and its words.
        index: the file that an address of a folder ("guide/") stands for; "" if such an address is left out.
    """
    for address, words in found:
        path = _path(address, index)
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), path)) if path else source
        if target != source:
            yield Link(source, "", "", target_source=target, type=HYPERLINK, text=clean_title(words))


def _path(address: str, index: str) -> str:
    """The relative path of a file that can become a document; "" if the address is another one."""
    try:
        parts = urlsplit(address.strip())
    except ValueError:  # half of an IPv6 address
        return ""
    path = unquote(parts.path)
    if parts.scheme or parts.netloc or not path or path.startswith("/") or len(path) > _LONGEST_PATH_CHARACTERS:
        return ""
    if path.endswith("/"):
        path = path + index if index else ""
    return path if path.lower().endswith(PAGES) and is_storable(path) else ""
