"""Jars are fetched completely or not at all, and never twice."""

from __future__ import annotations

import os
import shutil
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from overstory.errors import ProvisioningError
from overstory.jars import Jar, LockList, is_whole, provision

if TYPE_CHECKING:
    from tests.unit.server.conftest import Repository
import re

from overstory.server.provision import is_plugin, read_lock_list


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("overstory.jars._DOWNLOAD_PAUSE_SECONDS", 0.0)


def fetched(cache: Path, lock_list: LockList, repository: Repository) -> Path:
    return provision(cache, lock_list, repository=repository.url)


def test_an_empty_cache_is_filled_and_a_full_one_only_looked_at(
    tmp_path: Path, lock_list: LockList, repository: Repository
) -> None:
    first = fetched(tmp_path, lock_list, repository)
    assert all((first / jar.file_name).read_bytes() == repository.contents[jar.path] for jar in lock_list.jars)
    assert len(repository.asked) == len(lock_list.jars)
    fetched(tmp_path, lock_list, repository)
    assert len(repository.asked) == len(lock_list.jars)


def test_what_an_interrupted_run_got_is_not_fetched_again(
    tmp_path: Path, jars: list[Jar], lock_list: LockList, repository: Repository
) -> None:
    repository.fails(jars[0], 404)
    with pytest.raises(ProvisioningError):
        fetched(tmp_path, lock_list, repository)
    kept = {file.name for file in (tmp_path / "jars").glob("*.jar")}
    repository.asked.clear()
    fetched(tmp_path, lock_list, repository)
    assert {Path(path).name for path in repository.asked} == {jar.file_name for jar in jars} - kept


@pytest.mark.parametrize("fault", ["truncated", "cut", b"something else", b"x" * 500_000, 500, 503, 429])
def test_a_passing_fault_is_tried_again(
    tmp_path: Path, jars: list[Jar], lock_list: LockList, repository: Repository, fault: int | str | bytes
) -> None:
    repository.fails(jars[2], fault, fault)
    found = fetched(tmp_path, lock_list, repository)
    assert is_whole(jars[2], found / jars[2].file_name)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("truncated", "could not be fetched"),
        ("cut", "incomplete"),
        (b"x" * 141_000, "SHA-256"),
        (b"x" * 500_000, "larger"),
        (500, "500"),
        (404, "404"),
        (403, "403"),
    ],
)
def test_a_lasting_fault_names_the_jar_and_the_way_round_and_leaves_no_debris(
    tmp_path: Path, jars: list[Jar], lock_list: LockList, repository: Repository, fault: int | str | bytes, said: str
) -> None:
    repository.fails(jars[2], *[fault] * 5)
    with pytest.raises(ProvisioningError, match=f"part2-1.0.jar .*{said}") as caught:
        fetched(tmp_path, lock_list, repository)
    assert "overstory server fetch --from DIR" in caught.value.remedy
    assert not (tmp_path / "jars" / jars[2].file_name).exists()
    assert not list((tmp_path / "jars").glob("*.part"))


def test_a_machine_without_a_network_is_told_what_to_do(tmp_path: Path, lock_list: LockList) -> None:
    with pytest.raises(ProvisioningError, match="could not be fetched") as caught:
        provision(tmp_path, lock_list, repository="http://127.0.0.1:9/maven")
    assert "HTTPS_PROXY" in caught.value.remedy


def test_a_proxy_from_the_environment_is_used(
    tmp_path: Path, lock_list: LockList, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "")
    monkeypatch.setenv("no_proxy", "")
    with pytest.raises(ProvisioningError):
        provision(tmp_path, lock_list, repository=repository.url)
    assert not repository.asked


def test_a_jar_that_changed_after_it_was_checked_is_fetched_again(
    tmp_path: Path, jars: list[Jar], lock_list: LockList, repository: Repository
) -> None:
    found = fetched(tmp_path, lock_list, repository)
    damaged = found / jars[1].file_name
    damaged.write_bytes(b"\0" * jars[1].size)
    repository.asked.clear()
    fetched(tmp_path, lock_list, repository)
    assert repository.asked == [jars[1].path]
    assert is_whole(jars[1], damaged)


def test_verifying_finds_damage_that_left_no_trace(
    tmp_path: Path, jars: list[Jar], lock_list: LockList, repository: Repository
) -> None:
    found = fetched(tmp_path, lock_list, repository)
    damaged = found / jars[1].file_name
    before = damaged.stat()
    damaged.write_bytes(b"\0" * jars[1].size)
    os.utime(damaged, ns=(before.st_atime_ns, before.st_mtime_ns))
    provision(tmp_path, lock_list, repository=repository.url, verify=True)
    assert is_whole(jars[1], damaged)


