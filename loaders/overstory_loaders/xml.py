"""Loads the texts in XML files of any kind. Titles become headings, and small elements become "name: value"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from overstory.errors import BrokenSource, LoaderNotFound
from overstory.model import Annotation, Document
from overstory.protocols import OnBroken
from overstory_loaders.blocks import Block, clean_title, join_blocks
from overstory_loaders.by_content import FLAT_FORMATS, format_by_content
from overstory_loaders.files import address, empty, has_suffix, open_seekable, reading, stem
from overstory_loaders.html import parse_page
from overstory_loaders.html_blocks import page_blocks
from overstory_loaders.metadata import clean_metadata
from overstory_loaders.table_text import CELL_GAP, row_line
from overstory_loaders.xml_reader import XmlElement, read_element, xml_events

SUFFIXES = (".xml", ".rss", ".atom", ".docbook", ".dbk")
_LONGEST_FIELD_CHARACTERS = 200
"""Maximum length of an element that can be a field of a record. An element with a longer text is a paragraph."""
_MOST_HEADING_LEVELS = 6

_FEEDS = frozenset({"RDF", "feed", "rss"})
_TAG = re.compile(r"</?[a-zA-Z][^<>]*+>")
_TITLES = frozenset({"head", "heading", "title"})
_PROSE = frozenset({"p", "para", "simpara", "line", "l", "s"})
_FOR_PROGRAMS = frozenset({"noNamespaceSchemaLocation", "schemaLocation", "space", "style"})
_FOR_LAYOUT = frozenset({"class", "href", "id", "idref", "lang", "role", "src"})
"""Attributes that matter only to programs. They are shown only for elements without content."""


class XmlLoader:
    """Loader for XML files. The title is the first title in the file or, failing that, the file name."""

    name = "xml"
    isolated = True

    def recognises(self, source: str) -> bool:
        """Return True for an XML suffix, unless the content is a spreadsheet of Excel 2003 or an OpenDocument file."""
        return has_suffix(source, SUFFIXES) and format_by_content(source) not in FLAT_FORMATS

    def recognises_content(self, source: str) -> bool:
        return format_by_content(source) == "xml"

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document | Annotation]:  # noqa: ARG002
        """Yield one document. The children of the root element are read one by one to limit memory use."""
        language: list[str] = []
        outlined = join_blocks(_blocks(source, language), source=source)
        if not outlined.text:
            raise empty(source, "its elements have no text")
        first = next((heading.text for heading in outlined.headings), "")
        yield Document(
            source=address(source),
            source_key="",
            text=outlined.text,
            title=clean_title(first) or clean_title(stem(source, SUFFIXES)),
            metadata=clean_metadata({"language": language[0] if language else None}).values,
            headings=outlined.headings,
        )


def _blocks(source: str, language: list[str]) -> Iterator[Block]:
    with open_seekable(source) as stream, reading(source):
        events = xml_events(stream, source)
        root = next(events)
        if root.attributes.get("lang"):
            language.append(root.attributes["lang"])
        is_feed = root.name in _FEEDS
        after_field = is_titled = False
        for event in events:
            if event.kind == "start":
                element = read_element(event, events, source)
                if is_feed:
                    _open_pages(element, source)
                is_title = element.name in _TITLES
                is_field = _is_field(element) and bool(element.children) and not is_title
                for block in _element_blocks(element, 1 + (is_titled and not is_title)):
                    yield Block(block.text, block.level, tight=after_field and is_field)
                after_field, is_titled = is_field, is_titled or is_title
            elif event.kind == "text":
                yield Block(event.name)


def _open_pages(element: XmlElement, source: str) -> None:
    """Parse the HTML in a feed entry into elements. If the extra `html` is not installed, it stays text."""
    for each in [element, *element.all()]:
        if any(True for _ in each.elements()) or not _TAG.search(written := each.text()):
            continue
        try:
            blocks = list(page_blocks(parse_page(written, source).body))
        except LoaderNotFound:
            return
        except BrokenSource:
            continue
        each.attributes.pop("type", None)
        if each.name in _TITLES or len(blocks) < 2:
            each.children = [" ".join(" ".join(block.text for block in blocks).split())]
        else:
            each.children = [XmlElement("title" if block.level else "p", {}, [block.text]) for block in blocks]


def _element_blocks(element: XmlElement, level: int) -> Iterator[Block]:
    """Yield the blocks of an element.

    Args:
        level: heading level of the element if it is a title, otherwise of the titles directly inside it.
    """
    inner = list(element.elements())
    if element.name in _TITLES and len(element.text()) <= _LONGEST_FIELD_CHARACTERS:
        yield Block(element.text(), min(level, _MOST_HEADING_LEVELS))
    elif _is_mixed(element) or element.name in _PROSE:
        yield Block(" ".join(element.text().split()))
    elif not inner:
        yield from _fields(element)
    elif _is_record(inner):
        attributes = _attributes(element)
        names = [*attributes, *(each.name for each in inner)]
        yield Block(row_line([*attributes.values(), *(each.text() for each in inner)], names))
    else:
        yield from _fields(XmlElement(element.name, _attributes(element)))
        is_titled = any(each.name in _TITLES for each in inner)
        after_field = False
        for each in inner:
            for block in _element_blocks(each, level if each.name in _TITLES else level + is_titled):
                yield Block(block.text, block.level, tight=after_field and _is_field(each))
            after_field = _is_field(each) and each.name not in _TITLES


def _fields(element: XmlElement) -> Iterator[Block]:
    """Yield a small element as a line with its name, text and attributes. A long text is yielded without them."""
    text = " ".join(element.text().split())
    attributes = _attributes(element)
    attribute_text = CELL_GAP.join(f"{name}: {' '.join(value.split())}" for name, value in attributes.items())
    if len(text) > _LONGEST_FIELD_CHARACTERS:
        yield Block(text)
    elif text or attribute_text:
        language = element.attributes.get("lang", "") if text else ""
        name = f"{element.name} ({language})" if language else element.name
        yield Block(f"{name}: {CELL_GAP.join(part for part in (text, attribute_text) if part)}")


def _attributes(element: XmlElement) -> dict[str, str]:
    left_out = _FOR_PROGRAMS | _FOR_LAYOUT if element.children else _FOR_PROGRAMS
    return {name: value for name, value in element.attributes.items() if name not in left_out and value.strip()}


def _is_mixed(element: XmlElement) -> bool:
    has_words = any(isinstance(child, str) and child.strip() for child in element.children)
    return has_words and any(True for _ in element.elements())


def _is_record(elements: Sequence[XmlElement]) -> bool:
    names = {each.name for each in elements}
    return len(names) > 1 and "p" not in names and all(map(_is_field, elements))


def _is_field(element: XmlElement) -> bool:
    return not any(True for _ in element.elements()) and len(element.text()) <= _LONGEST_FIELD_CHARACTERS
