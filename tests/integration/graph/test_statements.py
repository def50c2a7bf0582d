"""Every statement has a header, and a real Neo4j understands it.

Tests run nearly all statements; the server plans the others here. `make test` fails if one is neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import neo4j
import pytest
from tests.packages import OUTSIDE

from overstory import server
from overstory.graph.schema import PROPERTIES, derived_index, vector_index_name
from overstory.graph.statements import (
    OLDEST,
    add_statements,
    statement,
    statement_names,
    version_tuple,
    with_index_names,
)

LABEL = "Corpus_0123456789abcdef"
KIND = f"{LABEL}_SlimEntity_A"
SCHEMA_COMMAND = re.compile(r"^(CREATE|DROP|SHOW)\b", re.MULTILINE)


def added(system: str) -> list[str]:
    """The statements of a system in a package of its own, which are held to the same."""
    folder = OUTSIDE / f"overstory_{system}" / "cypher"
    add_statements(folder)
    text = (folder / f"{system}.cypher").read_text(encoding="utf-8")
    return re.findall(r"^// -- (.+)$", text, re.MULTILINE)


NAMES = [*statement_names(), *added("pagerank"), *added("toy")]
NEWER = (2026, 4)
"""From here on some statements have another form."""
VECTOR_PROCEDURE = "db.index.vector.queryNodes"
PLANNED = frozenset(
    [
        *added("pagerank"),
        *added("toy"),
        "ingest/count_part",
        "ingest/mark_all_folders",
        "ingest/mark_languages_unread",
        "ingest/write_pages",
        "ingest/write_sections",
        "retrieve/among_index",
        "retrieve/words_among",
        "schema/passage_vector_index_alternate",
        "systems/apr/candidates_index",
        "systems/apr/merging/near",
        "systems/apr/merging/unmerged",
        "systems/apr/merging/vectors",
        "systems/apr/texts",
        "systems/hirag/nearest_index",
        "systems/hirag/stored_entities",
        "systems/hirag/stored_relations",
        "systems/serag/nearest_index",
        "systems/serag/part",
        "systems/serag/write_similar",
        "systems/slimrag/candidates_index",
        "systems/stands_on",
        "systems/tree/stored_reports",
        "vectors/missed",
        "vectors/sample",
    ]
)
"""Statements that no test of `make test` runs."""


def whole(name: str, server: tuple[int, ...] = OLDEST) -> str:
    """The text of a statement, over a corpus or over one kind of its nodes."""
    try:
        return statement(name, LABEL, server)
    except ValueError:
        return statement(name, KIND, server)


TWO_FORMS = [name for name in NAMES if whole(name) != whole(name, NEWER)]


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


def assert_understood(text: str, session: neo4j.Session) -> None:
    """The server plans the statement, and says of nothing in it that it will go."""
    parameters = dict.fromkeys(re.findall(r"\$(\w+)", text))
    summary = session.run("EXPLAIN " + text, parameters).consume()  # pyright: ignore[reportArgumentType] # read from a file
    deprecated = neo4j.NotificationClassification.DEPRECATION
    assert [each.status_description for each in summary.gql_status_objects if each.classification == deprecated] == []


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.gds if name.startswith("gds/") and name != "gds/heap" else ())
        for name in sorted(PLANNED)
        if not SCHEMA_COMMAND.search(whole(name))
    ],
)
def test_the_server_understands_a_statement_that_no_other_test_runs(name: str, session: neo4j.Session) -> None:
    assert_understood(whole(name), session)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMES if re.search(r"\$corpus\b", whole(name))])
def test_what_serves_all_corpora_reads_the_nodes_of_one(name: str, session: neo4j.Session) -> None:
    text = whole(name)
    parameters = dict.fromkeys(re.findall(r"\$(\w+)", text))
    plan = session.run("EXPLAIN " + text, parameters).consume().plan  # pyright: ignore[reportArgumentType] # read from a file
    assert plan is not None
    assert [detail for detail in scans(plan) if ":IndexSet" not in detail and LABEL not in detail] == []


def scans(plan: dict[str, Any]) -> Iterator[str]:
    """Operators of a plan that read by labels or types alone."""
    if "Scan" in plan["operatorType"] and "Index" not in plan["operatorType"]:
        yield f"{plan['operatorType']} {plan['args'].get('Details')}"
    for below in plan.get("children", []):
        yield from scans(below)


@pytest.mark.changes_schema
def test_a_newer_server_understands_the_newer_form_of_a_statement(session: neo4j.Session) -> None:
    (version,) = session.run(statement("schema/server_version")).value("version")  # pyright: ignore[reportArgumentType] # read from a file
    if version_tuple(version) < NEWER:
        pytest.skip(f"Neo4j {version} has no such clause; make test-newest has one that does")
    name = derived_index(LABEL, "SlimEntity", "A")
    session.run(statement("schema/vector_index", KIND), name=name, dimension=2).consume()  # pyright: ignore[reportArgumentType] # read from a file
    for each in TWO_FORMS:
        text = with_index_names(whole(each, NEWER), {"index": name, "vector_index": name})
        assert_understood(text, session)
    session.run(statement("schema/drop_index"), name=name).consume()  # pyright: ignore[reportArgumentType] # read from a file


@pytest.mark.parametrize("name", TWO_FORMS)
def test_what_asks_a_vector_index_does_so_by_the_clause_where_the_server_has_it(name: str) -> None:
    older, newer = whole(name, (2026, 3, 1)), whole(name, (2026, 4, 0))
    assert older == whole(name)
    assert VECTOR_PROCEDURE in older
    assert " SEARCH " not in older
    assert newer.startswith("CYPHER 25\n")
    assert VECTOR_PROCEDURE not in newer
    assert re.search(r"VECTOR INDEX \{\{\$(vector_)?index\}\} FOR", newer)


def test_every_statement_that_asks_a_vector_index_has_both_forms() -> None:
    assert [name for name in NAMES if VECTOR_PROCEDURE in whole(name, NEWER) or "// since:" in whole(name, NEWER)] == []
    assert len(TWO_FORMS) >= 9


@pytest.mark.parametrize(
    "name",
    [
        *(vector_index_name(LABEL, each) for each in PROPERTIES),
        derived_index(LABEL, "Report"),
        derived_index(LABEL, "SlimEntity", "B"),
    ],
)
def test_the_name_of_a_vector_index_is_written_into_a_statement(name: str) -> None:
    assert with_index_names("(VECTOR INDEX {{$index}} FOR", {"index": name}) == f"(VECTOR INDEX {name} FOR"


@pytest.mark.parametrize(
    "name", [None, "", "overstory_vector", f"overstory_words_{LABEL}", f"overstory_vector_{LABEL} FOR $x LIMIT 1) //"]
)
def test_no_other_text_is_written_into_a_statement_for_the_name_of_an_index(name: str | None) -> None:
    with pytest.raises(ValueError, match="name of a vector index"):
        with_index_names("(VECTOR INDEX {{$index}} FOR", {"index": name})


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


@pytest.mark.usefixtures("lending")  # which creates the constraint
@pytest.mark.parametrize("name", ["insert", "relate", "unrelate", "remove"])
def test_what_writes_the_nodes_of_every_system_finds_them_by_id(name: str, session: neo4j.Session) -> None:
    text = statement(f"systems/store/{name}", LABEL)
    rows = [{"source": "a", "target": "b", "id": "a", "properties": {}}]
    parameters = {"rows": rows, "type": "LINKED", "labels": ["SlimEntity"], "corpus": LABEL}
    summary = session.run("EXPLAIN " + text, parameters).consume()  # pyright: ignore[reportArgumentType] # read from a file
    plan = str(summary.plan)
    assert "NodeUniqueIndexSeek" in plan
    assert "Scan" not in plan
