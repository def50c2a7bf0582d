"""Every statement is understood by a real Neo4j, and says what it is for."""

from __future__ import annotations

import re
from collections.abc import Iterator

import neo4j
import pytest
from tests.packages import OUTSIDE

from overstory import server
from overstory.graph.statements import add_statements, statement, statement_names

LABEL = "Corpus_0123456789abcdef"
KIND = f"{LABEL}_SlimEntity_A"
SCHEMA_COMMAND = re.compile(r"^(CREATE|DROP|SHOW)\b", re.MULTILINE)


def added(system: str) -> list[str]:
    """The statements of a system in a package of its own, which are held to the same."""
    folder = OUTSIDE / f"overstory_{system}" / "cypher"
    add_statements(f"systems/{system}", folder)
    return [f"systems/{system}/{path.stem}" for path in sorted(folder.glob("*.cypher"))]


NAMES = [*statement_names(), *added("pagerank"), *added("toy")]


def whole(name: str) -> str:
    """The text of a statement, over a corpus or over one kind of its nodes."""
    try:
        return statement(name, LABEL)
    except ValueError:
        return statement(name, KIND)


@pytest.mark.parametrize("name", NAMES)
def test_a_statement_says_what_it_is_for_what_it_takes_and_what_it_gives(name: str) -> None:
    lines = whole(name).splitlines()
    header = [line for line in lines if line.startswith("//")]
    assert header[0].removeprefix("//").strip()
    assert any(line.startswith("// Parameters:") for line in header)
    assert any(line.startswith("// Rows:") for line in header)


@pytest.fixture(scope="module")
def session(connection: server.Connection) -> Iterator[neo4j.Session]:
    with (
        neo4j.GraphDatabase.driver(connection.uri, auth=(connection.user, connection.password)) as driver,
        driver.session(database="neo4j") as session,
    ):
        yield session


@pytest.mark.parametrize("name", [n for n in NAMES if not SCHEMA_COMMAND.search(whole(n))])
def test_the_server_understands_a_statement(name: str, session: neo4j.Session) -> None:
    text = whole(name)
    parameters = dict.fromkeys(re.findall(r"\$(\w+)", text))
    session.run("EXPLAIN " + text, parameters).consume()  # pyright: ignore[reportArgumentType] # read from a file


def test_a_statement_of_a_corpus_takes_no_other_text_for_its_label() -> None:
    with pytest.raises(ValueError, match="corpus label"):
        statement("corpus/counts", "Corpus_0123456789abcdef) DETACH DELETE (n")


@pytest.mark.parametrize(
    "label",
    [
        None,
        LABEL,
        f"{LABEL}_",
        f"{LABEL}_entity",
        f"{LABEL}_Entity_C",
        f"{LABEL}_Entity_A_B",
        f"{LABEL}_Entity2",
        f"{LABEL}_Entité",
        f"{LABEL}_Entity\n",
        f"{LABEL}_Entity) ON (n.id) //",
        "Overstory_Entity",
    ],
)
def test_a_statement_over_a_kind_of_nodes_takes_no_other_text_for_its_label(label: str | None) -> None:
    with pytest.raises(ValueError, match="label of one kind of nodes"):
        statement("schema/vector_index", label)


@pytest.mark.parametrize("kind", ["SlimEntity", "SlimEntity_A", "SlimEntity_B"])
def test_a_statement_over_a_kind_of_nodes_names_it(kind: str) -> None:
    assert f"FOR (n:{LABEL}_{kind})" in statement("schema/vector_index", f"{LABEL}_{kind}")


@pytest.mark.parametrize("name", ["relate", "unrelate", "remove"])
def test_what_writes_the_nodes_of_every_system_finds_them_by_id(name: str, session: neo4j.Session) -> None:
    schema = "CREATE CONSTRAINT overstory_id IF NOT EXISTS FOR (n:Overstory) REQUIRE n.id IS UNIQUE"
    session.run(schema).consume()
    text = statement(f"systems/store/{name}", LABEL)
    rows = [{"source": "a", "target": "b", "id": "a", "properties": {}}]
    summary = session.run("EXPLAIN " + text, rows=rows, type="LINKED").consume()  # pyright: ignore[reportArgumentType] # read from a file
    plan = str(summary.plan)
    assert "NodeUniqueIndexSeek" in plan
    assert "Scan" not in plan
