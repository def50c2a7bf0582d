"""Source code: a document for each definition, and one for the file."""

from __future__ import annotations

import codecs
import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from overstory.errors import BrokenSource
from overstory.model import Document, Heading, Link
from overstory.protocols import OnBroken
from overstory_loaders.blocks import clean_text, clean_title, is_storable
from overstory_loaders.code_grammars import FUNCTION, Grammar, grammar_of, is_code, parsed, parser_of
from overstory_loaders.code_parts import CodePart, parts_of
from overstory_loaders.files import address, empty, is_file, missing_extra, read_bytes
from overstory_loaders.text_encoding import decode

if TYPE_CHECKING:
    from tree_sitter import Node


# Links between definitions: what contains what, what calls what, and which files a file imports.
#
# Only what the files themselves say for certain: a call of a name that this file defines, or that it imports from a
# file which is there. What a method of some object is, a parser does not know.

CALLS, CONTAINS, IMPORTS = "CALLS", "CONTAINS", "IMPORTS"
_SELF = frozenset({"self", "this", "cls", "Self", "super()", "static"})
_IMPORTING = re.compile(
    r"""^[ \t]*(?:
      \#[ \t]*include[ \t]+"(?P<include>[^"\n]+)"
    | require_relative[ \t(]+['"](?P<ruby>[^'"\n]+)['"]
    | (?:source|\.)[ \t]+['"]?(?P<shell>[\w./-]+)['"]?[ \t]*$
    | (?:pub[ \t]+)?mod[ \t]+(?P<rust>\w+);
    )""",
    re.VERBOSE | re.MULTILINE,
)
_FROM = re.compile(r"^from[ \t]++(\.*+)([\w.]*+)[ \t]++import[ \t]++(?:\(([^()]*)\)|([^\n(]+))", re.MULTILINE)
_IMPORT = re.compile(
    r"^(?:import|export)\b((?:(?!\n(?:import|export)\b)[^;'\"])*?)\bfrom[ \t]*['\"](\.[^'\"\n]*)['\"]"
    r"|require\(['\"](\.[^'\"\n]*)['\"]\)",
    re.MULTILINE,
)
_JS_SUFFIXES = ("", ".ts", ".tsx", ".mts", ".js", ".jsx", ".mjs", ".cjs", "/index.ts", "/index.js")
_INCLUDING = {
    "include": frozenset({"C", "C++"}),
    "ruby": frozenset({"Ruby"}),
    "shell": frozenset({"shell"}),
    "rust": frozenset({"Rust"}),
}


def links_of(
    source: str, grammar: Grammar, parts: Sequence[CodePart], keys: Sequence[str], root: Node, data: bytes
) -> Iterator[Link]:
    """The links of a file.

    Args:
        source: its absolute path.
        keys: of the documents of its parts.
    """
    del root
    own = {".".join(part.path): key for part, key in reversed(list(zip(parts, keys, strict=True))) if part.path}
    files, names = _imports(source, grammar, data.decode("utf-8", "replace"))
    for file in files:
        yield Link(source, "", "", target_source=file, type=IMPORTS)
    for part, key in zip(parts, keys, strict=True):
        if part.path:
            container = own.get(".".join(part.path[:-1]), "")
            if container != key:
                yield Link(source, container, key, type=CONTAINS)
        called: set[tuple[str, str]] = set()
        for name in part.calls:
            target = _called(name, part, own, names)
            if target is not None and target != ("", key) and target not in called:
                called.add(target)
                yield Link(source, key, target[1], target_source=target[0] or source, type=CALLS)


def _called(
    name: str, part: CodePart, own: dict[str, str], names: dict[str, tuple[str, str]]
) -> tuple[str, str] | None:
    """The source ("" for this file) and the key of what a call calls; None if that is not certain."""
    first, dot, rest = name.partition(".")
    if dot and first in _SELF:
        for depth in range(len(part.path) - 1, 0, -1):
            inner = ".".join((*part.path[:depth], rest))
            if inner in own:
                return "", own[inner]
        return None
    if first in names:
        file, defined = names[first]
        return file, ".".join(filter(None, (defined, rest)))
    for depth in range(len(part.path), -1, -1):
        outer = ".".join((*part.path[:depth], name))
        # In most languages a bare name is no method of the class around it, and where it is, there is but one.
        if outer in own:
            return "", own[outer]
    return None


def _imports(source: str, grammar: Grammar, text: str) -> tuple[list[str], dict[str, tuple[str, str]]]:
    """The files that a file imports, as far as they are there, and of which of them names come, with their keys."""
    folder = posixpath.dirname(source)
    files: dict[str, None] = {}
    names: dict[str, tuple[str, str]] = {}
    if grammar.name == "Python":
        for dots, module, inside, plain in _FROM.findall(text):
            imported = [_renamed(each) for each in (inside or plain).split(",")]
            _add_python(folder, dots, module, imported, files, names)
    elif grammar.name in ("JavaScript", "TypeScript"):
        for clause, path, required in _IMPORT.findall(text):
            file = next(
                (f for s in _JS_SUFFIXES if is_file(f := posixpath.normpath(f"{folder}/{path or required}") + s)), ""
            )
            if file and file != source:
                files[file] = None
                braces = clause.partition("{")[2].partition("}")[0]
                for defined, local in map(_renamed, braces.split(",")):
                    if local:
                        names[local] = (file, defined)
    for found in _IMPORTING.finditer(text):
        kind = found.lastgroup or ""
        if grammar.name not in _INCLUDING[kind]:
            continue
        path = posixpath.normpath(f"{folder}/{found[kind]}")
        choices = {"ruby": (path, f"{path}.rb"), "rust": (f"{path}.rs", f"{path}/mod.rs")}.get(kind, (path,))
        for file in choices:
            if is_file(file) and file != source:
                files[file] = None
                break
    return list(files), names


