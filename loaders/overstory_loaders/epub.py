"""Loads EPUB books, with their chapters in reading order."""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from urllib.parse import unquote

from overstory.errors import BrokenSource
from overstory.model import Annotation, Document, date_of
from overstory.protocols import OnBroken
from overstory_loaders.blocks import Block, clean_title, join_blocks
from overstory_loaders.by_content import format_by_content
from overstory_loaders.files import address, empty, has_suffix, open_seekable, stem
from overstory_loaders.html import decode_page, parse_page
from overstory_loaders.html_blocks import page_blocks
from overstory_loaders.metadata import clean_metadata
from overstory_loaders.packages import PackageKind, has_member, open_member, open_package, read_member
from overstory_loaders.xml_reader import XmlElement, read_tree

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

SUFFIXES = (".epub",)

_KIND = PackageKind("EPUB", "Download it again, or check with an e-book reader whether it is an EPUB.")
_CONTAINER, _ENCRYPTION = "META-INF/container.xml", "META-INF/encryption.xml"
_FONTS_ONLY = frozenset({"http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"})
"""Encryption methods that are used only for fonts."""
_PAGES = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml"})
_NCX = "application/x-dtbncx+xml"
_NAMES = {"creator": "author"}
_TAG = re.compile("<[^<>]*>")
"""Matches an HTML tag. Many books have HTML tags in their description."""
_MADE_WITH = "bkp"
"""Role code of a contributor that is the program that made the book."""
_NO_YEAR = 101
"""Year that calibre assigns to books whose year is unknown."""
_HERE = frozenset({"title", "format", "type"})
"""Properties that do not become metadata: the title is stored elsewhere, and the others are the same for all books."""
_CLOSED = re.compile(
    r"<((?!(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)\b)[a-z][\w:]*+)((?=[\s/])[^<>]*)/>",
    re.IGNORECASE,
)
"""Matches an empty element in XML notation. HTML parsers would read `<title/>` as an opening tag and lose the text
after it.
"""


class EpubLoader:
    """Loader for EPUB files. The title comes from the metadata or, failing that, from the file name."""

    name = "epub"
    isolated = True

    def recognises(self, source: str) -> bool:
        return has_suffix(source, SUFFIXES)

    def recognises_content(self, source: str) -> bool:
        return format_by_content(source) == "epub"

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document | Annotation]:
        """Yield one document with the chapters in reading order, and with headings from the table of contents.

        Unreadable chapters are reported and left out.
        """
        with open_seekable(source) as stream:
            book = _Book(open_package(stream, source, _KIND), source, on_broken)
            outlined = join_blocks(book.blocks(), source=source)
        if not outlined.text:
            raise empty(source, "its chapters have no text")
        metadata = book.metadata()
        yield Document(
            source=address(source),
            source_key="",
            text=outlined.text,
            title=clean_title(book.title()) or clean_title(stem(source, SUFFIXES)),
            metadata=clean_metadata(metadata, dates_in_text=False).values,
            headings=outlined.headings,
        )


@dataclass(frozen=True, slots=True)
class _Entry:
    """An entry in the table of contents. Its `level` is counted from 1."""

    level: int
    title: str


@dataclass(slots=True)
class _BookItem:
    path: str
    type: str
    properties: Sequence[str]


