"""The picture of the code in CONTRIBUTING is drawn from the code."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "scripts" / "draw_house.py"))


def test_contributing_has_the_rooms_as_they_are(script: dict[str, Any]) -> None:
    assert script["main"](["--check"]) == 0


def test_an_arrow_that_follows_from_others_is_left_out(script: dict[str, Any]) -> None:
    rooms = {"cli": {"index", "graph"}, "index": {"graph"}, "graph": set[str]()}
    assert script["arrows"](rooms) == [("cli", "index"), ("index", "graph")]
