"""What is written from the code (its rooms, its constants) is current, and a search for a name finds one."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import pytest
from scripts import draw_house, list_constants

ROOT = Path(__file__).parents[2]
IN_KEYS = {"FoundEntity", "FoundEntities"}
"""Classes whose name is part of a model's schema, and so of the key under which its paid answers are kept."""


def test_contributing_has_the_rooms_as_they_are() -> None:
    assert draw_house.main(["--check"]) == 0


def test_an_arrow_that_follows_from_others_is_left_out() -> None:
    rooms = {"cli": {"index", "graph"}, "index": {"graph"}, "graph": set[str]()}
    assert draw_house.arrows(rooms) == [("cli", "index"), ("index", "graph")]


def test_a_search_for_a_class_finds_one() -> None:
    modules = defaultdict[str, list[str]](list)
    for room in ("platform", "loaders"):
        for path in (ROOT / room).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ClassDef) and node.name not in IN_KEYS:
                    modules[node.name.lstrip("_")].append(str(path.relative_to(ROOT)))
    assert {name: paths for name, paths in modules.items() if len(paths) > 1} == {}


def test_the_page_of_constants_has_them_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    code = list_constants.main(["--check"])
    assert code == 0, capsys.readouterr().out


def test_a_search_for_a_constant_finds_one() -> None:
    modules = defaultdict[str, list[str]](list)
    for each in list_constants.constants():
        modules[each.name.lstrip("_")].append(str(each.module))
    assert len(modules) > 500
    assert {name: paths for name, paths in modules.items() if len(paths) > 1} == {}
