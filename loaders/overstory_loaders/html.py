"""Loads the visible text of HTML pages, with its headings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from overstory.errors import BrokenSource
from overstory.model import Document, Link
from overstory.model.metadata import OWN_NAMES
from overstory.protocols import OnBroken
from overstory_loaders.blocks import clean_title, join_blocks
from overstory_loaders.by_content import format_by_content
from overstory_loaders.encoding_labels import codec_of_declaration
from overstory_loaders.files import address, empty, has_suffix, missing_extra, read_bytes, stem
from overstory_loaders.html_blocks import page_blocks
from overstory_loaders.hyperlinks import hyperlinks
from overstory_loaders.metadata import clean_metadata, separated
from overstory_loaders.text_encoding import decode

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

SUFFIXES = (".html", ".htm", ".xhtml")
_DEPTH_LIMIT = 10_000
_ELEMENT_LIMIT = 1_000_000
"""Maximum number of elements in a page. Parsing this many takes half a gigabyte of memory and several seconds."""
_ATTRIBUTE_LIMIT = 2_000
"""Maximum number of attributes of an element.

The parser compares every attribute with all others. For two million attributes, this would take an hour.
"""
_NESTING = re.compile(
    r"<(/?)(?:a|article|b|blockquote|center|code|div|dl|em|font|form|i|ol|section|small|span|strong|table|u|ul)\b",
    re.IGNORECASE,
)
_ELEMENT = re.compile(r"<[a-z]", re.IGNORECASE)
_IN_TAG = r"""(?:[^=>]++|=\s*+(?:"[^"]*+"|'[^']*+'|))*+"""
_TAG = re.compile(
    rf"<!--.*?(?:-->|\Z)|(<(script|style)\b{_IN_TAG})>.*?(?:</\2\b|\Z)|(<[a-z]{_IN_TAG})", re.IGNORECASE | re.DOTALL
)
"""Matches an opening tag, in linear time. Comments, scripts and styles are matched together with any tags inside them.
"""
_ATTRIBUTE = re.compile(r"""[^\s/>=]++(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>]*+))?""")
_PRESCAN_BYTES = 1024
"""Number of bytes at the beginning of a page in which browsers look for the encoding declaration."""
_CHARSET = re.compile(rb"""(?:<meta[^>]+?charset|<\?xml[^>]+?encoding)\s*=\s*["']?\s*([\w:.-]+)""", re.IGNORECASE)
_LANGUAGES = ("dc.language", "dcterms.language", "og:locale")
"""Names of `<meta>` elements that declare the language, which are used if `<html>` does not declare it."""
META = "meta:"
"""Prefix for the names of `<meta>` elements that are also properties of documents, such as "source"."""
_FOR_PROGRAMS = re.compile(
    r"viewport|robots|.*bot|referrer|theme-color|color-scheme|format-detection|.*verif.*|csrf.*|msapplication.*|apple-.*"
    r"|application-name|mobile-web-app-.*|twitter:.*|fb:.*|al:.*|og:(?:image|video|audio)(?::.*)?|next-head-count|darkreader.*"
)
"""Matches the names of `<meta>` elements that contain instructions for programs."""


class HtmlLoader:
    """Loader for HTML files. The title comes from `<title>`, the first `<h1>` or the file name."""

    name = "html"
    isolated = True

    def recognises(self, source: str) -> bool:
        return has_suffix(source, SUFFIXES)

    def recognises_content(self, source: str) -> bool:
        return format_by_content(source) == "html"

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document | Link]:  # noqa: ARG002
        """Yield one document with the visible text but without navigation, then its links to other files."""
        data = read_bytes(source)
        page = parse_page(decode_page(data, source), source)
        links: list[tuple[str, str]] = []
        outlined = join_blocks(page_blocks(page.root, on_link=links.append))
        if not outlined.text:
            raise empty(source, "it has no visible text")
        first = next((heading.text for heading in outlined.headings if heading.level == 1), "")
        yield Document(
            source=address(source),
            source_key="",
            text=outlined.text,
            title=_title(page) or clean_title(first) or clean_title(stem(source, SUFFIXES)),
            metadata=clean_metadata(_metadata(page)).values,
            headings=outlined.headings,
        )
        yield from hyperlinks(address(source), links, index="index.html")


