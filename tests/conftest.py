"""One embedded Neo4j for the whole run: tests that need a real server ask for `settings`."""

from __future__ import annotations

import functools
import io
import logging
import os
import random
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import hypothesis
import pytest
from tests import cost
from tests.chat_endpoint import Endpoint, running_chat_endpoint
from tests.commands import Ran, Run, variables
from tests.lending import Lending, prepare_indexes
from tests.passages import PASSAGES, OpenCorpus
from tests.remembering import RememberingEmbedder

from overstory import server
from overstory.embed import make_embedder
from overstory.graph import GraphClient, schema
from overstory.index import removal
from overstory.index.stages import load
from overstory.knowledge import Knowledge
from overstory.protocols import Embedder, Extractor
from overstory.server.provision import GDS, ServerJars, parse
from overstory.settings import Places, ServerSettings, Settings
from overstory.sources import walk
from overstory.sources.reading_process import ReadingProcess
from overstory.systems import system_names
from overstory.text import make_extractor
from overstory.transfer import restore
from overstory_cli.main import run
from overstory_cli.options import LOGGED

SYSTEMS = system_names()
"""Without those of `tests/outside`, which some tests install."""

NEEDS_GDS = "hirag"
"""The system that is not built without Graph Data Science."""

START_SECONDS = 300.0
"""A machine with much other work starts the server slowly."""

# No clock over generated examples, for other tests run beside them; and what finds a fault says how to find it again.
hypothesis.settings.register_profile(
    "tests", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow], print_blob=True
)
hypothesis.settings.load_profile("tests")

# Whatever a user has set leads to another server, model or cache than the tests expect.
for variable in [name for name in os.environ if name.startswith("OVERSTORY_") and "_TEST_" not in name]:
    del os.environ[variable]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--server-jars", type=Path, metavar="FILE", help="lock list of another Neo4j than ours (scripts/lock_jars.py)"
    )
    parser.addoption("--cost", type=Path, metavar="FILE", help="write what each test cost (scripts/report_cost.py)")
    parser.addoption("--shuffle", type=int, metavar="SEED", help="modules in random order, and tests in each")
    parser.addoption("--fuzz-minutes", type=float, default=1, metavar="N", help="CPU minutes of random inputs")
    parser.addoption("--slow-share", metavar="N/M", help="only the slow tests of every Mth file")


def pytest_configure(config: pytest.Config) -> None:
    cost.install(config, config.getoption("--cost"))


@pytest.hookimpl(tryfirst=True)  # before -m chooses by the marks
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark tests by what they need, choose and order them.

    Tests that need Graph Data Science are skipped if the chosen jars lack it, as those of the newest Neo4j may. Tests
    that create or drop indexes run last, because the server then forgets the plans of all statements.
    """
    for item in items:
        if isinstance(item, pytest.Function) and {"settings", "jar_cache"} <= set(item.fixturenames):
            item.add_marker("server")
        if is_about(item, NEEDS_GDS):
            item.add_marker("gds")
        if item.get_closest_marker("gds") is not None and not has_gds(config):
            item.add_marker(pytest.mark.skip(reason="there is no Graph Data Science among the jars of this run"))
    share: str | None = config.getoption("--slow-share")
    if share is not None:
        _choose_slow(config, items, share)
    seed: int | None = config.getoption("--shuffle")
    if seed is not None:
        _shuffle(items, seed)
    items.sort(key=lambda item: item.get_closest_marker("changes_schema") is not None)  # the others keep their order


def _choose_slow(config: pytest.Config, items: list[pytest.Item], share: str) -> None:
    """Keep the slow tests of a share of the files: tests of a file share fixtures."""
    slow = [item for item in items if item.get_closest_marker("slow") is not None]
    first, step = map(int, share.split("/"))
    files = sorted({item.path for item in slow})[first % step :: step]
    chosen = [item for item in slow if item.path in files]
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = chosen


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A share of the slow tests may have none in the folders of this run."""
    if session.config.getoption("--slow-share") and session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
        session.exitstatus = pytest.ExitCode.OK


def _shuffle(items: list[pytest.Item], seed: int) -> None:
    """Put modules, and the tests in each, in random order; tests of a module share fixtures and stay together."""
    order = random.Random(seed)  # noqa: S311 # an order, no secret
    modules = sorted({item.path for item in items})
    order.shuffle(modules)
    order.shuffle(items)
    items.sort(key=lambda item: modules.index(item.path))


def is_about(item: pytest.Item, system: str) -> bool:
    """Return True if a test is in the folder of a system, or has the system ("hirag:layers=2") as parameter."""
    given = item.callspec.params.values() if isinstance(item, pytest.Function) and hasattr(item, "callspec") else ()
    return system in item.path.parts or any(str(each).partition(":")[0] == system for each in given)


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    """A command with -v, in the process of the tests, logs to what was standard error then."""
    logs = [logging.getLogger(package) for package in LOGGED]
    before = [(list(log.handlers), log.level) for log in logs]
    yield
    for log, (handlers, level) in zip(logs, before, strict=True):
        log.handlers[:] = handlers
        log.setLevel(level)


@pytest.fixture(scope="session", autouse=True)
def shared_reading_processes() -> Iterator[None]:
    """Runs of a thread share the worker that reads their files, which takes .4 s to start."""
    local = threading.local()
    started: list[ReadingProcess] = []

    def process_of_run() -> AbstractContextManager[ReadingProcess]:
        if not hasattr(local, "process"):
            local.process = ReadingProcess()
            started.append(local.process)
        return nullcontext(local.process)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(walk, "process_of_run", process_of_run)
        yield
    for process in started:
        process.close()


