"""What Neo4j is given before it starts."""

from __future__ import annotations

import hashlib
import socket
from pathlib import Path

import pytest

from overstory.errors import SettingsError
from overstory.server.configuration import Java, check, command, configuration, credential, environment, free_ports
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
