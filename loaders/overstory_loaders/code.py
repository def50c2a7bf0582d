"""Loads source code, as one document for each definition and one for the rest of the file."""

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


# Links show which definitions contain or call other definitions, and which files a file imports. A call becomes a link
# only if its target is certain, that is, if the name is defined in this file or imported from an existing file.

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
    """Yield the links that start in a file.

    Args:
        source: absolute path of the file.
        keys: document key of each of the `parts`.
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
    """Return the source and the key of the called definition; None if the target is uncertain.

    The source is "" for a definition in this file.
    """
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
        # A bare name rarely means a method of the enclosing class. If it does, no other definition has that name.
        if outer in own:
            return "", own[outer]
    return None


def _imports(source: str, grammar: Grammar, text: str) -> tuple[list[str], dict[str, tuple[str, str]]]:
    """Return the existing files that a file imports, and a map from each imported name to its file and key."""
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
        if defined and is_file(inner):  # the imported name is a module
            files[inner.as_posix()] = None
            names[local] = (inner.as_posix(), "")
            continue
        for file in (place.with_suffix(".py") if module else place / "__init__.py", place / "__init__.py"):
            if is_file(file) and defined:
                files[file.as_posix()] = None
                names[local] = (file.as_posix(), defined)
                break


def _renamed(clause: str) -> tuple[str, str]:
    """Return the original and the local name in an import: ("total", "sum_up") for "total as sum_up"."""
    words = clause.partition("#")[0].replace("type ", "").split()
    if len(words) == 3 and words[1] == "as":
        return words[0], words[2]
    return (words[0], words[0]) if len(words) == 1 and words[0].isidentifier() else ("", "")


_CODING = re.compile(rb"^[ \t\f]*[#/*;].*?coding[:=][ \t]*([-\w.]+)", re.MULTILINE)
MOST_CODE_BYTES = 8 * 2**20
"""Maximum size of a file in bytes. Hand-written files reach 2 MB; the parser needs thirty times the file's size."""


class CodeLoader:
    """Loader that splits source code into its definitions. A definition's key is its qualified name: `Order.total`."""

    name = "code"
    isolated = True

    def recognises(self, source: str) -> bool:
        """Return True if the suffix or the first line shows that a file is source code; False for minified code."""
        return is_code(source)

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document | Link]:
        """Yield a document for the file without its definitions, one for each definition, and the links between them.

        Links have one of these types:

        - CONTAINS leads from the file, or from a definition, to a definition inside it.
        - CALLS leads to a called definition, in this file or in an imported file.
        - IMPORTS leads to an imported file.
        """
        data = read_bytes(source, limit=MOST_CODE_BYTES, remedy="Leave it out: it is probably generated.")
        text = decode(data, source, declared=_declared(data))
        if not text.strip():
            raise empty(source)
        grammar = grammar_of(source, text)
        if grammar is None:
            raise BrokenSource(
                "is not in a language that this loader supports", source=source, remedy="Use --loader text."
            )
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
    """Return the codec declared by a comment in the first two lines, as is usual in Python and Ruby."""
    found = _CODING.search(b"\n".join(data.split(b"\n", 2)[:2]))
    try:
        codec = codecs.lookup(found[1].decode()).name if found else None
        return codec if codec and (b" " * 4).decode(codec) else None
    except (LookupError, UnicodeError):
        return None


def _keys(parts: list[CodePart]) -> list[str]:
    """Return the qualified name of each definition. Repeated names, such as overloads, get the suffix "-2", "-3", …."""
    seen: Counter[str] = Counter()
    keys: list[str] = []
    for part in parts:
        name = ".".join(part.path)
        name = name if is_storable(name) else ""
        seen[name] += 1
        keys.append(name if seen[name] == 1 else f"{name}-{seen[name]}")
    return keys
