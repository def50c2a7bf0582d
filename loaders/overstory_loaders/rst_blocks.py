"""The markup of reStructuredText as blocks of text: headings, directives, tables; what is readable as it is stays.

docutils refuses directives and roles that it does not know, and real files are full of those of Sphinx extensions. Here
an unknown directive is its argument and its content, an unknown role its words.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence

from overstory_loaders.blocks import INDENT, Block
from overstory_loaders.rst_tables import Rows, csv_table, grid_table, list_table, simple_table
from overstory_loaders.table_text import table_blocks, with_one_header

_DEEPEST_DIRECTIVES = 20
"""Directives within each other; what lies deeper is kept as it is written."""
_LEAST_UNDERLINE_CHARACTERS = 3
"""Characters of a line of marks that parts two paragraphs."""

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*\s*$")
_DIRECTIVE = re.compile(
    r"\.\.[ \t]+(?:\|(?P<substitution>[^|]+)\|[ \t]+)?(?P<name>[\w+.:-]*\w)[ \t]*::(?:[ \t]+(?P<rest>.*)|)$"
)
_FOOTNOTE = re.compile(r"\.\.[ \t]+(\[[^\]]+\])[ \t]+(.*)")
_TARGET = re.compile(r"\.\.[ \t]+_(?:`([^`]+)`|((?:[^:\\]|\\.|:(?=\S))+)):(?:[ \t]+(.*)|)$|__[ \t]+")
_OPTION = re.compile(r":([\w-][^:]*):(?:[ \t]+(.*))?$")
_FIELD = re.compile(r":([^:\s][^:]*):(?:[ \t]+(.*))?$")
_SIMPLE_BORDER = re.compile(r"=+(?:[ \t]+=+)+[ \t]*$")
_GRID_BORDER = re.compile(r"\+(?:[-=]+\+)+[ \t]*$")
_ROLE = re.compile(r":[a-zA-Z][\w+.:-]{0,99}:`([^`]+)`|`([^`]+)`:[a-zA-Z][\w+.:-]{0,99}:")
_REFERENCE = re.compile(r"(?<![`\w])`([^`]+)`_{1,2}(?!\w)")
_WITH_TARGET = re.compile(r"(.*)(?<!\s)\s*+<([^<>]+)>$", re.DOTALL)
_SUBSTITUTION = re.compile(r"(?<![\w|])\|([^|\s](?:[^|\n]*[^|\s])?)\|_{0,2}(?!\w)")
_MARKED = re.compile(r"``([^`]++)``|(?<![\w*])(\*{1,2})(?=[^\s*])([^*]++)(?<=\S)\2(?![\w*])")
"""Literals and emphasis, whose marks a heading does without."""
_DOC = re.compile(r":doc:`([^`]+)`")

_CODE_WORDS = (
    "code code-block sourcecode doctest testcode testoutput testsetup prompt math productionlist highlights "
    "graphviz digraph mermaid ipython jupyter-execute console-code-block command-output"
)
_CODE = frozenset(_CODE_WORDS.split())
_DROPPED_WORDS = (
    "raw contents index meta highlight currentmodule role default-role sectnum target-notes tabularcolumns title "
    "toctree include literalinclude sidebar-links program module py:currentmodule py:module c:namespace cssclass "
    "rst-class class"
)
_DROPPED = frozenset(_DROPPED_WORDS.split())
_WRITTEN_ELSEWHERE = frozenset({"include", "literalinclude"})
_NOTES = {
    "note": "Note",
    "warning": "Warning",
    "tip": "Tip",
    "important": "Important",
    "caution": "Caution",
    "danger": "Danger",
    "attention": "Attention",
    "hint": "Hint",
    "error": "Error",
    "seealso": "See also",
    "todo": "Todo",
}
_VERSIONS = {
    "versionadded": "New in version {}",
    "versionchanged": "Changed in version {}",
    "deprecated": "Deprecated since version {}",
    "versionremoved": "Removed in version {}",
    "deprecated-removed": "Deprecated since version {}",
}
_TITLED = frozenset({"admonition", "topic", "sidebar", "rubric", "table", "figure", "image", "csv-table"})


class RstReader:
    """Reads a text with "\\n" line ends.

    Attributes:
        fields: those at the beginning of the text, by name in lower case; known after `blocks`.
        links: addresses and words of links to other files; known after `blocks`.
    """

    def __init__(self, text: str) -> None:
        self._lines = [line.expandtabs().rstrip() for line in text.split("\n")]
        self._substitutions: dict[str, str] = {}
        self._targets: dict[str, str] = {}
        self._levels: list[str] = []
        self.fields: dict[str, str] = {}
        self.links: list[tuple[str, str]] = []
        self._define()

    def blocks(self) -> Iterator[Block]:
        yield from self._blocks(self._lines, 0)

    def _define(self) -> None:
        """Reads substitutions and targets first: they may stand below what uses them."""
        for line in self._lines:
            if (found := _DIRECTIVE.match(line)) and found["substitution"]:
                if found["name"] in ("replace", "unicode"):
                    self._substitutions[found["substitution"].lower()] = found["rest"] or ""
                elif found["name"] in ("version", "release", "today", "date"):
                    self._substitutions.setdefault(found["substitution"].lower(), found["name"])
            elif (found := _TARGET.match(line)) and found[3]:
                self._targets[" ".join((found[1] or found[2] or "").lower().split())] = found[3].strip()

    def _blocks(self, lines: Sequence[str], depth: int) -> Iterator[Block]:
        place = 0
        paragraph: list[str] = []
        first = depth == 0
        while place < len(lines):
            line = lines[place]
            if not line:
                yield from self._paragraph(paragraph)
                place += 1
                continue
            if not paragraph:
                if depth == 0 and (heading := self._heading(lines, place)) is not None:
                    yield heading[0]
                    place, first = heading[1], False
                    continue
                if first and _FIELD.match(line) and not self.fields:
                    place = self._read_fields(lines, place)
                    continue
                stop = self._table_end(lines, place)
                if stop > place:
                    yield from self._table(lines[place:stop])
                    place, first = stop, False
                    continue
            if not paragraph and line[0] == " " and depth < _DEEPEST_DIRECTIVES:  # a quotation, or an item goes on
                stop = place
                while stop < len(lines) and (not lines[stop] or _indent(lines[stop]) >= _indent(line)):
                    stop += 1
                inner = textwrap.dedent("\n".join(lines[place:stop])).split("\n")
                for each in self._blocks(inner, depth + 1):
                    yield Block(textwrap.indent(each.text, " " * _indent(line)), each.level, each.tight)
                place, first = stop, False
                continue
            if line.startswith((".. ", "__ ")) or line == "..":
                yield from self._paragraph(paragraph)
                stop = _block_end(lines, place + 1)
                yield from self._explicit(lines[place:stop], depth)
                place, first = stop, False
                continue
            if depth == 0 and paragraph and (heading := self._heading(lines, place)) is not None:
                yield from self._paragraph(paragraph)
                continue
            first = False
            paragraph.append(line)
            place += 1
            if line.endswith("::") and (place == len(lines) or not lines[place]):
                indent = _indent(line)
                yield from self._paragraph(paragraph)
                start = place
                while place < len(lines) and (not lines[place] or _indent(lines[place]) > indent):
                    place += 1
                yield from _verbatim(lines[start:place])
        yield from self._paragraph(paragraph)

    def _heading(self, lines: Sequence[str], place: int) -> tuple[Block, int] | None:
        """A heading that begins in a line, and the line after it."""
        line = lines[place]
        if _is_adornment(line) and place + 2 < len(lines) and lines[place + 2] == line and lines[place + 1].strip():
            text, style, after = lines[place + 1].strip(), f"{line[0]}{line[0]}", place + 3
        elif (
            place + 1 < len(lines)
            and _is_adornment(lines[place + 1])
            and line[:1].strip()
            and not _is_adornment(line)
            and not line.startswith(".. ")
            and len(lines[place + 1]) >= min(len(line), 4) - 1
        ):
            text, style, after = line, lines[place + 1][0], place + 2
        else:
            return None
        if style not in self._levels:
            self._levels.append(style)
        words = _MARKED.sub(lambda found: found[1] or found[3], self._inline(text))
        return Block(words, min(6, self._levels.index(style) + 1)), after

    def _read_fields(self, lines: Sequence[str], place: int) -> int:
        while place < len(lines) and (found := _FIELD.match(lines[place])):
            stop = _block_end(lines, place + 1, blank=False)
            value = " ".join([found[2] or "", *(line.strip() for line in lines[place + 1 : stop])]).strip()
            self.fields[found[1].strip().lower()] = self._inline(value)
            place = stop
        return place

    def _paragraph(self, lines: list[str]) -> Iterator[Block]:
        """A paragraph, an item, or several of them, as they are written."""
        if not lines:
            return
        text = textwrap.dedent("\n".join(lines))
        lines.clear()
        if text.rstrip() == "::":
            return
        if text.endswith("::"):
            text = text[:-1].removesuffix(" :")
        if not (_is_adornment(text) and len(text) >= _LEAST_UNDERLINE_CHARACTERS):  # which parts two paragraphs
            yield Block(self._inline(text))

    def _explicit(self, lines: Sequence[str], depth: int) -> Iterator[Block]:
        """A directive, footnote, target or comment: its first line, and the lines indented below it."""
        line = lines[0]
        if (found := _DIRECTIVE.match(line)) is not None:
            if not found["substitution"]:
                yield from self._directive(found["name"].lower(), found["rest"] or "", lines[1:], depth)
        elif (note := _FOOTNOTE.match(line)) is not None:
            rest = " ".join(part.strip() for part in lines[1:] if part)
            yield Block(self._inline(f"{note[1]} {note[2]} {rest}"))

    def _directive(self, name: str, rest: str, lines: Sequence[str], depth: int) -> Iterator[Block]:
        body = textwrap.dedent("\n".join(lines)).split("\n")
        arguments, options, body = _parts(rest, body)
        base = name.rpartition(":")[2]
        if name == "toctree":
            self._read_toctree([*arguments, *body])
        if name in _WRITTEN_ELSEWHERE and arguments:
            self.links.append((arguments[0], arguments[0]))
        if name in _DROPPED:
            return
        if depth >= _DEEPEST_DIRECTIVES:
            yield from _verbatim(body)
        elif base == "parsed-literal":
            yield from (Block(self._inline(each.text)) for each in _verbatim(body))
        elif base in _CODE:
            yield from _verbatim(
                [*(arguments[1:] if base == "code" else []), *body] if base != "math" else [rest, *body]
            )
        elif base in ("list-table", "flat-table", "csv-table", "table"):
            yield from self._title(arguments)
            yield from self._listed(base, options, body, depth)
        elif base in ("image", "figure"):
            alt = options.get("alt", "")
            yield Block(self._inline(alt))
            yield from self._blocks(body, depth + 1)
        elif base in _NOTES or base in _VERSIONS:
            yield from self._note(base, arguments, body, depth)
        elif base in _TITLED:
            yield from self._title(arguments)
            yield from self._blocks(body, depth + 1)
        elif base == "glossary" or not arguments:
            yield from self._blocks([*arguments, *body], depth + 1)
        else:
            yield from self._described(arguments, body, depth)

    def _title(self, arguments: Sequence[str]) -> Iterator[Block]:
        if arguments:
            yield Block(self._inline(" ".join(arguments)))

    def _note(self, name: str, arguments: Sequence[str], body: Sequence[str], depth: int) -> Iterator[Block]:
        words = " ".join(arguments)
        if name in _VERSIONS:
            version, _, words = words.partition(" ")
            label = _VERSIONS[name].format(version)
        else:
            label = _NOTES[name]
        inner = list(self._blocks([words, "", *body] if words and body else [words, *body], depth + 1))
        text = inner[0].text if inner and not inner[0].level else ""
        yield Block(f"{label}: {text}" if text else f"{label}.")
        yield from inner[1:] if text else inner

    def _described(self, arguments: Sequence[str], body: Sequence[str], depth: int) -> Iterator[Block]:
        """A function, class, option or anything else that a directive names and its content describes."""
        inner = list(self._blocks(body, depth + 1))
        signature = "\n".join(self._inline(each) for each in arguments)
        if inner and not inner[0].level:
            yield Block(f"{signature}\n{textwrap.indent(inner[0].text, INDENT)}")
            inner = inner[1:]
        else:
            yield Block(signature)
        yield from (Block(textwrap.indent(each.text, INDENT), each.level, each.tight) for each in inner)

    def _read_toctree(self, lines: Sequence[str]) -> None:
        for line in lines:
            entry = line.strip()
            words, address = ("", entry)
            if (found := _WITH_TARGET.match(entry)) is not None:
                words, address = found[1], found[2]
            if entry and not entry.startswith(":") and "*" not in entry and "://" not in entry and entry != "self":
                self.links.append((_with_suffix(address), words or address))

    def _inline(self, text: str) -> str:
        for found in _DOC.finditer(text):
            named = _WITH_TARGET.match(found[1])
            address = named[2] if named else found[1]
            self.links.append((_with_suffix(address), named[1] if named else address))
        if "`" in text:
            text = _ROLE.sub(lambda found: _role_words(found[1] or found[2]), text)
            text = _REFERENCE.sub(self._reference, text)
        if "|" in text and self._substitutions:
            text = _SUBSTITUTION.sub(lambda found: self._substitutions.get(found[1].lower(), found[0]), text)
        return text.replace("\\ ", "")

    def _reference(self, found: re.Match[str]) -> str:
        named = _WITH_TARGET.match(found[1])
        words = (named[1] if named else found[1]) or (named[2] if named else "")
        address = named[2] if named else self._targets.get(" ".join(found[1].lower().split()), "")
        if "://" in address:
            return f"{words} <{address}>" if words != address else address
        if address and not address.endswith("_"):
            self.links.append((address, words))
        return words

    def _table_end(self, lines: Sequence[str], place: int) -> int:
        """The line after a table that begins in a line; the line itself if none does."""
        line = lines[place].lstrip()
        stop = place
        if _GRID_BORDER.match(line):
            while stop < len(lines) and lines[stop].lstrip()[:1] in ("+", "|"):
                stop += 1
        elif _SIMPLE_BORDER.match(line):
            borders = 0
            while stop < len(lines):
                is_border = bool(_SIMPLE_BORDER.match(lines[stop].lstrip()))
                borders += is_border
                stop += 1
                if is_border and borders >= 2 and (stop == len(lines) or not lines[stop]):
                    return stop
            return place
        return stop

    def _table(self, lines: Sequence[str]) -> Iterator[Block]:
        lines = textwrap.dedent("\n".join(lines)).split("\n")
        yield from self._rows(grid_table(lines) if lines[0].startswith("+") else simple_table(lines))

    def _listed(self, name: str, options: dict[str, str], body: Sequence[str], depth: int) -> Iterator[Block]:
        """The content of `list-table`, `csv-table` or `table`."""
        if name == "table":
            yield from self._blocks(body, depth + 1)
        else:
            yield from self._rows(csv_table(options, body) if name == "csv-table" else list_table(options, body))

    def _rows(self, found: Rows) -> Iterator[Block]:
        """A line per row, which repeats the header."""
        rows = [[self._inline(" ".join(cell.split())) for cell in row] for row in found.rows]
        yield from table_blocks(with_one_header(rows, found.header_rows), has_header=found.header_rows > 0)


def _parts(rest: str, body: list[str]) -> tuple[list[str], dict[str, str], list[str]]:
    """The arguments of a directive, a line each, its options, and its content."""
    arguments = [rest.strip()] if rest.strip() else []
    place = 0
    while place < len(body) and body[place].strip() and not _OPTION.match(body[place]) and arguments:
        arguments.append(body[place].strip())
        place += 1
    options: dict[str, str] = {}
    while place < len(body) and (found := _OPTION.match(body[place])) is not None:
        options[found[1]] = found[2] or ""
        place += 1
        while place < len(body) and body[place][:1] == " ":
            options[found[1]] += f" {body[place].strip()}"
            place += 1
    return arguments, options, body[place:]


def _block_end(lines: Sequence[str], place: int, *, blank: bool = True) -> int:
    """The line after those that are indented, blank ones between them included."""
    stop = place
    while place < len(lines) and (lines[place][:1] == " " or (blank and not lines[place])):
        place += 1
        if lines[place - 1]:
            stop = place
    return stop


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_adornment(line: str) -> bool:
    return len(line) >= 2 and line[0] != " " and bool(_ADORNMENT.match(line))


def _verbatim(lines: Sequence[str]) -> Iterator[Block]:
    yield Block(textwrap.dedent("\n".join(lines)).strip("\n"))


def _role_words(inner: str) -> str:
    """The words of a role: "text" of "text <target>", the whole name of "~package.name"."""
    found = _WITH_TARGET.match(inner)
    return found[1] if found and found[1] else inner.lstrip("~!")


def _with_suffix(address: str) -> str:
    """The file of a document that Sphinx names without its suffix."""
    return address if address.endswith((".rst", ".md", ".txt")) else f"{address}.rst"
