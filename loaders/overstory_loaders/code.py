"""Source code: a document for each definition, and one for the file."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath

from overstory.errors import BrokenSource
from overstory.model import Document, Heading, Link
from overstory.protocols import OnBroken
from overstory_loaders.cleaning import clean_text, clean_title, is_storable
from overstory_loaders.code_grammars import FUNCTION, grammar_of, is_code, parsed, parser_of
from overstory_loaders.code_links import links_of
from overstory_loaders.code_parts import CodePart, parts_of
from overstory_loaders.decoding import decode
from overstory_loaders.files import address, empty, missing_extra, read_bytes

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
