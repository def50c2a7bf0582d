"""Converts reStructuredText to blocks with docutils.

docutils rejects unknown directives and roles, but real files use many of those in Sphinx extensions. All directives and
roles in a text are therefore registered before it is parsed. Then a directive becomes its argument and content, and a
role becomes its text.

`rst` imports this module only when it is needed, because docutils loads slowly.
"""

from __future__ import annotations

import re
import textwrap
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, ClassVar

from docutils import nodes
from docutils.core import publish_doctree
from docutils.parsers.rst import Directive, directives, roles

from overstory_loaders.blocks import INDENT, Block
from overstory_loaders.table_text import DataTable, TableCell

_LONGEST_LINE_CHARACTERS = 10_000
"""Maximum length of a line. Longer lines are split, because docutils rejects them."""
_LEVELS = 6

_DIRECTIVE = re.compile(r"\.\.[ \t]+(?:\|[^|\n]+\|[ \t]+)?([\w+.:-]*\w)[ \t]*::", re.IGNORECASE)
_ROLE = re.compile(r":([a-zA-Z][\w+.:-]{0,99}):`|`:([a-zA-Z][\w+.:-]{0,99}):")
_WITH_TARGET = re.compile(r"(.*)(?<!\s)\s*+<([^<>]+)>$", re.DOTALL)
_MARKS: dict[type[nodes.Node], str] = {nodes.emphasis: "*", nodes.strong: "**", nodes.literal: "``"}
"""Inline marks that are kept in texts, but not in headings."""

# fmt: off
_OF_DOCUTILS = frozenset((
    "replace", "unicode", "date", "list-table", "csv-table", "table", "parsed-literal", "container", "class",
    "compound",
))
"""Directives that docutils handles. All others are registered as `_AnyDirective`."""
_CODE = frozenset((
    "code", "code-block", "sourcecode", "doctest", "testcode", "testoutput", "testsetup", "prompt", "math",
    "productionlist", "highlights", "graphviz", "digraph", "mermaid", "ipython", "jupyter-execute",
    "console-code-block", "command-output",
))
_DROPPED = frozenset((
    "raw", "contents", "index", "meta", "highlight", "currentmodule", "role", "default-role", "sectnum",
    "target-notes", "tabularcolumns", "title", "toctree", "include", "literalinclude", "sidebar-links", "program",
    "module", "namespace", "cssclass", "rst-class",
))
_NOTES = {
    **{name: name.title() for name in (
        "note", "warning", "tip", "important", "caution", "danger", "attention", "hint", "error", "todo",
    )},
    "seealso": "See also",
}
_VERSIONS = {
    "versionadded": "New in version",
    "versionchanged": "Changed in version",
    "deprecated": "Deprecated since version",
    "versionremoved": "Removed in version",
    "deprecated-removed": "Deprecated since version",
}
_TITLED = frozenset(("admonition", "topic", "sidebar", "rubric", "figure", "image"))
# fmt: on
_SKIPPED = (nodes.comment, nodes.substitution_definition, nodes.target, nodes.pending, nodes.transition, nodes.raw)

_SETTINGS = {
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "_disable_config": True,
    "report_level": 5,
    "halt_level": 5,
    "warning_stream": False,
    "doctitle_xform": False,
    "docinfo_xform": False,
    "smart_quotes": False,
    "syntax_highlight": "none",
    "line_length_limit": _LONGEST_LINE_CHARACTERS,
}


class _DirectiveNode(nodes.General, nodes.Element):
    """A directive with its content. Its attributes include `name`, without the Sphinx domain, and `argument`."""


class _AnyDirective(Directive):
    optional_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec: ClassVar[Any] = defaultdict(lambda: directives.unchanged, alt=directives.unchanged)

    def run(self) -> list[nodes.Node]:
        lines = [line.strip() for line in (self.arguments or [""])[0].split("\n")]
        name = self.name.lower().rpartition(":")[2]
        node = _DirectiveNode(name=name, argument="\n".join(lines), alt=self.options.get("alt", ""))
        if name == "toctree" or name in _CODE:
            node["lines"] = list(self.content)
        elif name not in _DROPPED:
            node["words"] = self.state.inline_text("\n".join(lines), self.lineno)[0]
            self.state.nested_parse(self.content, self.content_offset, node)
        return [node]


