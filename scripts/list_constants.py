"""Lists the numbers that the code names, with what it says of them, into docs/constants.md.

python -m scripts.list_constants            write it
python -m scripts.list_constants --check    exit with 1 if it is not what would be written
"""

from __future__ import annotations

import ast
import itertools
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from scripts.parsed_modules import ROOT, Module, parsed_modules
from scripts.written_page import write_or_check

PAGE = ROOT / "docs" / "constants.md"
HEAD = """# Constants

The numbers that Overstory works with, room by room: limits, weights, thresholds, sizes of batches. They are not
settings. Most were measured or follow from others, and a corpus that was indexed with one value is not one that was
indexed with another. Each stands in the code beside what uses it, and under a name of its own: a search for the name
finds it and all of its uses.

What can be set is in the environment ([commands](cli.md#overstory) lists the variables) or belongs to a system or a
retriever ([`overstory systems`](cli.md#overstory-systems) lists these settings). A number that is not there is changed
in the code, and what was indexed before is indexed again.

This page is written by `scripts/list_constants.py`; do not edit it.
"""
_COMMENT = re.compile(r"#(?! ?(?:noqa|type:|pyright:)) ?(.+)")
_SENTENCE_END = re.compile(r"(?<=[^A-Z][.!?])\s+(?=[A-Z\"`(])|\s*$")
"""Not after an initial: "John F. Kennedy"."""


class Constant(NamedTuple):
    """A number that a module names."""

    name: str
    value: str
    module: Path
    what: str


def constants(modules: Iterable[Module]) -> list[Constant]:
    """All constants, by module, in the order of the code."""
    return [constant for module in modules for constant in _of_module(module)]


def _of_module(module: Module) -> Iterator[Constant]:
    lines = module.text.splitlines()
    numbers = set[str]()
    body = module.tree.body
    for statement, following in itertools.zip_longest(body, body[1:]):
        for name, value in _assigned(statement):
            if name.isupper() and _is_number(value, numbers):
                numbers.add(name)
                shown = ast.get_source_segment(module.text, value) or ""
                yield Constant(name, shown, module.path, _said(statement, following, lines))


def _assigned(statement: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    """The names that a statement gives values to, with these."""
    if isinstance(statement, ast.Assign):
        targets, value = statement.targets, statement.value
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        targets, value = [statement.target], statement.value
    else:
        return
    for target in targets:
        if isinstance(target, ast.Name):
            yield target.id, value
        elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            for each, part in zip(target.elts, value.elts, strict=True):
                if isinstance(each, ast.Name):
                    yield each.id, part


def _is_number(value: ast.expr, numbers: set[str]) -> bool:
    """Whether it is a number, or one that is computed from numbers and from constants of the same module."""
    if isinstance(value, ast.BinOp):
        return _is_number(value.left, numbers) and _is_number(value.right, numbers)
    if isinstance(value, ast.UnaryOp):
        return _is_number(value.operand, numbers)
    if isinstance(value, ast.Name):
        return value.id in numbers
    return isinstance(value, ast.Constant) and type(value.value) in (int, float)


def _said(statement: ast.stmt, following: ast.stmt | None, lines: list[str]) -> str:
    """What the code says of a constant, in one sentence: below it, on its line or above it."""
    said = ""
    if isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant):
        said = str(following.value.value)
    elif comment := _COMMENT.search(lines[(statement.end_lineno or statement.lineno) - 1]):
        said = comment[1]
    else:
        above = itertools.takewhile(lambda line: line.startswith("#"), reversed(lines[: statement.lineno - 1]))
        said = " ".join(comment[1] for line in reversed([*above]) if (comment := _COMMENT.match(line)))
    said = " ".join(said.split())
    end = _SENTENCE_END.search(said, len("Characters. "))  # a unit alone is not enough
    return (said[: end.start()] if end else said).removesuffix(".")


def page(constants: Iterable[Constant]) -> str:
    """The whole page: a table for each room, the modules named as within it."""
    rooms: dict[Path, list[Constant]] = {}
    for each in constants:
        rooms.setdefault(Path(*each.module.parts[: min(2, len(each.module.parts) - 1)]), []).append(each)
    return "\n".join([HEAD, *(_table(room, rooms[room]) for room in sorted(rooms))])


def _table(room: Path, found: list[Constant]) -> str:
    head = f"## {room.as_posix()}\n\n| name | value | module | what it is |\n| --- | --- | --- | --- |\n"
    return head + "".join(
        f"| `{each.name}` | `{each.value}` | `{each.module.relative_to(room).as_posix()}` | {_cell(each.what)} |\n"
        for each in found
    )


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def main(arguments: list[str], constants: Iterable[Constant]) -> int:
    """Write or check the page; return the exit code."""
    return write_or_check(PAGE, page(constants), arguments, "scripts.list_constants")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], constants(parsed_modules())))
