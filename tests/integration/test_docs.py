"""The Python and Cypher examples of README.md and docs/ do what they say. None is skipped."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import neo4j
import pytest
from _pytest.mark import ParameterSet

from overstory import server
from overstory.settings import Settings

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SECONDS = 120


def blocks(language: str) -> list[ParameterSet]:
    """The fenced blocks of a language, each named by its page and the line it begins on."""
    return [
        pytest.param(match[1], id=f"{page.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 2}")
        for page, text in ((page, page.read_text(encoding="utf-8")) for page in PAGES)
        for match in re.finditer(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    ]


@pytest.mark.parametrize("code", blocks("python"))
def test_an_example_in_python_runs_as_a_program_of_its_own(code: str, settings: Settings, tmp_path: Path) -> None:
    program = tmp_path / "example.py"
    program.write_text(code, encoding="utf-8")
    environment = os.environ | {
        "OVERSTORY_HOME": str(settings.places.data),
        "OVERSTORY_CACHE": str(settings.places.cache),
    }
    ran = subprocess.run(
        [sys.executable, "-W", "error", program.name],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize("statement", blocks("cypher"))
def test_an_example_in_cypher_is_understood(statement: str, connection: server.Connection) -> None:
    with neo4j.GraphDatabase.driver(connection.uri, auth=(connection.user, connection.password)) as driver:
        driver.execute_query(neo4j.Query(f"EXPLAIN {statement}"), database_="neo4j")  # pyright: ignore[reportArgumentType] # of a page


def test_every_page_is_reached_from_the_index() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    linked = set(re.findall(r"\]\(([\w-]+\.md)\)", index))
    assert linked == {page.name for page in PAGES[1:]} - {"index.md"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_of_a_page_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)(?:#[\w-]*)?\)", page.read_text(encoding="utf-8"))
    missing = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert not missing
