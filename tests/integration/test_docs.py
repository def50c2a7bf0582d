"""The Python and Cypher examples of README.md and docs/ do what they say. None is skipped."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path

import neo4j
import pytest
from tests.commands import environment, variables
from tests.passages import OpenCorpus

from overstory import server
from overstory.settings import Settings

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SECONDS = 300


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
FIRST, *WITH_SERVER = [place for place, program in PYTHON.items() if "Knowledge(" in program]
WITHOUT_SERVER = [place for place in PYTHON if place not in (FIRST, *WITH_SERVER)]


def lent(program: str, open_corpus: OpenCorpus) -> str:
    """The program with lent corpora in place of those that it names."""
    names = set(re.findall(r'Knowledge\("([^"]+)"', program))
    assert names, "an example names its corpus, so that another can be lent"
    for name in names:
        program = program.replace(f'"{name}"', f'"{open_corpus(name).corpus_name}"')
    return program


def run(program: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs an example in an empty folder, in a namespace of its own. Warnings are errors, as in all tests."""
    file = folder / "example.py"
    file.write_text(program, encoding="utf-8")
    monkeypatch.chdir(folder)
    runpy.run_path(str(file), run_name="__main__")


@pytest.mark.parametrize(
    "place",
    [
        pytest.param(place, marks=[pytest.mark.changes_schema] if "slimrag" in PYTHON[place] else [])
        for place in WITH_SERVER
    ],
)
def test_an_example_in_python_runs(
    place: str, open_corpus: OpenCorpus, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables(settings).items():
        monkeypatch.setenv(name, value)
    run(lent(PYTHON[place], open_corpus), tmp_path, monkeypatch)


@pytest.mark.parametrize("place", WITHOUT_SERVER)
def test_an_example_in_python_that_needs_no_server_runs(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(PYTHON[place], tmp_path, monkeypatch)


def test_the_first_example_runs_as_a_program_of_its_own(
    open_corpus: OpenCorpus, settings: Settings, tmp_path: Path
) -> None:
    program = tmp_path / "example.py"
    program.write_text(lent(PYTHON[FIRST], open_corpus), encoding="utf-8")
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
    linked = set(re.findall(r"\]\(([\w/-]+\.md)\)", index))
    assert linked == {page.relative_to(ROOT / "docs").as_posix() for page in PAGES[1:]} - {"index.md"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_of_a_page_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)(?:#[\w-]*)?\)", page.read_text(encoding="utf-8"))
    missing = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert not missing