def parse_page(markup: str, source: str) -> LexborHTMLParser:
    """Parse a page, after checking that parsing it will not take too long.

    Raises:
        BrokenSource: the page is nested too deeply, or has too many elements or attributes.
        LoaderNotFound: the parser is not installed.
    """
    try:
        from selectolax.lexbor import LexborHTMLParser
    except ImportError as error:
        raise missing_extra("html", "selectolax") from error
    _check_depth(markup, source)
    _check_size(markup, source)
    return LexborHTMLParser(markup)


def decode_page(data: bytes, source: str) -> str:
    """Decode a page with the encoding that it declares. If a few bytes are invalid, they become "�" and are reported.

    An unknown declaration is ignored, as in browsers.

    Raises:
        BrokenSource: too many bytes are invalid in the declared encoding, or in UTF-8 if none is declared.
    """
    found = _CHARSET.search(data[:_PRESCAN_BYTES])
    declared = codec_of_declaration(found.group(1).decode("ascii", "replace")) if found is not None else None
    return decode(data, source, declared=declared, repair=True)


def _check_depth(markup: str, source: str) -> None:
    """Raise `BrokenSource` for extremely deep nesting, which could keep the parser busy for hours."""
    if markup.count("<") <= _DEPTH_LIMIT:
        return
    depth = 0
    for tag in _NESTING.finditer(markup):
        depth = max(0, depth - 1) if tag.group(1) else depth + 1
        if depth > _DEPTH_LIMIT:
            raise BrokenSource(f"nests elements more than {_DEPTH_LIMIT} deep", source=source, remedy="Leave it out.")


def _check_size(markup: str, source: str) -> None:
    """Raise `BrokenSource` if there are too many elements, or too many attributes in one element."""
    if markup.count("<") > _ELEMENT_LIMIT and sum(1 for _ in _ELEMENT.finditer(markup)) > _ELEMENT_LIMIT:
        raise BrokenSource(
            f"has more than {_ELEMENT_LIMIT:,} elements", source=source, remedy="Split it into several pages."
        )
    for tag in _TAG.finditer(markup) if len(markup) > 2 * _ATTRIBUTE_LIMIT else ():
        opening = tag.group(1) or tag.group(3) or ""
        if len(opening) > 2 * _ATTRIBUTE_LIMIT:
            attributes = sum(1 for _ in _ATTRIBUTE.finditer(opening)) - 1  # the first match is the element name
            if attributes > _ATTRIBUTE_LIMIT:
                raise BrokenSource(
                    f"has an element with more than {_ATTRIBUTE_LIMIT:,} attributes",
                    source=source,
                    remedy="Leave it out.",
                )


def _title(page: LexborHTMLParser) -> str:
    node = page.css_first("head title")
    return clean_title(node.text()) if node else ""


def _metadata(page: LexborHTMLParser) -> dict[str, object]:
    """Return the language of the page, and the contents of `<meta>` elements by their names in lower case."""
    root = page.css_first("html")
    contents: dict[str, list[str]] = {}
    for node in page.css("head meta[content]"):
        name = (node.attributes.get("name") or node.attributes.get("property") or "").strip().lower()
        content = (node.attributes.get("content") or "").strip()
        if name and content and not _FOR_PROGRAMS.fullmatch(name):
            contents.setdefault(name, []).append(content)
    language = root.attributes.get("lang") if root else None
    language = language or next((contents[name][0] for name in _LANGUAGES if name in contents), None)
    named = {f"{META}{name}" if name in OWN_NAMES else name: name for name in contents}
    return {"language": language, **{key: _meta(name, contents[name]) for key, name in named.items()}}


def _meta(name: str, contents: list[str]) -> str | list[str]:
    if name == "keywords":
        return separated(", ".join(contents))
    distinct = list(dict.fromkeys(contents))
    return distinct[0] if len(distinct) == 1 else distinct
