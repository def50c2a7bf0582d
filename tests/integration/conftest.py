"""One embedded Neo4j for the whole run: tests that need a real server ask for `settings`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from overstory import server
from overstory.settings import Places, ServerSettings, Settings


@pytest.fixture(scope="session")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """Settings that point at a running server with an empty graph, stopped and deleted when the run ends.

    Tests share the graph, so each uses a corpus name of its own. A run that is killed leaves a server behind for some
    minutes only.
    """
    chosen = Settings(
        places=Places(
            data=tmp_path_factory.mktemp("overstory"),
            cache=Settings.from_environment().places.cache,  # jars are fetched once for all runs
        ),
        server=ServerSettings(fast_start=True, idle_minutes=5),
    )
    server.ensure_running(chosen)
    yield chosen
    server.remove(chosen)


@pytest.fixture(scope="session")
def connection(settings: Settings) -> server.Connection:
    """How to reach the shared server with a driver of one's own."""
    return server.ensure_running(settings)


@pytest.fixture
def own_settings(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """Settings for a server of the test's own, not started yet: for tests that stop, freeze or kill it."""
    own = replace(settings, places=replace(settings.places, data=tmp_path_factory.mktemp("own")))
    yield own
    server.remove(own)
