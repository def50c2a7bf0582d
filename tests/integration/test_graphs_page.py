"""The commands of docs/graphs.md do what the page says, on the graph of films as a user's nodes."""

from __future__ import annotations

import csv
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import LiteralString

import neo4j
import pytest
from tests.commands import Run
from tests.passages import OpenCorpus

from overstory import server
from overstory.examples import movie_graph

PAGE = (Path(__file__).parents[2] / "docs" / "graphs.md").read_text(encoding="utf-8")
FIRST, SECOND, PATH = (block.splitlines() for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL))


@pytest.fixture
def films(connection: server.Connection) -> Iterator[None]:
    """The films and people as nodes and relationships in the database of the corpora."""
    with neo4j.GraphDatabase.driver(connection.uri, auth=(connection.user, connection.password)) as driver:

        def run(statement: LiteralString, rows: list[dict[str, str]]) -> None:
            driver.execute_query(statement, rows=rows, database_="neo4j")

        run(
            "UNWIND $rows AS row CREATE (n:$(row[':LABEL'])) SET n.id = row[':ID'], n.title = row.title, "
            "n.text = nullif(row.text, '')",
            _rows("nodes.csv"),
        )
        run(
            "UNWIND $rows AS row MATCH (a:Film|Person {id: row[':START_ID']}), (b:Film {id: row[':END_ID']}) "
            "CREATE (a)-[r:$(row[':TYPE'])]->(b) SET r.roles = nullif(row['roles:string[]'], '')",
            _rows("edges.csv"),
        )
        yield
        run("MATCH (n:Film|Person) DETACH DELETE n", [])


def _rows(name: str) -> list[dict[str, str]]:
    with (movie_graph() / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.slow
@pytest.mark.usefixtures("films")
def test_a_graph_of_a_database_is_loaded_and_asked_in_five_commands(overstory: Run, open_corpus: OpenCorpus) -> None:
    corpus = open_corpus().corpus_name

    def run(line: str) -> str:
        program, *arguments = shlex.split(line)
        assert program == "overstory"
        ran = overstory(*(corpus if argument == "films" else argument for argument in arguments), "-q")
        assert ran.code == 0, ran.err
        return ran.out

    preview, ingested, _, found, answered = map(run, FIRST)
    assert "199 would be added" in preview
    assert "199 added" in ingested
    assert "270 links between documents." in ingested
    assert "The Martian" in found
    assert "[neo4j:Film#Film:The Martian]" in found
    assert "Matt Damon" in answered
    followed, listed, status = map(run, SECOND)
    assert "199 unchanged" in followed
    assert "were updated." in followed
    assert len(listed.splitlines()) == 5
    assert " links" in status
    (path,) = map(run, PATH)
    assert "ACTED_IN" in path
