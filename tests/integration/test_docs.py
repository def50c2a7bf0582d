"""The Python and Cypher examples of README.md and docs/ do what they say. None is skipped."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import neo4j
import pytest
from tests.commands import environment, variables
from tests.lending import empty

from overstory import server
from overstory.graph import GraphClient, list_corpora
from overstory.settings import Settings

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SECONDS = 120


def blocks(language: str) -> dict[str, str]:
    """The fenced blocks of a language, by their page and the line they begin on."""
    found: dict[str, str] = {}
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for match in re.finditer(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            line = text.count("\n", 0, match.start()) + 2
            found[f"{page.relative_to(ROOT)}:{line}"] = match[1]
    return found


PYTHON, CYPHER = blocks("python"), blocks("cypher")
WITH_SERVER = [place for place, program in PYTHON.items() if "Knowledge(" in program]
WITHOUT_SERVER = [place for place in PYTHON if place not in WITH_SERVER]


@pytest.fixture
def tidy(settings: Settings) -> Iterator[None]:
    """Empties the corpora that an example made; several examples use one name."""
    with GraphClient.open(settings) as graph:
        before = {size.corpus.name for size in list_corpora(graph)}
        yield
        empty(graph, {size.corpus.name for size in list_corpora(graph)} - before)


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], object]:
    """Runs an example in an empty folder, in a namespace of its own. Warnings are errors, as in all tests."""

    def run(place: str) -> object:
        program = tmp_path / "example.py"
        program.write_text(PYTHON[place], encoding="utf-8")
        monkeypatch.chdir(tmp_path)
        return runpy.run_path(str(program), run_name="__main__")

    return run


@pytest.mark.usefixtures("tidy")
@pytest.mark.parametrize("place", WITH_SERVER)
def test_an_example_in_python_runs(
    place: str, example: Callable[[str], object], settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables(settings).items():
        monkeypatch.setenv(name, value)
    example(place)


@pytest.mark.parametrize("place", WITHOUT_SERVER)
def test_an_example_in_python_that_needs_no_server_runs(place: str, example: Callable[[str], object]) -> None:
    example(place)


@pytest.mark.usefixtures("tidy")
def test_the_first_example_runs_as_a_program_of_its_own(settings: Settings, tmp_path: Path) -> None:
    program = tmp_path / "example.py"
    program.write_text(next(iter(PYTHON.values())), encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-W", "error", program.name],
        cwd=tmp_path,
        env=environment(settings),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize("place", list(CYPHER))
def test_an_example_in_cypher_is_understood(place: str, connection: server.Connection) -> None:
    statement = neo4j.Query(f"EXPLAIN {CYPHER[place]}")  # pyright: ignore[reportArgumentType] # text of a page
    with neo4j.GraphDatabase.driver(connection.uri, auth=(connection.user, connection.password)) as driver:
        driver.execute_query(statement, database_="neo4j")


def test_every_page_is_reached_from_the_index() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    linked = set(re.findall(r"\]\(([\w-]+\.md)\)", index))
    assert linked == {page.name for page in PAGES[1:]} - {"index.md"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_of_a_page_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)(?:#[\w-]*)?\)", page.read_text(encoding="utf-8"))
    missing = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert not missing
