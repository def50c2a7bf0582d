"""The macros of manual pages, man(7) and mdoc(7), as blocks: headings, paragraphs, definitions, code, tables."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence

from overstory_loaders.blocks import INDENT, MOST_INDENTS, Block
from overstory_loaders.man_tables import ColumnList, tbl_blocks
from overstory_loaders.mdoc_line import CALLABLE, MdocLine
from overstory_loaders.roff import Roff, RoffLine

_LONGEST_TAG_CHARACTERS = 200
"""Characters of what a definition defines."""

_BULLETS = frozenset({"•", "·", "-", "*", "o", "—", "–", "+", "□", "\u2010"})
_ALTERNATING = frozenset({"BR", "RB", "BI", "IB", "IR", "RI"})
_FONTS = frozenset({"B", "I", "R", "SM", "SB", "CW", "C", "L", "T", "BX"})
_BREAKS = frozenset({"br", "sp", "PP", "P", "LP", "Pp", "Sp", "HP", "Lp", "ce", "rj", "YS", "ti", "in", "bp", "ne"})
_VERBATIM = {
    "nf": True,
    "EX": True,
    "Vb": True,
    "DS": True,
    "CS": True,
    "SCREEN": True,
    "PS": True,
    "fi": False,
    "EE": False,
    "Ve": False,
    "DE": False,
    "CE": False,
    "PE": False,
}
_FILLED_BLOCKS = frozenset({"-filled", "-ragged", "-centered"})
_REFERENCE = re.compile(r"%[A-Z]")
_SILENT_WORDS = (
    "ad hy nh na ft fam ps vs ll ta tr hw ev cc c2 ec eo ss cs bd ul cu fp nx tm ab pm ex lg lf hc mk rt nop IX "
    "UNI IND PD DT UC AT Os Db Bk Ek Sm Bf Ef Xc am rr rs ns mso pc ev nm cp do gcl di da fl pl po wh ch dt it tl "
    "rd char hcode kern hla hpf warn shift return break continue Rs Re Rv Ex LINKSTYLE ."
)
_SILENT = frozenset(_SILENT_WORDS.split())


class PageHead:
    """What a page says of itself: `.TH`, or `.Dt`, `.Dd` and `.Os`."""

    def __init__(self) -> None:
        self.title = self.section = self.date = self.program = self.manual = ""


def page_blocks(roff: Roff, head: PageHead) -> Iterator[Block]:
    """The blocks of a page in order; what it says of itself goes into `head`."""
    writer = _PageWriter(roff, head)
    for line in roff.lines():
        writer.take(line)
        yield from writer.finished()
    writer.end()
    yield from writer.finished()


class _PageWriter:
    """Collects text until a macro ends the block.

    A definition is a line with what is defined, and its text below it, indented; so are further blocks of it.
    """

    def __init__(self, roff: Roff, head: PageHead) -> None:
        self._roff, self._head = roff, head
        self._blocks: list[Block] = []
        self._parts: list[str] = []
        self._tag: list[str] = []
        self._level = 0
        self._verbatim = 0
        self._indents: list[bool] = []
        self._in_item = False
        self._after_item = False
        self._awaiting = ""
        """Whether the next line is the tag of a definition ("tag"), or the text of a heading ("heading")."""
        self._lists: list[str] = []
        self._bullet = ""
        self._counters: list[int] = []
        self._columns = ColumnList()
        self._name = ""
        self._joined = False
        self._link: list[str] = []

    def finished(self) -> list[Block]:
        blocks, self._blocks = self._blocks, []
        return blocks

    def end(self) -> None:
        self._end_block()

    def take(self, line: RoffLine) -> None:
        if not line.macro:
            self._text(line.text)
            return
        macro, words = line.macro, line.arguments
        if macro in _BREAKS:
            self._break(macro)
        elif macro in _VERBATIM:
            self._end_block()
            self._verbatim = int(_VERBATIM[macro])
        elif macro in _FONTS:
            self._text(" ".join(words)) if words else None
        elif macro in _ALTERNATING:
            self._text("".join(words)) if words else None
        elif macro in _SILENT or _REFERENCE.match(macro):
            self._silent(macro, words)
        elif not (self._heads(macro, words) or self._items(macro, words) or self._others(macro, words)):
            self._mdoc(macro, words)

    def _text(self, text: str) -> None:
        if self._awaiting == "heading":
            self._awaiting = ""
            self._parts.append(text)
            self._end_block()
        elif self._awaiting == "tag":
            self._awaiting = ""
            self._set_tag(text)
        elif self._verbatim:
            self._parts.append(text)
        elif not text.strip():
            self._end_block()
        else:
            if text[:1] in (" ", "\t"):  # roff breaks the line before one that begins with a space
                self._parts.append("\n")
            self._parts.append(text.strip())

    def _break(self, macro: str) -> None:
        if macro == "br":
            self._parts.append("" if self._verbatim else "\n")
            return
        if self._verbatim and macro in ("sp", "Pp", "PP", "ne", "ti", "in"):
            self._parts.append("")
            return
        if macro in ("in", "ti", "ne", "ce"):
            self._parts.append("\n")
            return
        self._end_block()
        if macro in ("PP", "P", "LP", "HP", "Lp"):
            self._in_item = self._after_item = False

    def _silent(self, macro: str, words: Sequence[str]) -> None:
        if macro == "Os":
            self._head.program = " ".join(words)
        elif macro == "Ex" and words:
            name = words[1] if len(words) > 1 else self._name
            self._text(f"The {name} utility exits 0 on success, and >0 if an error occurs.")
        elif _REFERENCE.match(macro):
            self._text(" ".join(words) + ",")

    def _heads(self, macro: str, words: Sequence[str]) -> bool:
        match macro:
            case "TH":
                found = [*words, "", "", "", "", ""]
                head = self._head
                head.title, head.section, head.date, head.program, head.manual = found[:5]
            case "Dt":
                self._head.title, self._head.section = [*words, "", ""][:2]
            case "Dd":
                self._head.date = " ".join(words)
            case "SH" | "Sh" | "SS" | "Ss":
                self._end_block()
                self._indents.clear()
                self._in_item = self._after_item = False
                self._verbatim = 0
                self._level = 1 if macro in ("SH", "Sh") else 2
                if words:
                    self._parts.append(" ".join(words))
                    self._end_block()
                else:
                    self._awaiting = "heading"
            case _:
                return False
        return True

    def _items(self, macro: str, words: Sequence[str]) -> bool:
        match macro:
            case "TP":
                self._end_block()
                self._begin_item()
                self._awaiting = "tag"
            case "TQ":
                self._awaiting = "tag"
            case "IP" | "Tp":
                self._end_block()
                if words and words[0].strip():
                    self._begin_item()
                    self._set_tag(words[0])
                self._in_item = True
            case "RS":
                # Pages made from DocBook have what is defined as a paragraph, and its text indented below.
                tag = "" if self._in_item or self._verbatim else " ".join(self._parts)
                is_tag = 0 < len(tag) <= _LONGEST_TAG_CHARACTERS and not tag.endswith((".", ":", "\n"))
                if is_tag:
                    self._parts.clear()
                    self._set_tag(tag)
                else:
                    self._end_block()
                self._indents.append(self._in_item)
                self._in_item, self._after_item = is_tag, False
            case "RE":
                self._end_block()
                self._in_item = self._indents.pop() if self._indents else False
                self._after_item = False
            case _:
                return False
        return True

    def _others(self, macro: str, words: Sequence[str]) -> bool:
        match macro:
            case "TS":
                self._end_block()
                self._blocks += tbl_blocks(self._roff.table(), self._roff.expanded)
            case "SY":
                self._end_block()
                self._text(" ".join(words))
            case "OP":
                self._text(f"[{' '.join(words)}]")
            case "UR" | "MT":
                self._link = list(words[:1])
            case "UE" | "ME":
                after = words[0] if words else ""
                if self._link:
                    self._text(f"<{self._link[0]}>{after}")
                self._link = []
            case "URL" | "MTO":
                address, text, after = [*words, "", "", ""][:3]
                self._text(f"{text} <{address}>{after}" if text else f"<{address}>{after}")
            case _:
                return False
        return True

    def _mdoc(self, macro: str, words: Sequence[str]) -> None:
        match macro:
            case "Bl":
                self._end_block()
                self._lists.append(next((word for word in words if word in _LISTS), "-tag"))
                self._counters.append(0)
                self._indents.append(self._in_item)
                self._in_item = self._after_item = False
            case "El":
                self._end_block()
                self._blocks += self._columns.blocks()
                if self._lists:
                    self._lists.pop()
                    self._counters.pop()
                    self._in_item = self._indents.pop() if self._indents else False
                    self._after_item = False
            case "It":
                self._item(words)
            case "Bd":
                self._end_block()
                self._verbatim = int(not (_FILLED_BLOCKS & set(words)))
            case "Ed":
                self._end_block()
                self._verbatim = 0
            case "D1" | "Dl":
                self._end_block()
                self._parts.append(self._inline(words))
                self._end_block()
            case "Ta":
                self._end_block()
                self._columns.add_cell(self._inline(words))
            case "Nd":
                self._text(f"– {self._inline(words)}")
            case "Nm" if words and words[0] not in CALLABLE:
                self._name = self._name or words[0]
                self._text(self._inline([macro, *words]))
            case "Fo":
                self._text(f"{' '.join(words)}(")
            case "Fc":
                self._text(")")
            case _ if macro in CALLABLE:
                self._text(self._inline([macro, *words]))
            case _:
                # A macro of the page's author that its own file does not define, or a misspelt one: its words are text.
                if words and not macro.islower():
                    self._text(" ".join(words))

    def _item(self, words: Sequence[str]) -> None:
        self._end_block()
        kind = self._lists[-1] if self._lists else "-tag"
        self._begin_item()
        if kind == "-enum":
            self._counters[-1] += 1
            self._set_tag(f"{self._counters[-1]}.")
        elif kind in ("-bullet", "-dash", "-hyphen"):
            self._set_tag("-")
        elif kind == "-column":
            self._in_item = False
            self._columns.add_row(" ".join(words), self._inline)
        elif kind == "-item" or not words:
            self._in_item = kind != "-item"
        else:
            self._set_tag(self._inline(words))

    def _inline(self, words: Sequence[str]) -> str:
        return MdocLine(self._name).text(words)

    def _begin_item(self) -> None:
        self._after_item = self._in_item
        self._in_item = True

    def _set_tag(self, tag: str) -> None:
        tag = " ".join(tag.split())
        if tag in _BULLETS:
            self._bullet = "- "
        elif re.fullmatch(r"\(?(?:\d{1,3}|[a-z])[.)]", tag):
            self._bullet = f"{tag} "
        elif tag:
            self._tag.append(tag)

    def _end_block(self) -> None:
        parts, self._parts = self._parts, []
        if self._verbatim:
            text = textwrap.dedent("\n".join(line.expandtabs().rstrip() for line in parts)).strip("\n")
        else:
            whole = " ".join(parts)
            text = "\n".join(line for line in (" ".join(line.split()) for line in whole.split("\n")) if line)
        level, self._level = self._level, 0
        if level:
            self._blocks.append(Block(text, level))
            return
        tag, self._tag = self._tag, []
        bullet, self._bullet = self._bullet, ""
        depth = min(len(self._indents), MOST_INDENTS)
        if not (text.strip() or tag):
            return
        if self._lists and self._lists[-1] == "-column" and not tag:
            self._columns.go_on(text)
            return
        if bullet:
            text = bullet + text.replace("\n", "\n" + " " * len(bullet))
        elif self._in_item and text.strip():
            text = INDENT + text.replace("\n", "\n" + INDENT)
        whole = "\n".join([*tag, *([text] if text.strip() else [])])
        outer = INDENT * sum(self._indents[-depth:] if depth else [])
        if outer:
            whole = outer + whole.replace("\n", "\n" + outer)
        # `clean_text` takes the white space before a block, so that its first line says nothing of its indent.
        self._blocks.append(Block(whole, tight=bool(bullet) and self._after_item))


_LISTS = frozenset(
    ["-tag", "-bullet", "-dash", "-hyphen", "-enum", "-item", "-column", "-diag", "-hang", "-inset", "-ohang"]
)
