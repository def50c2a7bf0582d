"""What is written from the code (its rooms, its constants) is current, and a search for a name finds one."""

from __future__ import annotations

import ast
import runpy
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
IN_KEYS = {"FoundEntity", "FoundEntities"}
"""Classes whose name is part of a model's schema, and so of the key under which its paid answers are kept."""


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "scripts" / "draw_house.py"))


def test_contributing_has_the_rooms_as_they_are(script: dict[str, Any]) -> None:
    assert script["main"](["--check"]) == 0


def test_an_arrow_that_follows_from_others_is_left_out(script: dict[str, Any]) -> None:
    rooms = {"cli": {"index", "graph"}, "index": {"graph"}, "graph": set[str]()}
    assert script["arrows"](rooms) == [("cli", "index"), ("index", "graph")]


def test_a_search_for_a_class_finds_one() -> None:
    modules = defaultdict[str, list[str]](list)
    for room in ("platform", "loaders"):
        for path in (ROOT / room).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ClassDef) and node.name not in IN_KEYS:
                    modules[node.name.lstrip("_")].append(str(path.relative_to(ROOT)))
    assert {name: paths for name, paths in modules.items() if len(paths) > 1} == {}


@pytest.fixture(scope="module")
def lister() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "scripts" / "list_constants.py"))


def test_the_page_of_constants_has_them_as_they_are(lister: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    code = lister["main"](["--check"])
    assert code == 0, capsys.readouterr().out


def test_a_search_for_a_constant_finds_one(lister: dict[str, Any]) -> None:
    modules = defaultdict[str, list[str]](list)
    for each in lister["constants"]():
        modules[each.name.lstrip("_")].append(str(each.module))
    assert len(modules) > 500
    assert {name: paths for name, paths in modules.items() if len(paths) > 1} == {}