def test_debris_of_a_killed_run_is_swept_away(tmp_path: Path, lock_list: LockList, repository: Repository) -> None:
    (tmp_path / "jars").mkdir()
    (tmp_path / "jars" / "part1-1.0.jar.part").write_bytes(b"half")
    (tmp_path / "jars" / "older-0.9.jar.part").write_bytes(b"half")
    found = fetched(tmp_path, lock_list, repository)
    assert not list(found.glob("*.part"))


def test_two_at_once_fetch_once(tmp_path: Path, lock_list: LockList, repository: Repository) -> None:
    threads = [threading.Thread(target=fetched, args=(tmp_path, lock_list, repository)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(repository.asked) == sorted(jar.path for jar in lock_list.jars)


@pytest.mark.parametrize("layout", ["flat", "maven"])
def test_a_folder_of_jars_takes_the_place_of_the_network(
    tmp_path: Path, lock_list: LockList, repository: Repository, layout: str
) -> None:
    source = tmp_path / "usb"
    for jar in lock_list.jars:
        file = source / (jar.path if layout == "maven" else jar.file_name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(repository.contents[jar.path])
    found = provision(tmp_path / "cache", lock_list, source=source)
    assert all(is_whole(jar, found / jar.file_name) for jar in lock_list.jars)
    assert not repository.asked


def test_a_folder_that_lacks_a_jar_is_refused_by_its_name(
    tmp_path: Path, jars: list[Jar], lock_list: LockList, repository: Repository
) -> None:
    whole = fetched(tmp_path / "connected", lock_list, repository)
    (whole / jars[3].file_name).unlink()
    with pytest.raises(ProvisioningError, match=r"lacks part3-1\.0\.jar"):
        provision(tmp_path / "closed", lock_list, source=whole)


def test_a_folder_with_a_damaged_jar_is_refused_by_its_name(
    tmp_path: Path, jars: list[Jar], lock_list: LockList, repository: Repository
) -> None:
    whole = fetched(tmp_path / "connected", lock_list, repository)
    (whole / jars[3].file_name).write_bytes(b"\0" * jars[3].size)
    with pytest.raises(ProvisioningError, match=r"part3-1\.0\.jar is not the expected file"):
        provision(tmp_path / "closed", lock_list, source=whole)


def test_too_little_space_is_said_before_anything_is_fetched(tmp_path: Path, repository: Repository) -> None:
    huge = Jar("org.example", "huge", "1.0", "", "0" * 64, shutil.disk_usage(tmp_path).total)
    with pytest.raises(ProvisioningError, match="free space") as caught:
        provision(tmp_path, LockList("Neo4j", (huge,), "b" * 64), repository=repository.url)
    assert "OVERSTORY_CACHE" in caught.value.remedy
    assert not repository.asked


def test_progress_counts_what_was_written(tmp_path: Path, repository: Repository) -> None:
    jars = tuple(repository.add(f"big{number}", bytes([number]) * 3_000_000) for number in range(2))
    repository.fails(jars[0], "cut")
    told = Told()
    provision(tmp_path, LockList("Neo4j", jars, "c" * 64), repository=repository.url, progress=told)
    assert told.total == told.done == 6
    assert told.detail == "2 jars, 6 MB"


class Told:
    """A progress that remembers."""

    def __init__(self) -> None:
        self.total: int | None = None
        self.done = 0
        self.detail = ""

    def start(self, task: str, total: int | None, unit: str) -> None:
        del task, unit
        self.total = total

    def advance(self, amount: int) -> None:
        self.done += amount

    def finish(self, detail: str) -> None:
        self.detail = detail


def test_every_jar_is_named_once_with_hash_and_size() -> None:
    jars = read_lock_list().jars
    assert len({jar.file_name for jar in jars}) == len(jars)
    assert all(re.fullmatch("[0-9a-f]{64}", jar.sha256) and jar.size > 0 for jar in jars)
    assert all(jar.group and jar.artifact and jar.version for jar in jars)


def test_the_list_holds_the_server_its_browser_and_graph_data_science() -> None:
    lock_list = read_lock_list()
    assert lock_list.neo4j_version.startswith("5.26.")
    assert lock_list.gds_version.startswith("2.13.")
    assert any(jar.artifact == "neo4j-browser" for jar in lock_list.jars)
    assert sum(is_plugin(jar) for jar in lock_list.jars) == 13


def test_a_download_stays_small_enough_for_a_first_try() -> None:
    assert read_lock_list().size < 160e6


def test_a_jar_is_where_a_maven_repository_keeps_it() -> None:
    plain = Jar("org.neo4j", "neo4j", "5.26.30", "", "0" * 64, 1)
    native = Jar("io.netty", "netty-transport-native-epoll", "4.1.1.Final", "linux-x86_64", "0" * 64, 1)
    assert plain.path == "org/neo4j/neo4j/5.26.30/neo4j-5.26.30.jar"
    assert native.file_name == "netty-transport-native-epoll-4.1.1.Final-linux-x86_64.jar"
