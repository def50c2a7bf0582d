"""Converts a parsed HTML page to blocks of text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from overstory_loaders.blocks import Block
from overstory_loaders.html_landmarks import IsShown, content_of, is_visible, walk
from overstory_loaders.table_text import CELL_GAP

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

# fmt: off
HEADINGS = {f"h{level}": level for level in range(1, 7)}
ITEMS = frozenset({"li", "dt", "dd"})
PARTING = ITEMS | HEADINGS.keys() | {
    "address", "article", "aside", "blockquote", "body", "caption", "center", "details", "dialog", "dir", "div", "dl",
    "fieldset", "figcaption", "figure", "footer", "form", "header", "hgroup", "hr", "html", "legend", "main", "menu",
    "ol", "optgroup", "p", "pre", "search", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr",
    "ul",
}
# fmt: on
STRUCTURE = frozenset({"table", "ul", "ol", "dl", "pre", "blockquote", "article", "section"}) | HEADINGS.keys()
"""Elements that cells of a data table do not contain: a table with one of these is a layout table."""

OnLink = Callable[[tuple[str, str]], object]
"""Called with the address and the words of a link."""

_SPACE = re.compile(r"[ \t\n\r\f]+")


def page_blocks(root: LexborNode | None, *, on_link: OnLink | None = None) -> Iterator[Block]:
    """The blocks of a page's content in reading order; of the whole page where it has nothing but navigation.

    Args:
        on_link: called for each link in these blocks.
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
            writer.enter(tag)
        yield from writer.finished()


def _layout_tables(root: LexborNode, is_shown: IsShown) -> list[bool]:
    """For each table, in order of opening tags, whether it is a layout table."""
    layout: list[bool] = []
    open_tables: list[int] = []
    for node, entered in walk(root, is_shown):
        if entered and open_tables and node.tag in STRUCTURE:
            layout[open_tables[-1]] = True
        if node.tag == "table":
            if entered:
                open_tables.append(len(layout))
                layout.append(False)
            else:
                open_tables.pop()
    return layout


class _BlockWriter:
    """Collects text until a tag ends the block.

    A data table becomes one block with a line per row; it contains no other table, so at most one is open at a time.
    """

    def __init__(self, layout_tables: list[bool]) -> None:
        self._layout = iter(layout_tables)
        self._blocks: list[Block] = []
        self._parts: list[str] = []
        self._level = 0
        self._verbatim = 0
        self._item = self._after_item = False
        self._rows: list[str] | None = None
        self._cells: list[str] = []

    def finished(self) -> list[Block]:
        """The blocks that ended since the last call."""
        blocks, self._blocks = self._blocks, []
        return blocks

    def write(self, text: str) -> None:
        self._parts.append(text if self._verbatim else _SPACE.sub(" ", text))

    def enter(self, tag: str) -> None:
        if self._rows is not None:
            self._enter_in_table(tag)
        elif tag == "br":
            self._parts.append(" " if self._level else "\n")
        elif tag in PARTING:
            self._end_block()
            self._begin(tag)

    def leave(self, tag: str) -> None:
        if self._rows is not None:
            self._leave_in_table(tag, self._rows)
        elif tag in PARTING:
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
            self._rows = []

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

    def _enter_in_table(self, tag: str) -> None:
        if tag in ("td", "th", "caption"):
            self._parts.clear()
        elif tag == "br" or tag in PARTING:
            self._parts.append(" ")

    def _leave_in_table(self, tag: str, rows: list[str]) -> None:
        if tag in ("td", "th"):
            self._cells.append(self._line())
        elif tag == "caption":
            self._blocks.append(Block(self._line()))
        elif tag == "tr":
            if any(self._cells):
                rows.append(CELL_GAP.join(self._cells))
            self._cells.clear()
        elif tag == "table":
            self._blocks.append(Block("\n".join(rows)))
            self._rows = None
            self._item = self._after_item = False
            self._parts.clear()
        elif tag in PARTING:
            self._parts.append(" ")

    def _line(self) -> str:
        line = " ".join("".join(self._parts).split())
        self._parts.clear()
        return line
