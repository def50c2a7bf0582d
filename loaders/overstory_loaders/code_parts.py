"""Splits a source file into its definitions, and records the text, position and calls of each."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from overstory_loaders.code_grammars import FUNCTION, SPACE, TYPE, Grammar

if TYPE_CHECKING:
    from tree_sitter import Node

_WHOLE_TYPE_CHARACTERS = 600
"""A class up to this length stays in one part with its methods, because such short methods mean little alone."""
_LONGEST_PART_SIGNATURE_CHARACTERS = 300
"""Maximum length of a definition's signature where it replaces the definition in the enclosing part."""
_DEEPEST_PARTS = 12
"""Maximum nesting of parts. Definitions that are nested more deeply stay in the enclosing part."""
_LONGEST_CALLED_NAME_CHARACTERS = 200
"""Maximum length of a defined or called name. Anything longer is an expression, not a name."""

_VALUES = frozenset({"arrow_function", "function_expression", "function", "generator_function", "class"})
_ONLY_WITH_VALUE = frozenset(
    {"lexical_declaration", "variable_declaration", "field_definition", "public_field_definition"}
)
_ONLY_WITH_BODY = frozenset({"struct_specifier", "union_specifier", "enum_specifier", "namespace_definition"})


@dataclass(slots=True)
class CodePart:
    """A definition, or the file itself.

    Attributes:
        path: names of the enclosing definitions, followed by its own name; () for the file.
        text: source text, in which inner definitions are reduced to their signatures.
        first_line: number of the first line, counted from 1. Comments before the definition are part of it.
        calls: qualified names of the functions that it calls.
    """

    path: tuple[str, ...]
    kind: str
    text: str
    first_line: int
    last_line: int
    calls: list[str] = field(default_factory=list[str])


def parts_of(root: Node, grammar: Grammar, data: bytes) -> list[CodePart]:
    """Return the part for the file itself, followed by its definitions in order of position."""
    splitter = _Splitter(grammar, data)
    return [splitter.part_of_file(root), *splitter.parts]


@dataclass(frozen=True, slots=True)
class _Definition:
    outer: Node
    inner: Node
    start: int
    first_row: int
    name: tuple[str, ...]
    kind: str


