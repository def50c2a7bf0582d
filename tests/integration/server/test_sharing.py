"""All processes of a user share one running server."""

from __future__ import annotations

import httpx
import neo4j
import pytest
from neo4j.exceptions import AuthError, ClientError

from overstory import server
from overstory.settings import Settings


@pytest.fixture
def driver(connection: server.Connection) -> neo4j.Driver:
    return neo4j.GraphDatabase.driver(connection.uri, auth=(connection.user, connection.password))


def test_asking_again_gives_the_same_server(settings: Settings, connection: server.Connection) -> None:
    assert server.ensure_running(settings) == connection
    assert server.status(settings).state == "running"


def test_nobody_gets_in_without_the_password(settings: Settings, connection: server.Connection) -> None:
    with neo4j.GraphDatabase.driver(connection.uri, auth=("neo4j", "neo4j")) as driver, pytest.raises(AuthError):
        driver.verify_connectivity()
    assert httpx.post(f"{connection.http_url}/db/neo4j/tx/commit", json={"statements": []}).status_code == 401
    assert server.password(settings) == connection.password


@pytest.mark.gds
def test_graph_data_science_projects_and_computes(driver: neo4j.Driver) -> None:
    project = (
        "UNWIND [[0, 1], [1, 2], [0, 2], [3, 4]] AS row "
        "WITH gds.graph.project('sharing', row[0], row[1], {}, {undirectedRelationshipTypes: ['*']}) AS made "
        "RETURN made.nodeCount AS nodes"
    )
    with driver:
        assert driver.execute_query(project).records[0]["nodes"] == 5
        found = driver.execute_query("CALL gds.leiden.stream('sharing') YIELD communityId RETURN communityId").records
        driver.execute_query("CALL gds.graph.drop('sharing', false) YIELD graphName RETURN graphName")
    assert len({record["communityId"] for record in found}) == 2


def test_browser_is_served_and_finds_its_database(connection: server.Connection) -> None:
    page = httpx.get(f"{connection.http_url}/browser/")
    assert page.status_code == 200
    assert "Neo4j Browser" in page.text
    discovered = httpx.get(connection.http_url, headers={"Accept": "application/json"}).json()
    assert discovered["bolt_direct"].rstrip("/") == connection.uri


def test_a_query_cannot_read_the_users_files(driver: neo4j.Driver) -> None:
    with driver, pytest.raises(ClientError, match="file"):
        driver.execute_query("LOAD CSV FROM 'file:///etc/passwd' AS row RETURN row")


def test_the_server_has_nothing_to_complain_about(settings: Settings, pytestconfig: pytest.Config) -> None:
    checks = {check.name: check for check in server.diagnose(settings).checks}
    newer = {"version"} if pytestconfig.getoption("--server-jars") else set[str]()  # no jars that doctor knows
    assert {check.name for check in checks.values() if not check.ok} == newer
    assert set(checks) >= {"java", "jars", "disk", "folder", "password", "ports", "server", "version"}
