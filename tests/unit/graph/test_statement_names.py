"""The statements that Python calls by name are there, and Python calls those that are there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import overstory
import overstory_systems
from overstory.graph.statements import statement_folder, statement_names

NAMES = frozenset(statement_names())
FOLDERS = sorted(path.name for path in statement_folder().iterdir() if path.is_dir())
NAME = re.compile(rf"(?:{'|'.join(FOLDERS)})(?:/[a-z0-9_]+)+")
ENDINGS = ("_index", "_exact", "_alternate")
"""Python adds these to the name of a statement that exists in two forms."""

DOING = ("reading", "query_current_corpus", "opened", "run_own")
"""Functions that take such a name for what a transaction does, of which there need be no statement."""

PACKAGES = (overstory, overstory_systems)
SOURCES = sorted(file for package in PACKAGES for file in Path(str(package.__file__)).parent.rglob("*.py"))


def constants(tree: ast.AST) -> Iterator[str]:
    """The texts in a file, without those that only say what a transaction does."""
    doing = {
        id(argument)
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and _called(call) in DOING
        for argument in call.args[:2]
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in doing:
            yield node.value


def _called(call: ast.Call) -> str:
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def beginnings(tree: ast.AST) -> set[str]:
    """What the f-strings of a file begin with, such as `f"export/{statement}"`."""
    joined = (node.values[0] for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) and node.values)
    return {first.value for first in joined if isinstance(first, ast.Constant) and isinstance(first.value, str)}


def made(tree: ast.AST) -> Iterator[str]:
    """Names, and beginnings of names that end in "_", that f-strings of a file make of its texts."""
    parts = beginnings(tree)
    ends = {*constants(tree), *(part for part in parts if re.fullmatch(r"[a-z_]+_", part))}
    for part in parts:
        if NAME.fullmatch(f"{part}x"):
            yield from (part + end for end in ends)


def are_there(name: str) -> bool:
    return name in NAMES or any(f"{name}{ending}" in NAMES for ending in ENDINGS)


def test_every_name_of_a_statement_in_python_is_a_file() -> None:
    named = {
        f"{path.name}: {text}"
        for path in SOURCES
        for text in constants(ast.parse(path.read_text(encoding="utf-8")))
        if NAME.fullmatch(text) and not are_there(text)
    }
    assert named == set()


def test_every_statement_is_called_by_python() -> None:
    called: set[str] = set()
    for path in SOURCES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        called |= {*constants(tree), *made(tree)}
    begun = tuple(name for name in called if NAME.fullmatch(name) and name.endswith("_"))
    # Those of Neo4j Browser are found by their folder.
    own = [name for name in NAMES if "saved_queries" not in name and not name.startswith(begun)]
    forms = {name: {name, *(name.removesuffix(ending) for ending in ENDINGS)} for name in own}
    assert [name for name, spelt in forms.items() if not spelt & called] == []


def test_a_name_without_a_file_would_be_noticed() -> None:
    tree = ast.parse('tx.run("ingest/write_nothing"); graph.reading("retrieve/nothing", work); f"export/{name}x"')
    assert list(constants(tree)) == ["ingest/write_nothing", "export/", "x"]
    assert NAME.fullmatch("ingest/write_nothing")
    assert not are_there("ingest/write_nothing")
    assert set(made(tree)) == {"export/ingest/write_nothing", "export/export/", "export/x"}
