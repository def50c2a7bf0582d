"""One embedded Neo4j for the whole run: tests that need a real server ask for `settings`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from overstory import server
from overstory.settings import Places, ServerSettings, Settings


@pytest.fixture(scope="session")
def jar_cache() -> Path:
    """The user's own cache, so that jars are fetched once for all runs."""
    return Settings.from_environment().places.cache


@pytest.fixture(scope="session")
def settings(tmp_path_factory: pytest.TempPathFactory, jar_cache: Path) -> Iterator[Settings]:
    """Settings that point at a running server with an empty graph, stopped and deleted when the run ends.

    Tests share the graph, so each uses a corpus name of its own. A run that is killed leaves a server behind for some
    minutes only.
    """
    chosen = Settings(
        places=Places(data=tmp_path_factory.mktemp("overstory"), cache=jar_cache),
        server=ServerSettings(fast_start=True, idle_minutes=5),
    )
    server.ensure_running(chosen)
    yield chosen
    server.remove(chosen)


@pytest.fixture(scope="session")
def connection(settings: Settings) -> server.Connection:
    """How to reach the shared server with a driver of one's own."""
    return server.ensure_running(settings)
