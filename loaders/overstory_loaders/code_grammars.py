"""Describes programming languages: how to recognise their files, and which tree-sitter nodes are definitions."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from overstory.errors import BrokenSource
from overstory_loaders.by_content import RECOGNISED_BY_BYTES, head_of, interpreter, without_ending
from overstory_loaders.files import has_suffix, read_head, uncompressed_name

if TYPE_CHECKING:
    from tree_sitter import Parser, Point, Tree

FUNCTION, TYPE, SPACE = "function", "type", "namespace"
"""Kinds of definitions."""

_LONGEST_WRITTEN_LINE_CHARACTERS = 1_000
"""Maximum length of the first lines of a file. Longer lines show that the file is minified, so it is not read."""

_LEAST_PARSE_SECONDS = 1.0
"""CPU seconds that parsing may take for any file, however small."""
_PARSE_SECONDS_PER_BYTE = 4e-6
"""Additional CPU seconds that parsing may take per byte. Ordinary code takes a tenth of this time."""
_PARSED_BLOCK_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Grammar:
    """A language and its tree-sitter grammar.

    Attributes:
        package: Python package that contains the grammar.
        function: function in the package that returns the grammar.
        definitions: map from node type to the kind of definition.
        wrappers: types of nodes that enclose a definition and belong to it, such as decorators and `export`.
        holders: types of nodes without a name that contain definitions, such as `extern "C"` and `#ifdef`.
        leading: types of nodes that precede a definition and belong to it, such as comments.
        calls: map from the type of a call node to its field that contains the callee.
    """

    name: str
    package: str
    suffixes: tuple[str, ...]
    definitions: Mapping[str, str]
    interpreters: tuple[str, ...] = ()
    function: str = "language"
    wrappers: frozenset[str] = frozenset()
    holders: frozenset[str] = frozenset()
    leading: frozenset[str] = frozenset({"comment", "line_comment", "block_comment"})
    calls: Mapping[str, str] = field(default_factory=dict[str, str])


_JS = {
    "function_declaration": FUNCTION,
    "generator_function_declaration": FUNCTION,
    "method_definition": FUNCTION,
    "class_declaration": TYPE,
    "lexical_declaration": FUNCTION,
    "variable_declaration": FUNCTION,
    "field_definition": FUNCTION,
}
_TS = _JS | {
    "abstract_class_declaration": TYPE,
    "interface_declaration": TYPE,
    "type_alias_declaration": TYPE,
    "enum_declaration": TYPE,
    "internal_module": SPACE,
    "module": SPACE,
    "function_signature": FUNCTION,
    "public_field_definition": FUNCTION,
}
_JS_CALLS = {"call_expression": "function", "new_expression": "constructor"}
_JS_WRAPPERS = frozenset({"export_statement", "expression_statement", "ambient_declaration"})
_C = {
    "function_definition": FUNCTION,
    "struct_specifier": TYPE,
    "union_specifier": TYPE,
    "enum_specifier": TYPE,
    "type_definition": TYPE,
    "preproc_function_def": FUNCTION,
}
_C_HOLDERS = frozenset(
    {"preproc_ifdef", "preproc_if", "preproc_else", "preproc_elif", "linkage_specification", "declaration_list"}
)
_WITH_ATTRIBUTES = frozenset({"comment", "line_comment", "block_comment", "attribute_item", "decorator"})

GRAMMARS = (
    Grammar(
        "Python",
        "tree_sitter_python",
        (".py", ".pyi"),
        {"function_definition": FUNCTION, "class_definition": TYPE},
        interpreters=("python",),
        wrappers=frozenset({"decorated_definition"}),
        holders=frozenset({"if_statement", "try_statement", "block", "except_clause", "else_clause"}),
        calls={"call": "function"},
    ),
    Grammar(
        "JavaScript",
        "tree_sitter_javascript",
        (".js", ".mjs", ".cjs", ".jsx"),
        _JS,
        interpreters=("node", "nodejs", "deno", "bun"),
        wrappers=_JS_WRAPPERS,
        leading=_WITH_ATTRIBUTES,
        calls=_JS_CALLS,
    ),
    Grammar(
        "TypeScript",
        "tree_sitter_typescript",
        (".ts", ".mts", ".cts"),
        _TS,
        function="language_typescript",
        wrappers=_JS_WRAPPERS,
        leading=_WITH_ATTRIBUTES,
        calls=_JS_CALLS,
    ),
    Grammar(
        "TypeScript",
        "tree_sitter_typescript",
        (".tsx",),
        _TS,
        function="language_tsx",
        wrappers=_JS_WRAPPERS,
        leading=_WITH_ATTRIBUTES,
        calls=_JS_CALLS,
    ),
    Grammar(
        "Go",
        "tree_sitter_go",
        (".go",),
        {"function_declaration": FUNCTION, "method_declaration": FUNCTION, "type_declaration": TYPE},
        calls={"call_expression": "function"},
    ),
    Grammar(
        "Rust",
        "tree_sitter_rust",
        (".rs",),
        {
            "function_item": FUNCTION,
            "struct_item": TYPE,
            "enum_item": TYPE,
            "union_item": TYPE,
            "trait_item": TYPE,
            "impl_item": TYPE,
            "type_item": TYPE,
            "mod_item": SPACE,
            "macro_definition": FUNCTION,
        },
        leading=_WITH_ATTRIBUTES,
        calls={"call_expression": "function", "macro_invocation": "macro"},
    ),
    Grammar(
        "Java",
        "tree_sitter_java",
        (".java",),
        {
            "class_declaration": TYPE,
            "interface_declaration": TYPE,
            "enum_declaration": TYPE,
            "record_declaration": TYPE,
            "annotation_type_declaration": TYPE,
            "method_declaration": FUNCTION,
            "constructor_declaration": FUNCTION,
        },
        holders=frozenset({"enum_body_declarations"}),
        calls={"method_invocation": "name", "object_creation_expression": "type"},
    ),
    Grammar(
        "C",
        "tree_sitter_c",
        (".c", ".h"),
        _C,
        holders=_C_HOLDERS,
        calls={"call_expression": "function"},
    ),
    Grammar(
        "C++",
        "tree_sitter_cpp",
        (".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx"),
        _C | {"class_specifier": TYPE, "namespace_definition": SPACE, "concept_definition": TYPE},
        wrappers=frozenset({"template_declaration"}),
        holders=_C_HOLDERS,
        calls={"call_expression": "function"},
    ),
    Grammar(
        "C#",
        "tree_sitter_c_sharp",
        (".cs",),
        {
            "class_declaration": TYPE,
            "struct_declaration": TYPE,
            "interface_declaration": TYPE,
            "record_declaration": TYPE,
            "enum_declaration": TYPE,
            "delegate_declaration": TYPE,
            "method_declaration": FUNCTION,
            "constructor_declaration": FUNCTION,
            "namespace_declaration": SPACE,
        },
        holders=frozenset({"file_scoped_namespace_declaration", "preproc_if", "preproc_else"}),
        calls={"invocation_expression": "function", "object_creation_expression": "type"},
    ),
    Grammar(
        "Ruby",
        "tree_sitter_ruby",
        (".rb", ".rake", ".gemspec"),
        {"class": TYPE, "module": SPACE, "method": FUNCTION, "singleton_method": FUNCTION},
        interpreters=("ruby",),
        holders=frozenset({"singleton_class", "body_statement"}),
        calls={"call": "method"},
    ),
    Grammar(
        "PHP",
        "tree_sitter_php",
        (".php", ".phtml"),
        {
            "class_declaration": TYPE,
            "interface_declaration": TYPE,
            "trait_declaration": TYPE,
            "enum_declaration": TYPE,
            "function_definition": FUNCTION,
            "method_declaration": FUNCTION,
            "namespace_definition": SPACE,
        },
        interpreters=("php",),
        function="language_php",
        calls={"function_call_expression": "function", "member_call_expression": "name"},
    ),
    Grammar(
        "shell",
        "tree_sitter_bash",
        (".sh", ".bash", ".ksh"),
        {"function_definition": FUNCTION},
        interpreters=("sh", "bash", "dash", "ksh", "ash"),
        calls={"command": "name"},
    ),
)
CODE_SUFFIXES = tuple(suffix for grammar in GRAMMARS for suffix in grammar.suffixes)

_OF_SUFFIX = {suffix: grammar for grammar in GRAMMARS for suffix in grammar.suffixes}
_OF_INTERPRETER = {name: grammar for grammar in GRAMMARS for name in grammar.interpreters}
_C_PLUS_PLUS = ("class ", "namespace ", "template<", "template <", "public:", "std::")


def is_script(head: str) -> bool:
    """Return True if the first line names an interpreter of one of these languages."""
    return interpreter(head) in _OF_INTERPRETER


def is_code(source: str) -> bool:
    """Return True if the suffix or first line shows that a file is source code; False if it is empty or minified."""
    if has_suffix(source, CODE_SUFFIXES):
        if _is_blank(source):
            return False
        lines = head_of(source).split("\n")
        return max(map(len, lines)) <= _LONGEST_WRITTEN_LINE_CHARACTERS and ".min." not in Path(source).name
    return without_ending(source) and is_script(head_of(source))


def _is_blank(source: str) -> bool:
    try:
        return not read_head(source, RECOGNISED_BY_BYTES).strip()
    except BrokenSource:
        return False  # the loader will report the error


def grammar_of(source: str, text: str) -> Grammar | None:
    """Return the grammar for a file by its suffix or first line. A `.h` file with C++ keywords counts as C++."""
    ending = Path(uncompressed_name(source).lower()).suffix
    grammar = _OF_SUFFIX.get(ending) or _OF_INTERPRETER.get(interpreter(text))
    if grammar is not None and ending == ".h" and any(word in text for word in _C_PLUS_PLUS):
        return _OF_SUFFIX[".hpp"]
    return grammar


@cache
def parser_of(package: str, function: str) -> Parser:
    """Return the parser for a grammar.

    Raises:
        ImportError: tree-sitter or the grammar's package is not installed.
    """
    from tree_sitter import Language, Parser

    grammar: object = getattr(import_module(package), function)()  # a PyCapsule, for which Python has no static type
    return Parser(Language(grammar))


def parsed(parser: Parser, data: bytes, source: str) -> Tree:
    """Return the syntax tree of a file's contents, which must be UTF-8.

    Raises:
        BrokenSource: parsing takes too long for the file's size, for example because of unterminated here-documents.
    """
    seconds = _LEAST_PARSE_SECONDS + _PARSE_SECONDS_PER_BYTE * len(data)
    end = time.thread_time() + seconds

    def is_late(*_: object) -> bool:
        return time.thread_time() > end

    def read(start: int, _: Point) -> bytes:
        # The parser does not call `is_late` within an operation, but it stops if the file seems to end here.
        return b"" if is_late() else data[start : start + _PARSED_BLOCK_BYTES]

    try:
        tree = parser.parse(read, progress_callback=is_late)
    except ValueError:  # tree-sitter raises this when the callback stops the parser
        parser.reset()
    else:
        if not is_late():
            return tree
    raise BrokenSource(
        f"takes more than {seconds:.0f} s to parse, too long for its size",
        source=source,
        remedy="Use --loader text, or leave it out.",
    )
