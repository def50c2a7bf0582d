"""Converts a parsed HTML page to blocks of text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from overstory_loaders.blocks import Block
from overstory_loaders.table_text import MOST_TABLE_COLUMNS, DataTable, TableCell

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode


# fmt: off
DROPPED = frozenset({
    "audio", "canvas", "datalist", "head", "iframe", "nav", "noscript", "object", "script", "search", "select",
    "style", "svg", "template", "textarea", "video",
})
NOT_CONTENT = frozenset({
    "navigation", "search", "banner", "contentinfo", "complementary", "doc-toc", "doc-pagelist",
})
"""ARIA roles of elements that are not part of the main content."""
NAVIGATION = frozenset({"sphinxsidebar", "localtoc", "globaltoc", "navheader", "navfooter", "docnav"})
"""CSS classes that Sphinx, DocBook and Publican use for links to other pages."""
LISTS_OF_LINKS = frozenset({"related", "toctree-wrapper", "toc", "table-of-contents", "breadcrumb", "breadcrumbs"})
"""CSS classes of elements that count as navigation only if they consist mostly of links.

In books on a single page, for example, Sphinx puts entire chapters into a `toctree-wrapper`.
"""
TABLES_OF_CONTENTS = frozenset({"toc", "table-of-contents", "contents"})
"""Ids, in lower case, of elements that count as navigation only if they consist mostly of links."""
SECTIONS = frozenset({"article", "aside", "main", "nav", "section"})
"""Elements that may have a `<header>` and a `<footer>` of their own, which are not those of the page."""
PERMALINKS = frozenset({"headerlink", "header-anchor", "heading-anchor", "anchorjs-link", "permalink"})
ANCHOR_MARKS = frozenset({"#", "§", "¶", "🔗"})
"""Texts of the links that documentation generators append to headings."""
# fmt: on

_LEAST_MAIN_SHARE = 0.25
_LEAST_ARTICLE_SHARE = 0.5
"""Minimum fraction of the page's text that its only `<main>` or `<article>` must contain to count as the content.

A `<main>` with less text is probably an empty frame that scripts fill, and an `<article>` with less text is a teaser.
"""
_MOST_HEADER_SHARE = 0.5
"""A `<header>` or `<footer>` with a larger fraction of the page's text is kept, because it holds the actual content."""
_LEAST_LINKED_SHARE = 0.6
_CAPTION_CHARACTERS = 20
"""An element is a list of links if links make up `_LEAST_LINKED_SHARE` of its text.

The text may also contain a caption, for which this many characters are subtracted.
"""
_MOST_LISTS_OF_LINKS = 200
"""Maximum number of elements that are checked for being lists of links. Nested elements could otherwise take hours."""
_UNDISPLAYED = re.compile(r"(?:^|[;\s])display\s*+:\s*+none\b", re.IGNORECASE)
_LONGEST_MARK_CHARACTERS = 10
"""Maximum length of a permalink's text. A longer one is a title that links to itself."""


class IsShown(Protocol):
    """A function that returns True if a node and its contents must be read."""

    def __call__(self, node: LexborNode, /) -> bool: ...


@dataclass(slots=True)
class Content:
    """The content of a page, given by its root node and the `mem_id` of each node that is left out."""

    root: LexborNode
    dropped: set[int]

    def shows(self, node: LexborNode) -> bool:
        return node.mem_id not in self.dropped


def walk(root: LexborNode, is_shown: IsShown) -> Iterator[tuple[LexborNode, bool]]:
    """Yield each shown node twice, in document order: (node, True) before its children and (node, False) after them.

    The traversal is not recursive, because pages may be deeply nested.
    """
    above: list[LexborNode] = []
    node = root
    while True:
        if is_shown(node):
            yield node, True
            if (child := node.first_child) is not None:
                above.append(node)
                node = child
                continue
            yield node, False
        while above and node.next is None:
            node = above.pop()
            yield node, False
        following = node.next
        if not above or following is None:
            return
        node = following


