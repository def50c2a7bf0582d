"""The modules of the distribution with their syntax trees, parsed once for all scripts and tests that need them."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]


class Module(NamedTuple):
    """A module of the distribution.

    Attributes:
        path: File below `platform/` or `loaders/`, such as `overstory/graph/client.py`.
    """

    path: Path
    text: str
    tree: ast.Module


def packages() -> dict[str, Path]:
    found = (init.parent for parent in ("platform", "loaders") for init in (ROOT / parent).glob("*/__init__.py"))
    return {package.name: package for package in sorted(found)}


def parsed_modules() -> list[Module]:
    """Parse all modules, package by package. The trees take about 160 MB."""
    return [
        Module(file.relative_to(package.parent), text, ast.parse(text))
        for package in packages().values()
        for file in sorted(package.rglob("*.py"))
        for text in [file.read_text(encoding="utf-8")]
    ]
