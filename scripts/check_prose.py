"""Find words that this project no longer uses, in docstrings, messages and pages.

    python scripts/check_prose.py            all pages, and the docstrings and messages of all packages
    python scripts/check_prose.py PATH…      these Python and Markdown files, and those below these folders

Readers stumbled over the words in `WORDS`, and over docstrings that begin with one of `BEGINNINGS`. Code in Markdown is
not checked, so a page can quote a word in backticks.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

WORDS = re.compile(r"\b(told|lent|beside|of which)\b", re.IGNORECASE)
BEGINNINGS = re.compile(r"(What|Whether|Of|That)\b")
CHECKED = ("platform", "loaders", "scripts", "docs", "README.md", "CONTRIBUTING.md", "examples/README.md")
GENERATED = ("docs/cli.md",)
"""Pages written from docstrings, which are checked where they stand."""
EXCEPTIONS: dict[str, str] = {
    "scripts/check_prose.py": "lists the words",
}
"""Files that need one of the words, with the reason: lists of English words, for example."""
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)


def main(arguments: list[str]) -> int:
    """Print each finding with its line. Return 1 if there is a finding, otherwise 0."""
    findings = [
        finding
        for path in _files(arguments or CHECKED)
        if path.as_posix() not in EXCEPTIONS
        for finding in _check(path)
    ]
    print("\n".join([*findings, f"Found {len(findings)}."]) if findings else "No abandoned word is in use.")
    return int(bool(findings))


def _files(names: Iterable[str]) -> Iterator[Path]:
    for path in map(Path, names):
        below = sorted(path.rglob("*")) if path.is_dir() else [path]
        yield from (each for each in below if each.suffix in (".py", ".md") and each.as_posix() not in GENERATED)


def _check(path: Path) -> Iterator[str]:
    source = path.read_text(encoding="utf-8")
    yield from (f"{path}:{finding}" for finding in (python if path.suffix == ".py" else markdown)(source))


def markdown(text: str) -> Iterator[str]:
    """Yield the findings in a page, each as "line: word"."""
    prose = CODE.sub(lambda code: re.sub(r"[^\n]", " ", code[0]), text)
    yield from _words(prose, 1)


def python(source: str) -> Iterator[str]:
    """Yield the findings in the docstrings and other texts of a module, each as "line: word"."""
    tree = ast.parse(source)
    docstrings = {
        id(node.value): node.value for node in ast.walk(tree) if isinstance(node, ast.Expr) and _is_text(node.value)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) in docstrings and (beginning := BEGINNINGS.match(node.value)):
                yield f"{node.lineno}: a docstring begins with {beginning[0]}"
            if " " in node.value:
                yield from _words(node.value, node.lineno)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _words(text: str, first_line: int) -> Iterator[str]:
    for match in WORDS.finditer(text):
        yield f"{first_line + text.count(chr(10), 0, match.start())}: {match[0]}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