def content_of(root: LexborNode) -> Content:
    """Return the content of a page: its only `<main>` or `<article>` if that contains enough text, otherwise all of it.

    The page's header and footer are left out. A header with the page's only `<h1>` is kept, because it is the title.
    """
    dropped: set[int] = set()
    page, *parts = _measured(root, dropped)
    dropped |= {
        each.node.mem_id
        for each in parts
        if each.kind == "edge"
        and each.length <= _MOST_HEADER_SHARE * page.length
        and not (each.headings and each.headings == page.headings)
    }
    for kind, least in (("main", _LEAST_MAIN_SHARE), ("article", _LEAST_ARTICLE_SHARE)):
        found = [each for each in parts if each.kind == kind]
        if len(found) == 1 and found[0].length and found[0].length >= least * page.length:
            return Content(found[0].node, dropped)
    return Content(root, dropped)


def is_visible(node: LexborNode) -> bool:
    """Return True if a node may contain visible text; False for scripts, hidden elements, permalinks and the like."""
    tag = node.tag
    if tag is None or (tag in DROPPED and tag not in ("nav", "search")) or tag in ("-comment", "-doctype"):
        return False
    if tag.startswith("-"):
        return True
    attributes = node.attributes
    if tag == "a" and _is_permalink(node):
        return False
    if (attributes.get("aria-hidden") or "").strip().lower() == "true":
        return False
    # Text with hidden="until-found" appears when readers search the page in their browser.
    return "hidden" not in attributes or attributes["hidden"] == "until-found"


def is_navigation(node: LexborNode) -> bool:
    """Return True if the tag, role, label or class of an element shows that it is not part of the content."""
    tag = node.tag
    if tag is None or tag.startswith("-") or tag in ("html", "body", "main"):
        return False
    if tag in ("nav", "search"):
        return True
    attributes = node.attributes
    if NOT_CONTENT & set((attributes.get("role") or "").lower().split()):
        return True
    classes = set((attributes.get("class") or "").lower().split())
    label = (attributes.get("aria-label") or "").strip().lower()
    return bool(NAVIGATION & classes) or label in ("breadcrumb", "breadcrumbs")


@dataclass(slots=True)
class _PageElement:
    """A measured element of the page.

    Attributes:
        kind: "page" for the page itself, "main", "article", or "edge" for a header or footer of the page.
        length: number of characters, without white space.
        headings: number of `<h1>` elements.
    """

    node: LexborNode
    kind: str
    length: int = 0
    headings: int = 0


def _measured(root: LexborNode, dropped: set[int]) -> list[_PageElement]:
    """Return the page, then its main elements, articles, headers and footers, all measured without navigation.

    Args:
        dropped: set to which the `mem_id` of each node that is not shown is added.
    """

    lists = 0

    def is_shown(node: LexborNode) -> bool:
        nonlocal lists
        shown = is_visible(node) and not is_navigation(node) and not _is_undisplayed(node)
        if shown and lists < _MOST_LISTS_OF_LINKS and _is_called_list_of_links(node):
            lists += 1
            shown = not _is_linked(node)
        if not shown:
            dropped.add(node.mem_id)
        return shown

    page = _PageElement(root, "page")
    found = [page]
    open_: list[_PageElement] = []
    sections = 0
    for node, entered in walk(root, is_shown):
        tag = node.tag or ""
        if entered and tag == "-text":
            page.length += len("".join((node.text_content or "").split()))
        elif entered:
            page.headings += tag == "h1"
            if kind := _kind(node, tag, in_section=sections > 0):
                # Counts start at minus the page's counts so far. When the element ends, the page's counts are added.
                open_.append(_PageElement(node, kind, -page.length, -page.headings))
                found.append(open_[-1])
            sections += tag in SECTIONS
        else:
            if open_ and open_[-1].node.mem_id == node.mem_id:
                ended = open_.pop()
                ended.length += page.length
                ended.headings += page.headings
            sections -= tag in SECTIONS
    return found


def _kind(node: LexborNode, tag: str, *, in_section: bool) -> str:
    if tag in ("header", "footer"):
        return "" if in_section else "edge"
    if tag == "main" or "main" in (node.attributes.get("role") or "").lower().split():
        return "main"
    return "article" if tag == "article" else ""