class _Splitter:
    def __init__(self, grammar: Grammar, data: bytes) -> None:
        self._grammar, self._data = grammar, data
        self.parts: list[CodePart] = []

    def part_of_file(self, root: Node) -> CodePart:
        found = self._definitions(root, depth=0)
        part = self._part(root, (), "module", 0, 0, found, depth=0)
        part.first_line = 1
        return part

    def _part(
        self,
        node: Node,
        path: tuple[str, ...],
        kind: str,
        start: int,
        row: int,
        inner: Sequence[_Definition],
        depth: int,
    ) -> CodePart:
        pieces: list[str] = []
        place = self._line_start(start)
        for each in inner:
            pieces.append(self._text(place, each.start))
            pieces.append(f"{self._signature(each)} …")
            place = each.outer.end_byte
        pieces.append(self._text(place, node.end_byte))
        part = CodePart(path, kind, textwrap.dedent("".join(pieces)), row + 1, node.end_point[0] + 1)
        part.calls = list(dict.fromkeys(self._calls(node, {each.outer.id for each in inner})))
        for each in inner:
            self._add(each, path, depth + 1)
        return part

    def _add(self, found: _Definition, path: tuple[str, ...], depth: int) -> None:
        own = (*path, *found.name)
        length = found.outer.end_byte - found.start
        whole = found.kind == FUNCTION or (found.kind == TYPE and length <= _WHOLE_TYPE_CHARACTERS)
        inner = [] if whole or depth >= _DEEPEST_PARTS else self._definitions(found.inner, depth)
        place = len(self.parts)
        part = self._part(found.outer, own, found.kind, found.start, found.first_row, inner, depth)
        self.parts.insert(place, part)

    def _definitions(self, node: Node, depth: int) -> list[_Definition]:
        found: list[_Definition] = []
        self._collect(node.child_by_field_name("body") or node if depth else node, found, 0)
        return found

    def _collect(self, node: Node, found: list[_Definition], depth: int) -> None:
        start, row, last_row = -1, 0, -2
        for child in node.named_children:
            if child.type in self._grammar.leading:
                own_line = not found or found[-1].outer.end_point[0] != child.start_point[0]
                if start < 0 or child.start_point[0] > last_row + 1:
                    start, row = (child.start_byte, child.start_point[0]) if own_line else (-1, 0)
                last_row = child.end_point[0] - (child.end_point[1] == 0)  # a Rust comment includes its line break
                continue
            near = start >= 0 and child.start_point[0] <= last_row + 1
            inner = self._unwrapped(child)
            name = self._name(inner)
            if name:
                begins = (start, row) if near else (child.start_byte, child.start_point[0])
                found.append(_Definition(child, inner, *begins, name, self._grammar.definitions[inner.type]))
            elif (child.type in self._grammar.holders or child.type == "ERROR") and depth < _DEEPEST_PARTS:
                self._collect(child, found, depth + 1)
            start, last_row = -1, -2

    def _unwrapped(self, node: Node) -> Node:
        for _ in range(_DEEPEST_PARTS):
            if node.type not in self._grammar.wrappers:
                break
            inner = node.child_by_field_name("definition") or node.child_by_field_name("declaration")
            children = node.named_children
            if inner is None and not children:
                break
            node = inner or children[-1]
        return node

    def _name(self, node: Node) -> tuple[str, ...]:
        """Return the qualified name that a node defines; () if the node does not become a part."""
        kind = node.type
        if kind not in self._grammar.definitions:
            return ()
        if kind in _ONLY_WITH_VALUE:
            return self._name_of_value(node)
        if kind in _ONLY_WITH_BODY and node.child_by_field_name("body") is None:
            return ()
        if kind == "type_declaration":  # a Go declaration may contain several types
            specs = [child for child in node.named_children if child.type in ("type_spec", "type_alias")]
            return self._words(specs[0].child_by_field_name("name")) if len(specs) == 1 else ()
        if kind == "type_definition":  # a C typedef becomes a part only if it has a body
            type_ = node.child_by_field_name("type")
            if type_ is None or type_.child_by_field_name("body") is None:
                return ()
        if kind == "impl_item":
            return self._words(node.child_by_field_name("type"))
        name = node.child_by_field_name("name")
        if name is None:
            name = _declared(node)
        own = self._words(name)
        receiver = node.child_by_field_name("receiver") if kind == "method_declaration" else None
        if receiver is not None and own:  # a Go method: "func (o *Order) Total()"
            types = [self._text(*_span(child)) for child in _descendants(receiver) if child.type == "type_identifier"]
            return (types[0], *own) if types else own
        return own

    def _name_of_value(self, node: Node) -> tuple[str, ...]:
        """Return the name of a variable or field whose value is a function or a class; () for any other value."""
        if node.type in ("field_definition", "public_field_definition"):
            value, name = node.child_by_field_name("value"), node.child_by_field_name("name")
            name = name or node.child_by_field_name("property")
        else:
            declared = [child for child in node.named_children if child.type == "variable_declarator"]
            if len(declared) != 1:
                return ()
            value, name = declared[0].child_by_field_name("value"), declared[0].child_by_field_name("name")
        return self._words(name) if value is not None and value.type in _VALUES else ()

    def _words(self, node: Node | None) -> tuple[str, ...]:
        if node is None:
            return ()
        name = " ".join(self._text(*_span(node)).split())[:_LONGEST_CALLED_NAME_CHARACTERS]
        name = name.partition("<")[0] if not name.startswith("operator") else name
        return tuple(part for part in (part.strip() for part in name.replace("::", ".").split(".")) if part)

    def _signature(self, found: _Definition) -> str:
        body = found.inner.child_by_field_name("body")
        stop = body.start_byte if body is not None else found.outer.end_byte
        text = self._text(found.outer.start_byte, stop).strip()
        if body is None:
            text = text.partition("\n")[0]
        return text[:_LONGEST_PART_SIGNATURE_CHARACTERS]

    def _calls(self, node: Node, parts: set[int]) -> Iterator[str]:
        """Yield the names that a node calls, such as "total" or "Order.total", but not calls inside the `parts`."""
        waiting = [node]
        while waiting:
            each = waiting.pop()
            if each.id in parts and each is not node:
                continue
            name = self._grammar.calls.get(each.type)
            called = each.child_by_field_name(name) if name else None
            if called is not None:
                owner = each.child_by_field_name("receiver") or each.child_by_field_name("object")
                text = self._text(*_span(called)) if called.end_byte - called.start_byte < 500 else ""
                if owner is not None and owner.end_byte - owner.start_byte < _LONGEST_CALLED_NAME_CHARACTERS:
                    text = f"{self._text(*_span(owner))}.{text}"
                text = text.replace("::", ".").replace("->", ".").replace("$this", "this")
                if text and len(text) < _LONGEST_CALLED_NAME_CHARACTERS and not any(c in text for c in " \n(\"'["):
                    yield text
            waiting += reversed(each.children)

    def _line_start(self, place: int) -> int:
        start = self._data.rfind(b"\n", 0, place) + 1
        return start if not self._data[start:place].strip() else place

    def _text(self, start: int, stop: int) -> str:
        return self._data[start:stop].decode("utf-8", "replace")


def _span(node: Node) -> tuple[int, int]:
    return node.start_byte, node.end_byte


def _declared(node: Node) -> Node | None:
    """Return the node with the name in a C declarator, such as "f" in "int *f(void)"."""
    for _ in range(_DEEPEST_PARTS):
        inner = node.child_by_field_name("declarator")
        if inner is None:
            break
        node = inner
    return node if node.type.endswith(("identifier", "_name")) else None


def _descendants(node: Node) -> Iterator[Node]:
    waiting = [node]
    while waiting:
        each = waiting.pop()
        yield each
        waiting += reversed(each.children)


__all__ = ["FUNCTION", "SPACE", "TYPE", "CodePart", "parts_of"]
