"""Shards written by a Ray cluster whose actors, node or driver die have the same bytes each time."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.commands import variables

from overstory.errors import ModelError, SettingsError
from overstory.knowledge import Knowledge
from overstory.progress import Step
from overstory.settings import Places, Settings
from overstory.transfer import staged_folder

ray: Any = pytest.importorskip("ray", reason="make test-ray")
cluster_utils: Any = pytest.importorskip("ray.cluster_utils", reason="make test-ray")
KILLS = int(os.environ.get("OVERSTORY_TEST_KILLS", "3"))
"""Actors that are killed in a run."""
DOCUMENTS = 40 * KILLS


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two nodes with a processor each; one of them has the driver."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_AUTH_MODE", "disabled")  # else a token is made, and kept in the home folder
        node = {"num_cpus": 1, "object_store_memory": 100_000_000}
        cluster: Any = cluster_utils.Cluster(initialize_head=True, head_node_args=node | {"include_dashboard": False})
        cluster.add_node(**node)
        patch.setenv("RAY_ADDRESS", cluster.address)
        yield cluster
        ray.shutdown()
        cluster.shutdown()


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs")
    for number in range(DOCUMENTS):
        (folder / f"p{number}.md").write_text(f"# Page {number}\n\nAda Stone{number} lives in Bern. Bob likes it.\n")
    return folder


@pytest.fixture(autouse=True)
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staged_folder, "_MOST_DOCUMENTS_A_SHARD", 5)


Stager = Callable[..., Knowledge]


@pytest.fixture
def stager(tmp_path: Path) -> Iterator[Stager]:
    opened: list[Knowledge] = []

    def open_one(progress: Callable[[Step], object] | None = None) -> Knowledge:
        settings = Settings(places=Places(tmp_path / "home", tmp_path / "cache"))
        opened.append(Knowledge("staged", uri="bolt://127.0.0.1:9", settings=settings, progress=progress))
        return opened[-1]

    yield open_one
    for each in opened:
        each.close()


@pytest.fixture(scope="module")
def whole(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return the files that this process writes."""
    out = tmp_path_factory.mktemp("whole") / "out"
    with pytest.MonkeyPatch.context() as patch, Knowledge("staged", uri="bolt://127.0.0.1:9") as knowledge:
        patch.setattr(staged_folder, "_MOST_DOCUMENTS_A_SHARD", 5)
        knowledge.stage(sources, out)
    return files(out)


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def actors() -> list[psutil.Process]:
    found: list[psutil.Process] = []
    for each in psutil.process_iter():
        with suppress(psutil.Error):
            if each.uids().real == os.getuid() and any(word.startswith("ray::StageWorker") for word in each.cmdline()):
                found.append(each)
    return found


@pytest.mark.usefixtures("cluster")
def test_actors_write_what_this_process_does(
    stager: Stager, sources: Path, whole: dict[str, bytes], tmp_path: Path
) -> None:
    report = stager().stage(sources, tmp_path / "out", on="ray")
    assert (report.documents, report.written) == (DOCUMENTS, len(whole) - 1)
    assert files(tmp_path / "out") == whole
    assert not ray.is_initialized()


@pytest.mark.usefixtures("cluster")
def test_actors_that_are_killed_at_random_change_nothing(
    stager: Stager, sources: Path, whole: dict[str, bytes], tmp_path: Path
) -> None:
    chance, killed = random.Random(5), set[int]()  # noqa: S311 # which one dies

    def kill_one(step: Step) -> None:
        if step.done and len(killed) < KILLS and chance.random() < 0.5 and (running := actors()):
            victim = chance.choice(running)
            killed.add(victim.pid)
            with suppress(psutil.Error):
                victim.kill()

    stager(kill_one).stage(sources, tmp_path / "out", on="ray")
    assert len(killed) > KILLS // 2  # some may be starting when one is to die
    assert files(tmp_path / "out") == whole


def test_a_node_that_is_lost_loses_no_shard(
    cluster: Any, stager: Stager, sources: Path, whole: dict[str, bytes], tmp_path: Path
) -> None:
    lost: list[Any] = []

    def lose_a_node(step: Step) -> None:
        if step.done > 20 and not lost:
            lost.append(cluster.list_all_nodes()[-1])
            cluster.remove_node(lost[0], allow_graceful=False)

    stager(lose_a_node).stage(sources, tmp_path / "out", on="ray", workers=2)
    assert lost
    assert files(tmp_path / "out") == whole


@pytest.mark.usefixtures("cluster")
def test_a_driver_that_is_killed_is_started_again_and_goes_on(
    stager: Stager, sources: Path, tmp_path: Path, whole: dict[str, bytes]
) -> None:
    out = tmp_path / "out"
    script = "from overstory.transfer import staged_folder; staged_folder._MOST_DOCUMENTS_A_SHARD = 5; "
    script += (
        f"from overstory.knowledge import Knowledge; Knowledge('s').stage({str(sources)!r}, {str(out)!r}, on='ray')"
    )
    home = variables(Settings(places=Places(tmp_path / "home", tmp_path / "cache")))
    driver = subprocess.Popen([sys.executable, "-c", script], env=os.environ | home)
    deadline = time.monotonic() + 300
    while len(list(out.glob("shard-*.jsonl"))) < 3 and driver.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    assert not (out / staged_folder.MANIFEST).read_text().count("true")
    report = stager().stage(sources, out, on="ray")
    assert report.kept >= 3
    assert files(out) == whole


@pytest.mark.usefixtures("cluster")
def test_what_cannot_run_is_said(stager: Stager, sources: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="'spark' is not a Ray cluster"):
        stager().stage(sources, tmp_path / "out", on="spark")
    with pytest.raises(SettingsError, match="No machine in the cluster has 3 processors"):
        stager().stage(sources, tmp_path / "out", on="ray", worker_cpus=3)
    (tmp_path / "other").mkdir()
    knowledge = stager()
    knowledge.use(extractor=Silent())
    with pytest.raises(ModelError, match=r"A worker has the models .*silent"):
        knowledge.stage(sources, tmp_path / "other", on="ray")


class Silent:
    """An extractor that no worker can make."""

    fingerprint, by = "silent", "ner"

    def extract(self, chunks: Iterable[Any]) -> Iterator[Any]:
        raise AssertionError(chunks)