def _is_permalink(node: LexborNode) -> bool:
    attributes = node.attributes
    href = attributes.get("href") or ""
    if href.startswith("#") and node.text().strip() in ANCHOR_MARKS:
        return True
    classes = set((attributes.get("class") or "").lower().split())
    return "#" in href and bool(PERMALINKS & classes) and len(node.text().strip()) <= _LONGEST_MARK_CHARACTERS


def _is_undisplayed(node: LexborNode) -> bool:
    tag = node.tag or "-"
    return not tag.startswith("-") and bool(_UNDISPLAYED.search(node.attributes.get("style") or ""))


def _is_called_list_of_links(node: LexborNode) -> bool:
    tag = node.tag or "-"
    if tag.startswith("-") or tag in ("html", "body", "main"):
        return False
    attributes = node.attributes
    classes = set((attributes.get("class") or "").lower().split())
    if LISTS_OF_LINKS & classes or ("contents" in classes and classes & {"topic", "local"}):
        return True
    return (attributes.get("id") or "").lower() in TABLES_OF_CONTENTS


def _is_linked(node: LexborNode) -> bool:
    whole = len("".join(node.text().split()))
    links = sum(len("".join(link.text().split())) for link in node.css("a[href]"))
    return bool(links) and links >= _LEAST_LINKED_SHARE * (whole - _CAPTION_CHARACTERS)


# fmt: off
HEADINGS = {f"h{level}": level for level in range(1, 7)}
ITEMS = frozenset({"li", "dt", "dd"})
BLOCK_TAGS = ITEMS | HEADINGS.keys() | {
    "address", "article", "aside", "blockquote", "body", "caption", "center", "details", "dialog", "dir", "div", "dl",
    "fieldset", "figcaption", "figure", "footer", "form", "header", "hgroup", "hr", "html", "legend", "main", "menu",
    "ol", "optgroup", "p", "pre", "search", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr",
    "ul",
}
# fmt: on
STRUCTURE = frozenset({"table", "ul", "ol", "dl", "pre", "blockquote", "article", "section"}) | HEADINGS.keys()
"""Elements that show that the table around them is used for layout, because cells with data do not contain them."""

CELLS = frozenset({"td", "th"})
OnLink = Callable[[tuple[str, str]], object]
"""Function that is called with the address and the text of a link."""

_SPACE = re.compile(r"[ \t\n\r\f]+")


def page_blocks(root: LexborNode | None, *, on_link: OnLink | None = None) -> Iterator[Block]:
    """Yield the blocks of a page's content in reading order. If it has no text, yield the blocks of the entire page.

    Args:
        on_link: called with the address and text of each link in these blocks.
    """
    if root is None:
        return
    content = content_of(root)
    blocks = list(_blocks(content.root, content.shows, on_link))
    yield from blocks or _blocks(root, is_visible, on_link)


def _blocks(root: LexborNode, is_shown: IsShown, on_link: OnLink | None) -> Iterator[Block]:
    writer = _BlockWriter(_layout_tables(root, is_shown))
    words: list[str] = []
    for node, entered in walk(root, is_shown):
        tag = node.tag or ""
        if tag == "a" and on_link is not None:
            if not entered and (href := node.attributes.get("href")):
                on_link((href, "".join(words)))
            words.clear()
        if not entered:
            writer.leave(tag)
        elif tag == "-text":
            writer.write(node.text_content or "")
            words.append(node.text_content or "")
        else:
            writer.enter(tag, node)
        yield from writer.finished()


@dataclass(slots=True)
class _OpenTable:
    """A table whose rows are being counted.

    Attributes:
        place: index of the table among the tables of the page.
        cells: number of cells in the current row so far.
        most_cells: largest number of cells in any row so far.
    """

    place: int
    rows: int = 0
    cells: int = 0
    most_cells: int = 0