def _add_python(
    folder: str,
    dots: str,
    module: str,
    imported: list[tuple[str, str]],
    files: dict[str, None],
    names: dict[str, tuple[str, str]],
) -> None:
    if dots:
        base = Path(folder)
        for _ in dots[1:]:
            base = base.parent
    else:
        base = Path(folder)
        while is_file(base / "__init__.py") and base != base.parent:
            base = base.parent
    place = base.joinpath(*module.split(".")) if module else base
    for defined, local in imported:
        inner = place / f"{defined}.py"
        if defined and is_file(inner):  # a module of a package
            files[inner.as_posix()] = None
            names[local] = (inner.as_posix(), "")
            continue
        for file in (place.with_suffix(".py") if module else place / "__init__.py", place / "__init__.py"):
            if is_file(file) and defined:
                files[file.as_posix()] = None
                names[local] = (file.as_posix(), defined)
                break


def _renamed(clause: str) -> tuple[str, str]:
    """The name in the other file, and the one here: of "total as sum_up" both, of "total" the same twice."""
    words = clause.partition("#")[0].replace("type ", "").split()
    if len(words) == 3 and words[1] == "as":
        return words[0], words[2]
    return (words[0], words[0]) if len(words) == 1 and words[0].isidentifier() else ("", "")


_CODING = re.compile(rb"^[ \t\f]*[#/*;].*?coding[:=][ \t]*([-\w.]+)", re.MULTILINE)
MOST_CODE_BYTES = 8 * 2**20
"""Bytes of a file of code; the longest that people wrote have two million, and a parser takes thirty times as much."""


class CodeLoader:
    """Source code, split by its definitions; their keys are their names, as in `orders.py#Order.total`."""

    name = "code"
    isolated = True

    def recognises(self, source: str) -> bool:
        """By name; scripts without an ending by their first line; nothing that is minified."""
        return is_code(source)

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document | Link]:
        """A document for the file with what stands outside of definitions, one for each definition, and links between
        them: what contains it (CONTAINS), what it calls in this file or by a relative import (CALLS)."""
        data = read_bytes(source, limit=MOST_CODE_BYTES, remedy="Leave it out: it is probably generated.")
        text = decode(data, source, declared=_declared(data))
        if not text.strip():
            raise empty(source)
        grammar = grammar_of(source, text)
        if grammar is None:
            raise BrokenSource("is in no language that this loader knows", source=source, remedy="Use --loader text.")
        try:
            parser = parser_of(grammar.package, grammar.function)
        except ImportError as error:
            raise missing_extra("code", "tree-sitter") from error
        text = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
        data = text.encode("utf-8", "replace")
        tree = parsed(parser, data, source)
        parts = parts_of(tree.root_node, grammar, data)
        keys = _keys(parts)
        for part, key in zip(parts, keys, strict=True):
            document = _document(source, part, key, grammar.name)
            if document is not None:
                yield document
        if not any(clean_text(part.text) for part in parts):
            raise empty(source)
        del on_broken
        yield from links_of(address(source), grammar, parts, keys, tree.root_node, data)


def _document(source: str, part: CodePart, key: str, language: str) -> Document | None:
    text = clean_text(part.text)
    if not text:
        return None
    names = [clean_title(name) for name in part.path]
    if names and part.kind == FUNCTION:
        names[-1] += "()"
    metadata = {"programming_language": language, "definition": part.kind}
    return Document(
        source=address(source),
        source_key=key,
        text=text,
        title=clean_title(PurePosixPath(address(source)).name),
        metadata=metadata | {"line": part.first_line, "end_line": part.last_line},
        headings=tuple(Heading(0, level, name) for level, name in enumerate(names, start=1)),
    )


def _declared(data: bytes) -> str | None:
    """The codec that a comment in the first two lines declares, as Python, Ruby and editors read it."""
    found = _CODING.search(b"\n".join(data.split(b"\n", 2)[:2]))
    try:
        codec = codecs.lookup(found[1].decode()).name if found else None
        return codec if codec and (b" " * 4).decode(codec) else None
    except (LookupError, UnicodeError):
        return None


def _keys(parts: list[CodePart]) -> list[str]:
    """The path of each definition; what is defined again (an overload, or for another system) has "-2" after it."""
    seen: Counter[str] = Counter()
    keys: list[str] = []
    for part in parts:
        name = ".".join(part.path)
        name = name if is_storable(name) else ""
        seen[name] += 1
        keys.append(name if seen[name] == 1 else f"{name}-{seen[name]}")
    return keys