def _any_role(name: str, raw: str, text: str, *_: object) -> tuple[list[Any], list[Any]]:
    """Return a node with the text of a role, or with its target if it has no text. The role `doc` becomes a link."""
    found = _WITH_TARGET.match(nodes.unescape(text))
    words, target = (found[1], found[2]) if found else (nodes.unescape(text).lstrip("~!"), nodes.unescape(text))
    if name.lower() == "doc":
        return [nodes.reference(raw, words or target, refuri=_with_suffix(target))], []
    return [nodes.inline(raw, words or target)], []


def _register(text: str) -> None:
    """Register the directives and roles in a text with docutils. They stay registered until the process ends."""
    for name in {found.lower() for found in _DIRECTIVE.findall(text)} - _OF_DOCUTILS:
        directives.register_directive(name, _AnyDirective)
    for names in _ROLE.findall(text):
        roles.register_local_role((names[0] or names[1]).lower(), _any_role)


class RstReader:
    """Reads a text with "\\n" line breaks.

    Attributes:
        fields: fields at the beginning of the text, by name in lower case.
        links: address and text of each link to another file. The list is complete once `blocks` has been read.
    """

    def __init__(self, text: str) -> None:
        _register(text)
        lines = [
            line[start : start + _LONGEST_LINE_CHARACTERS]
            for line in text.split("\n")
            for start in range(0, max(1, len(line)), _LONGEST_LINE_CHARACTERS)
        ]
        self.links: list[tuple[str, str]] = []
        self._document = publish_doctree("\n".join(lines), settings_overrides=_SETTINGS)
        self.fields = self._read_fields()

    def blocks(self) -> Iterator[Block]:
        yield from self._inside(self._document, 0)

    def _read_fields(self) -> dict[str, str]:
        """Remove the fields at the beginning of the document, and return them by name in lower case."""
        first = next((node for node in self._document.children if not isinstance(node, _SKIPPED)), None)
        if not isinstance(first, nodes.field_list):
            return {}
        self._document.remove(first)
        return {
            name.astext().strip().lower(): " ".join(self._inline(body).split())
            for name, body in (field.children for field in first.children)
        }

    def _inside(self, node: nodes.Node, level: int) -> Iterator[Block]:
        for child in node.children:
            if isinstance(child, nodes.Element) and not isinstance(child, _SKIPPED):
                yield from self._blocks(child, level)

    def _blocks(self, node: nodes.Element, level: int) -> Iterator[Block]:
        match node:
            case nodes.section():
                yield from self._inside(node, level + 1)
            case nodes.title():
                yield Block(self._inline(node, marks=False), min(level, _LEVELS))
            case _DirectiveNode():
                yield from self._directive(node, level)
            case nodes.bullet_list() | nodes.enumerated_list():
                yield from self._items(node, level)
            case nodes.definition_list():
                for item in node.children:
                    yield from self._described(self._inline(item.children[0]), item.children[-1], level)
            case nodes.option_list():
                for item in node.children:
                    options = ", ".join(option.astext() for option in item.children[0].children)
                    yield from self._described(options, item.children[-1], level)
            case nodes.field_list():
                for place, (name, body) in enumerate(field.children for field in node.children):
                    first, *rest = [*self._inside(body, level), Block("")]
                    yield Block(f":{name.astext()}: {first.text}", tight=place > 0)
                    yield from rest
            case nodes.footnote() | nodes.citation():
                label, *notes = node.children
                yield Block(" ".join([f"[{label.astext()}]", *(self._inline(note) for note in notes)]))
            case nodes.line_block():
                yield Block("\n".join(self._inline(each) for each in node.findall(nodes.line)))
            case nodes.table():
                yield from self._table(node)
            case nodes.system_message():  # this node contains the source text of an invalid directive
                yield from (Block(each.astext()) for each in node.findall(nodes.literal_block))
            case nodes.FixedTextElement():
                yield Block(node.astext())
            case nodes.TextElement():
                yield Block(self._inline(node))
            case nodes.block_quote():
                yield from (Block(textwrap.indent(each.text, INDENT), each.level) for each in self._inside(node, level))
            case _:
                yield from self._inside(node, level)

    def _items(self, node: nodes.Element, level: int) -> Iterator[Block]:
        is_numbered = isinstance(node, nodes.enumerated_list)
        for number, item in enumerate(node.children, start=node.get("start", 1)):
            mark = f"{number}." if is_numbered else "-"
            inner = list(self._inside(item, level))
            for place, block in enumerate(inner):
                text = textwrap.indent(block.text, " " * (len(mark) + 1))
                is_tight = place == 0 and item is not node.children[0]
                yield Block(
                    mark + text[len(mark) :] if place == 0 else text, block.level, tight=is_tight or block.tight
                )

    def _described(self, words: str, node: nodes.Node, level: int) -> Iterator[Block]:
        """Yield a term and its description, which is indented below it."""
        first, *rest = [*self._inside(node, level), Block("")]
        yield Block(f"{words}\n{textwrap.indent(first.text, INDENT)}")
        yield from (Block(textwrap.indent(each.text, INDENT), each.level, each.tight) for each in rest)

    def _directive(self, node: _DirectiveNode, level: int) -> Iterator[Block]:
        name, argument = node["name"], node["argument"]
        if name == "toctree":
            self._read_toctree([argument, *node["lines"]])
        if name in ("include", "literalinclude") and argument:
            self.links.append((argument, argument))
        if name in _DROPPED:
            return
        if name in _CODE:
            lines = [argument, *node["lines"]] if name == "math" else node["lines"]
            yield Block(textwrap.dedent("\n".join(lines)))
            return
        words = "".join(self._inline_of(each) for each in node["words"])
        if name in _NOTES or name in _VERSIONS:
            yield from self._note(node, words, level)
        elif name in _TITLED:
            yield Block(node["alt"] if name in ("figure", "image") else words)
            yield from self._inside(node, level)
        elif name == "glossary" or not argument:
            yield from self._inside(node, level)
        else:
            yield from self._described(words, node, level)

    def _note(self, node: _DirectiveNode, words: str, level: int) -> Iterator[Block]:
        label = _NOTES.get(node["name"], "")
        if not label:
            version, _, words = words.replace("\n", " ", 1).partition(" ")
            label = f"{_VERSIONS[node['name']]} {version}"
        inner = list(self._inside(node, level))
        if not words and inner and not inner[0].level:
            words = inner.pop(0).text
        yield Block(f"{label}: {words}" if words else f"{label}.")
        yield from inner

    def _read_toctree(self, lines: list[str]) -> None:
        for entry in map(str.strip, lines):
            found = _WITH_TARGET.match(entry)
            words, address = (found[1], found[2]) if found else ("", entry)
            if entry and "*" not in entry and "://" not in entry and entry != "self":
                self.links.append((_with_suffix(address), words or address))

    def _table(self, node: nodes.table) -> Iterator[Block]:
        for title in node.findall(nodes.title):
            yield Block(self._inline(title))
        table = DataTable()
        for row in node.findall(nodes.row):
            in_head = isinstance(row.parent, nodes.thead)
            entries = [entry for entry in row.children if isinstance(entry, nodes.entry)]
            table.end_row([self._cell(entry, is_header=in_head) for entry in entries])
        table.header_rows = sum(isinstance(row.parent, nodes.thead) for row in node.findall(nodes.row))
        yield from table.blocks()

    def _cell(self, entry: nodes.entry, *, is_header: bool) -> TableCell:
        text = " ".join(" ".join(each.text for each in self._inside(entry, 0)).split())
        return TableCell(text, entry.get("morecols", 0) + 1, entry.get("morerows", 0) + 1, is_header=is_header)

    def _inline(self, node: nodes.Node, *, marks: bool = True) -> str:
        return "".join(self._inline_of(each, marks=marks) for each in node.children)

    def _inline_of(self, node: nodes.Node, *, marks: bool = True) -> str:
        if isinstance(node, nodes.Text):
            return node.astext()
        if isinstance(node, nodes.image):
            return str(node.get("alt", ""))
        if isinstance(node, nodes.reference):
            return self._reference(node, self._inline(node, marks=marks))
        if isinstance(node, (nodes.footnote_reference, nodes.citation_reference)):
            return f"[{node.astext()}]"
        mark = _MARKS.get(type(node), "") if marks else ""
        return f"{mark}{self._inline(node, marks=marks)}{mark}"

    def _reference(self, node: nodes.reference, words: str) -> str:
        address = str(node.get("refuri", ""))
        if "://" in address:
            return f"{words} <{address}>" if words != address else address
        if address and not address.startswith("mailto:"):
            self.links.append((address, words))
        return words


def _with_suffix(address: str) -> str:
    """Return the file name for an address from which Sphinx may have omitted the suffix ".rst"."""
    return address if address.endswith((".rst", ".md", ".txt")) else f"{address}.rst"
