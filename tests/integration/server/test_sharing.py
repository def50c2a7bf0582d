"""What several processes of one user rely on: they share one server, and nobody notices who started it."""

from __future__ import annotations

import neo4j

from overstory import server
from overstory.settings import Settings


def test_asking_again_gives_the_same_server(settings: Settings, connection: server.Connection) -> None:
    assert server.ensure_running(settings) == connection
    assert server.status(settings).state == "running"


def test_the_server_brings_graph_data_science(connection: server.Connection) -> None:
    with neo4j.GraphDatabase.driver(connection.uri, auth=(connection.user, connection.password)) as driver:
        rows = driver.execute_query("RETURN gds.version() AS version").records
    assert rows[0]["version"] == "2.13.9"
