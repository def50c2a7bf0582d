"""Find words that this project no longer uses, in docstrings, messages and pages.

    python scripts/check_prose.py            all pages, and the docstrings and messages of all packages
    python scripts/check_prose.py PATH…      these Python and Markdown files, and those below these folders

Readers stumbled over the words in `WORDS`, and over docstrings that begin with one of `BEGINNINGS`. Code in Markdown is
not checked, so a page can quote a word in backticks. Prompts and docstrings of pydantic models are not checked either:
they are sent to language models, whose cached answers depend on them.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

WORDS = re.compile(r"\b(told|lent|beside|(?<!all )(?<!each )(?<!many )(?<!most )(?<!some )of which)\b", re.IGNORECASE)
BEGINNINGS = re.compile(r"(What|Whether|Of|That)\b")
CHECKED = ("platform", "loaders", "scripts", "docs", "README.md", "CONTRIBUTING.md", "examples/README.md")
GENERATED = ("docs/cli.md",)
"""Pages written from docstrings, which are checked in the code."""
PROMPTS = "prompts"
"""Name of the folders with prompts."""
EXCEPTIONS = {
    "scripts/check_prose.py": {"told", "lent", "beside", "of which"},  # the list itself
    "platform/overstory/answer/support.py": {"told"},  # a list of verbs
}
"""Words that a file needs."""
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)


def main(arguments: list[str]) -> int:
    """Print each finding with its line. Return 1 if there is a finding, otherwise 0."""
    findings = [finding for path in _files(arguments or CHECKED) for finding in _check(path)]
    print("\n".join([*findings, f"Found {len(findings)}."]) if findings else "No abandoned word is in use.")
    return int(bool(findings))


def _files(names: Iterable[str]) -> Iterator[Path]:
    for path in map(Path, names):
        below = sorted(path.rglob("*")) if path.is_dir() else [path]
        for each in below:
            if each.suffix in (".py", ".md") and each.as_posix() not in GENERATED and PROMPTS not in each.parts:
                yield each


def _check(path: Path) -> Iterator[str]:
    source = path.read_text(encoding="utf-8")
    allowed = EXCEPTIONS.get(path.as_posix(), set[str]())
    for finding in (python if path.suffix == ".py" else markdown)(source):
        if finding.partition(": ")[2].lower() not in allowed:
            yield f"{path}:{finding}"


def markdown(text: str) -> Iterator[str]:
    """Yield the findings in a page, each as "line: word"."""
    prose = CODE.sub(lambda code: re.sub(r"[^\n]", " ", code[0]), text)
    yield from _words(prose, 1)


def python(source: str) -> Iterator[str]:
    """Yield the findings in the docstrings and other texts of a module, each as "line: word"."""
    tree = ast.parse(source)
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    sent = {id(each) for node in ast.walk(tree) if _is_model(node) for each in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in sent:
            if id(node) in docstrings and (beginning := BEGINNINGS.match(node.value)):
                yield f"{node.lineno}: a docstring begins with {beginning[0]}"
            if " " in node.value:
                yield from _words(node.value, node.lineno)


def _is_model(node: ast.AST) -> bool:
    return isinstance(node, ast.ClassDef) and any(
        isinstance(base, ast.Name) and base.id == "BaseModel" for base in node.bases
    )


def _words(text: str, first_line: int) -> Iterator[str]:
    for match in WORDS.finditer(text):
        yield f"{first_line + text.count(chr(10), 0, match.start())}: {match[0]}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