@pytest.fixture(scope="session")
def jar_cache() -> Path:
    """The user's cache, which keeps Neo4j's jars between runs. Tests write nothing else there."""
    return Settings.from_environment().places.jar_cache


@pytest.fixture(scope="session")
def settings(
    tmp_path_factory: pytest.TempPathFactory, jar_cache: Path, pytestconfig: pytest.Config
) -> Iterator[Settings]:
    """Yield settings of a running server with an empty graph, which is stopped and deleted when the run ends.

    Tests share the graph, so each writes to its own corpora (`open_corpus`). A killed run leaves its server running for
    some minutes.
    """
    assert pytestconfig.option.markexpr != "not server", "asked for by name in a test: no parameter of it, no mark"
    home = tmp_path_factory.mktemp("overstory")
    chosen = Settings(
        places=Places(home, home / "cache", shared_cache=jar_cache),
        server=ServerSettings(fast_start=True, idle_minutes=5, start_seconds=START_SECONDS),
    )
    server.ensure_running(chosen, lock_list=other_jars(pytestconfig))
    measured(pytestconfig).watch(server.status(chosen).pid or 0)
    with measured(pytestconfig).preparing(), GraphClient.open(chosen) as graph:
        prepare_indexes(graph)
    yield chosen
    measured(pytestconfig).unwatch()
    server.remove(chosen)


def measured(config: pytest.Config) -> cost.Cost:
    """The plugin that measures this run."""
    plugin = config.pluginmanager.get_plugin("overstory-cost")
    assert isinstance(plugin, cost.Cost)
    return plugin


@functools.cache
def other_jars(config: pytest.Config) -> ServerJars | None:
    """The jars of `--server-jars`, None for our own."""
    file: Path | None = config.getoption("--server-jars")
    return None if file is None else parse(file.read_text(encoding="utf-8"))


def has_gds(config: pytest.Config) -> bool:
    jars = other_jars(config)
    return jars is None or any((jar.group, jar.artifact) == GDS for jar in jars.jars)


@pytest.fixture(scope="session")
def connection(settings: Settings) -> server.Connection:
    """Return the address of the shared server, for a driver of the test's own."""
    return server.ensure_running(settings)


@pytest.fixture(scope="session")
def models(settings: Settings) -> tuple[Embedder, Extractor]:
    """The default embedder and extractor, loaded once for the run."""
    return RememberingEmbedder(make_embedder(settings.embedding)), make_extractor(settings.extraction)


@pytest.fixture(scope="session")
def systems(pytestconfig: pytest.Config) -> list[str]:
    """The systems that can be built with the jars of this run."""
    return [system for system in SYSTEMS if system != NEEDS_GDS or has_gds(pytestconfig)]


@pytest.fixture(scope="session")
def shared_corpus(
    settings: Settings,
    models: tuple[Embedder, Extractor],
    systems: list[str],
    pytestconfig: pytest.Config,
) -> Iterator[Knowledge]:
    """A corpus of `tests.passages.PASSAGES`, indexed for all systems, that all tests may read and none may change."""
    with Knowledge("shared", settings=settings) as knowledge:
        knowledge.use(embedder=models[0], extractor=models[1])
        with measured(pytestconfig).preparing():
            knowledge.ingest_documents(PASSAGES)
            knowledge.index(systems=systems)
        yield knowledge


@pytest.fixture(scope="session")
def lending(settings: Settings, models: tuple[Embedder, Extractor]) -> Iterator[Lending]:
    """Corpora by fixed names, emptied after use."""
    with GraphClient.open(settings) as graph:
        yield Lending(settings, graph, *models)


@pytest.fixture
def open_corpus(lending: Lending) -> Iterator[OpenCorpus]:
    """Open corpora that no other test uses at the same time: `open_corpus()`, `open_corpus("second")`.

    Each is empty, but has a borrowed name.
    """
    with lending.opened() as open_one:
        yield open_one


@pytest.fixture(scope="module")
def open_module_corpus(lending: Lending) -> Iterator[OpenCorpus]:
    """As `open_corpus`, for corpora that the tests of a module share and only read."""
    with lending.opened("kept") as open_one:
        yield open_one


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    """A language model's, which answers as a test has it."""
    with running_chat_endpoint() as running:
        yield running


@pytest.fixture
def vector_index_from(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Return a function that sets the number of vectors from which on there is a vector index."""

    def begin(vectors: int) -> None:
        monkeypatch.setattr(schema, "VECTOR_INDEX_FROM", vectors)
        monkeypatch.setattr(schema, "_VECTOR_INDEX_DOWN_TO", min(vectors, schema._VECTOR_INDEX_DOWN_TO))

    return begin


@pytest.fixture
def removed_at_a_time(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Return a function that limits the chunks deleted per transaction."""

    def delete(chunks: int) -> None:
        monkeypatch.setattr(removal, "_REMOVED_CHUNKS_A_TRANSACTION", chunks)

    return delete


@pytest.fixture
def written_at_a_time(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Return a function that limits the chunks of a large document written per transaction, loaded or restored."""

    def write(chunks: int) -> None:
        monkeypatch.setattr(load, "WRITTEN_CHUNKS_A_TRANSACTION", chunks)
        monkeypatch.setattr(restore, "_RESTORED_CHUNKS_A_TRANSACTION", chunks)

    return write


@pytest.fixture
def overstory(settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command against the shared server."""
    for name, value in variables(settings).items():
        monkeypatch.setenv(name, value)

    def command(*arguments: str | Path, answer: str = "") -> Ran:
        if answer:
            monkeypatch.setattr("sys.stdin", io.StringIO(f"{answer}\n"))
        code = run(list(map(str, arguments)))
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return command