@dataclass(slots=True)
class _Book:
    archive: zipfile.ZipFile
    source: str
    on_broken: OnBroken
    package: XmlElement = field(init=False)
    folder: str = field(init=False)

    def __post_init__(self) -> None:
        container = self._tree(_CONTAINER)
        roots = [each.attributes.get("full-path", "") for each in container.all("rootfile")]
        if not roots:
            raise BrokenSource("does not name its package file", source=self.source, remedy=_KIND.remedy)
        self.package = self._tree(roots[0])
        self.folder = posixpath.dirname(roots[0])

    def title(self) -> str:
        found = self.package.first("title")
        return found.text() if found is not None else ""

    def metadata(self) -> dict[str, object]:
        """Return the Dublin Core metadata by name. If a name has several values, they form a list."""
        values_by_name: dict[str, list[object]] = {}
        about = self.package.first("metadata")
        for element in about.all() if about is not None else ():
            text = clean_title(_TAG.sub(" ", element.text()))
            if not text or text.lower() == "unknown" or element.attributes.get("role") == _MADE_WITH:
                continue
            if element.name == "meta":
                if element.attributes.get("property") == "dcterms:modified":
                    values_by_name.setdefault("modified", [date_of(text) or text])
            elif element.name == "date":
                date = date_of(text)
                if date is None or date.year > _NO_YEAR:
                    values_by_name.setdefault("date", [date or text])
            elif element.name not in _HERE and not any(element.elements()):
                values_by_name.setdefault(_NAMES.get(element.name, element.name), []).append(text)
        distinct = {name: list(dict.fromkeys(values)) for name, values in values_by_name.items()}
        return {name: values[0] if len(values) == 1 else values for name, values in distinct.items()}

    def blocks(self) -> Iterator[Block]:
        items = self._items()
        order = [items[each.attributes["idref"]] for each in self._spine() if each.attributes.get("idref") in items]
        self._check_protection([item.path for item in order])
        contents = self._contents(items)
        deeper = 0
        for item in order:
            if "nav" in item.properties or (item.type and item.type not in _PAGES):
                continue
            try:
                found = list(page_blocks(self._page(item.path).root))
            except BrokenSource as error:
                self.on_broken(error)
                continue
            if entries := contents.get(item.path, ()):
                has_title, deeper = _fitted(found, entries[0])
                if not has_title:
                    yield Block(entries[0].title, entries[0].level)
            yield from (replace(each, level=max(1, each.level + deeper)) if each.level else each for each in found)

    def _spine(self) -> Iterator[XmlElement]:
        spine = self.package.first("spine")
        return iter(()) if spine is None else spine.all("itemref")

    def _items(self) -> dict[str, _BookItem]:
        manifest = self.package.first("manifest")
        found: dict[str, _BookItem] = {}
        for each in () if manifest is None else manifest.all("item"):
            attributes = each.attributes
            properties = attributes.get("properties", "").split()
            path = self._path(attributes.get("href", ""), self.folder)
            found[attributes.get("id", "")] = _BookItem(path, attributes.get("media-type", ""), properties)
        return found

    def _check_protection(self, chapters: Sequence[str]) -> None:
        if not has_member(self.archive, _ENCRYPTION):
            return
        for data in self._tree(_ENCRYPTION).all("EncryptedData"):
            method, place = data.first("EncryptionMethod"), data.first("CipherReference")
            algorithm = "" if method is None else method.attributes.get("Algorithm", "")
            path = "" if place is None else self._path(place.attributes.get("URI", ""), "")
            if algorithm not in _FONTS_ONLY and path in chapters:
                raise BrokenSource(
                    "is protected against copying (DRM): its chapters are encrypted",
                    source=self.source,
                    remedy="Get an unprotected copy from the publisher.",
                )

    def _contents(self, items: Mapping[str, _BookItem]) -> dict[str, list[_Entry]]:
        """Return a map from the path of each chapter to its entries in the table of contents.

        The entries come from the navigation document or, if it has none, from the older NCX file. A damaged table of
        contents is reported and ignored.
        """
        found: dict[str, list[_Entry]] = {}
        for item in sorted(items.values(), key=lambda each: "nav" not in each.properties):
            if "nav" not in item.properties and item.type != _NCX:
                continue
            try:
                entries = self._navigation(item.path) if "nav" in item.properties else self._ncx(item.path)
                for path, entry in entries:
                    found.setdefault(path, []).append(entry)
            except BrokenSource as error:
                self.on_broken(error)
            if found:
                break
        return found

    def _navigation(self, path: str) -> Iterator[tuple[str, _Entry]]:
        page = self._page(path)
        parts = page.css("nav")
        toc = next((each for each in parts if each.attributes.get("epub:type") == "toc"), None)
        for link in toc.css("a[href]") if toc is not None else ():
            level, node = 0, link.parent
            while node is not None and node.tag != "nav":
                level += node.tag == "ol"
                node = node.parent
            href = link.attributes.get("href") or ""
            yield self._path(href, posixpath.dirname(path)), _Entry(max(1, level), clean_title(link.text()))

    def _ncx(self, path: str) -> Iterator[tuple[str, _Entry]]:
        def below(element: XmlElement, level: int) -> Iterator[tuple[str, _Entry]]:
            for point in element.elements():
                if point.name == "navPoint":
                    label, content = point.first("text"), point.first("content")
                    if label is not None and content is not None:
                        place = self._path(content.attributes.get("src", ""), posixpath.dirname(path))
                        yield place, _Entry(level, clean_title(label.text()))
                    yield from below(point, level + 1)

        for root in self._tree(path).all("navMap"):
            yield from below(root, 1)

    def _page(self, path: str) -> LexborHTMLParser:
        data = read_member(self.archive, path, self.source)
        place = f"{self.source}/{path}"
        return parse_page(_CLOSED.sub(r"<\1\2></\1>", decode_page(data, place)), place)

    def _tree(self, path: str) -> XmlElement:
        with open_member(self.archive, path, self.source) as stream:
            return read_tree(stream, self.source, part=path)

    def _path(self, href: str, folder: str) -> str:
        return posixpath.normpath(posixpath.join(folder, unquote(href.partition("#")[0])))


def _fitted(blocks: Sequence[Block], entry: _Entry) -> tuple[bool, int]:
    """Return True if the chapter contains its title as a heading, and the number of levels to add to its headings."""
    same = next((each for each in blocks if each.level and _are_alike(each.text, entry.title)), None)
    if same is not None:
        return True, entry.level - same.level
    highest = min((each.level for each in blocks if each.level), default=entry.level + 1)
    return False, max(0, entry.level + 1 - highest)


def _are_alike(one: str, other: str) -> bool:
    """Return True if one of the headings contains the other, as "Chapter 1. Salt" contains "Salt"."""
    first, second = ("".join(filter(str.isalnum, text.casefold())) for text in (one, other))
    return bool(first and second) and (first in second or second in first)