def _layout_tables(root: LexborNode, is_shown: IsShown) -> list[bool]:
    """Return a list with True for each layout table and False for each data table, in order of their opening tags.

    A table is a layout table if its ARIA role says so, if it contains other structure, or if it has only one row or
    column.
    """
    layout: list[bool] = []
    open_tables: list[_OpenTable] = []
    for node, entered in walk(root, is_shown):
        tag = node.tag or ""
        if entered and open_tables and tag in STRUCTURE:
            layout[open_tables[-1].place] = True
        if tag == "table" and entered:
            open_tables.append(_OpenTable(len(layout)))
            layout.append((node.attributes.get("role") or "").strip().lower() in ("presentation", "none"))
        elif tag == "table":
            ended = open_tables.pop()
            layout[ended.place] = layout[ended.place] or ended.most_cells < 2 or ended.rows < 2
        elif open_tables and entered and tag == "tr":
            open_tables[-1].rows += 1
            open_tables[-1].cells = 0
        elif open_tables and entered and tag in CELLS:
            table = open_tables[-1]
            table.cells += 1
            table.most_cells = max(table.most_cells, table.cells)
    return layout


class _BlockWriter:
    """Collects text until a tag ends the block.

    A data table becomes one block per row. It contains no other tables, so at most one data table is open at a time.
    """

    def __init__(self, layout_tables: list[bool]) -> None:
        self._layout = iter(layout_tables)
        self._blocks: list[Block] = []
        self._parts: list[str] = []
        self._level = 0
        self._verbatim = 0
        self._item = self._after_item = False
        self._table: DataTable | None = None
        self._cells: list[TableCell] = []
        self._span = (1, 1)

    def finished(self) -> list[Block]:
        """Return the blocks that have been completed since the last call."""
        blocks, self._blocks = self._blocks, []
        return blocks

    def write(self, text: str) -> None:
        self._parts.append(text if self._verbatim else _SPACE.sub(" ", text))

    def enter(self, tag: str, node: LexborNode) -> None:
        if self._table is not None:
            self._enter_in_table(tag, node, self._table)
        elif tag == "br":
            self._parts.append(" " if self._level else "\n")
        elif tag in BLOCK_TAGS:
            self._end_block()
            self._begin(tag)

    def leave(self, tag: str) -> None:
        if self._table is not None:
            self._leave_in_table(tag, self._table)
        elif tag in BLOCK_TAGS:
            self._end_block()
            if tag in HEADINGS:
                self._level = 0
            elif tag == "pre":
                self._verbatim -= 1

    def _begin(self, tag: str) -> None:
        if tag in HEADINGS:
            self._level = HEADINGS[tag]
        elif tag == "pre":
            self._verbatim += 1
        elif tag in ITEMS:
            self._item = True
        elif tag == "table" and not next(self._layout):
            self._table = DataTable()

    def _end_block(self) -> None:
        text = "".join(self._parts)
        self._parts.clear()
        if not self._verbatim:
            text = "\n".join(" ".join(line.split()) for line in text.split("\n"))
        text = text.strip("\n")
        if not text or text.isspace():
            return
        self._blocks.append(Block(text, self._level, tight=self._item and self._after_item))
        self._item, self._after_item = False, self._item

    def _enter_in_table(self, tag: str, node: LexborNode, table: DataTable) -> None:
        if tag in CELLS:
            self._span = (_span(node, "colspan"), _span(node, "rowspan"))
            self._parts.clear()
        elif tag == "caption":
            self._parts.clear()
        elif tag == "thead":
            table.in_head = True
        elif tag == "br" or tag in BLOCK_TAGS:
            self._parts.append(" ")

    def _leave_in_table(self, tag: str, table: DataTable) -> None:
        if tag in CELLS:
            self._cells.append(TableCell(self._line(), *self._span, is_header=tag == "th"))
        elif tag == "caption":
            self._blocks.append(Block(self._line()))
        elif tag == "tr":
            if any(cell.text for cell in self._cells):
                table.end_row(self._cells)
            self._cells = []
        elif tag == "thead":
            table.in_head = False
        elif tag == "table":
            self._blocks += table.blocks()
            self._table = None
            self._item = self._after_item = False
            self._parts.clear()
        elif tag in BLOCK_TAGS:
            self._parts.append(" ")

    def _line(self) -> str:
        line = " ".join("".join(self._parts).split())
        self._parts.clear()
        return line


def _span(node: LexborNode, name: str) -> int:
    text = (node.attributes.get(name) or "").strip()
    return max(1, min(int(text[:5]), MOST_TABLE_COLUMNS)) if text.isascii() and text.isdecimal() else 1
