"""One embedded Neo4j for the whole run: tests that need a real server ask for `settings`."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import hypothesis
import pytest
from tests.passages import PASSAGES, OpenCorpus

from overstory import server
from overstory.embed import make_embedder
from overstory.errors import CorpusNotFound
from overstory.knowledge import Knowledge
from overstory.protocols import Embedder, Extractor
from overstory.settings import Places, ServerSettings, Settings
from overstory.systems import system_names
from overstory.text import make_extractor

# No clock over generated examples, for other tests run beside them; and what finds a fault says how to find it again.
hypothesis.settings.register_profile("tests", deadline=None, print_blob=True)
hypothesis.settings.load_profile("tests")


@pytest.hookimpl(tryfirst=True)  # before -m chooses by the marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks what asks for the server that is shared, not for one of its own; `make test` runs the rest beside it."""
    for item in items:
        if isinstance(item, pytest.Function) and {"settings", "jar_cache"} <= set(item.fixturenames):
            item.add_marker("server")


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


@pytest.fixture(scope="session")
def models(settings: Settings) -> tuple[Embedder, Extractor]:
    """The default embedder and extractor, loaded once for the run."""
    return make_embedder(settings.embedding), make_extractor(settings.extraction)


@pytest.fixture(scope="session")
def shared_corpus(settings: Settings, models: tuple[Embedder, Extractor]) -> Iterator[Knowledge]:
    """A corpus of `tests.passages.PASSAGES`, indexed for all systems, that all tests may read and none may change."""
    with Knowledge("shared", settings=settings) as knowledge:
        knowledge.use(embedder=models[0], extractor=models[1])
        knowledge.ingest_documents(PASSAGES)
        knowledge.index(systems=system_names())
        yield knowledge


@pytest.fixture
def open_corpus(settings: Settings, models: tuple[Embedder, Extractor]) -> Iterator[OpenCorpus]:
    """Opens corpora of the test's own, which are deleted when it ends: `open_corpus()`, `open_corpus("second")`."""
    opened: list[Knowledge] = []
    run = uuid.uuid4().hex[:8]

    def open_one(name: str = "corpus", *, embedder: Embedder | None = None) -> Knowledge:
        knowledge = Knowledge(f"{name}-{run}", settings=settings)
        knowledge.use(embedder=embedder or models[0], extractor=models[1])
        opened.append(knowledge)
        return knowledge

    yield open_one
    for knowledge in opened:
        with suppress(CorpusNotFound):
            knowledge.delete_corpus()
        knowledge.close()
