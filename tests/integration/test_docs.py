"""The Python and Cypher examples of README.md and docs/ do what they say. None is skipped."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import neo4j
import pytest
from tests.commands import environment, variables
from tests.passages import OpenCorpus
from tests.serving import serving

from overstory import server
from overstory.protocols import Embedder, Extractor
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


SERVICE = "localhost:8484"
"""Where examples find `overstory serve`."""
READ_FIRST = ("README", "docs/quickstart", "docs/python")
"""The pages whose examples `make test` runs, too."""
PYTHON, CYPHER = blocks("python"), blocks("cypher")
FIRST, *WITH_SERVER = [place for place, program in PYTHON.items() if "Knowledge(" in program]
WITH_SERVICE = [place for place, program in PYTHON.items() if SERVICE in program]
REQUESTS = {place: commands for place, commands in blocks("sh").items() if f"curl -s {SERVICE}" in commands}
WITHOUT_SERVER = [place for place in PYTHON if place not in (FIRST, *WITH_SERVER, *WITH_SERVICE)]


def lent(program: str, open_corpus: OpenCorpus) -> str:
    """Return the program with reused corpora instead of those it names."""
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
    [pytest.param(place, marks=() if place.startswith(READ_FIRST) else pytest.mark.slow) for place in WITH_SERVER],
)
def test_an_example_in_python_runs(
    place: str, open_corpus: OpenCorpus, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables(settings).items():
        monkeypatch.setenv(name, value)
    run(lent(PYTHON[place], open_corpus), tmp_path, monkeypatch)


@pytest.fixture
def address(
    open_corpus: OpenCorpus, settings: Settings, models: tuple[Embedder, Extractor], tmp_path: Path
) -> Iterator[tuple[str, str]]:
    """A service, and the name of a corpus of it, with the two texts of the examples."""
    (tmp_path / "dracula.md").write_text("Bram Stoker was an Irish author. He wrote the novel Dracula.")
    (tmp_path / "nosferatu.txt").write_text("Nosferatu is a silent film of 1922, based on the novel Dracula.")
    knowledge = open_corpus("notes")
    knowledge.ingest(tmp_path)
    knowledge.index()
    with serving(settings, models, tmp_path / "service") as running:
        yield running.url.removeprefix("http://"), knowledge.corpus_name


@pytest.mark.parametrize("place", WITH_SERVICE)
def test_an_example_in_python_that_asks_the_service_runs(
    place: str, address: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = PYTHON[place].replace(SERVICE, address[0])
    for quoted in ('"notes"', "/notes"):
        program = program.replace(quoted, quoted.replace("notes", address[1]))
    run(program, tmp_path, monkeypatch)


@pytest.mark.parametrize("place", REQUESTS)
def test_requests_by_curl_are_answered(place: str, address: tuple[str, str], tmp_path: Path) -> None:
    commands = REQUESTS[place].replace(SERVICE, address[0]).replace("/notes/", f"/{quote(address[1])}/")
    done = subprocess.run(
        ["bash", "-ec", commands.replace("curl -s", "curl --fail-with-body -s")],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "urn:overstory:problem" not in done.stdout


@pytest.mark.parametrize("place", WITHOUT_SERVER)
def test_an_example_in_python_that_needs_no_server_runs(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(PYTHON[place], tmp_path, monkeypatch)


@pytest.mark.slow
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
