"""Links between definitions: what contains what, what calls what, and which files a file imports.

Only what the files themselves say for certain: a call of a name that this file defines, or that it imports from a file
which is there. What a method of some object is, a parser does not know.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from overstory.model import Link
from overstory_loaders.code_grammars import Grammar
from overstory_loaders.code_parts import CodePart
from overstory_loaders.files import is_file

if TYPE_CHECKING:
    from tree_sitter import Node

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
