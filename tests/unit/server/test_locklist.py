"""The list of jars that a user's machine fetches."""

from __future__ import annotations

import re

from overstory.server.provision import Jar, read_lock_list


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
    assert sum(jar.is_plugin for jar in lock_list.jars) == 13


def test_a_download_stays_small_enough_for_a_first_try() -> None:
    assert read_lock_list().size < 160e6


def test_a_jar_is_where_a_maven_repository_keeps_it() -> None:
    plain = Jar("org.neo4j", "neo4j", "5.26.30", "", "0" * 64, 1)
    native = Jar("io.netty", "netty-transport-native-epoll", "4.1.1.Final", "linux-x86_64", "0" * 64, 1)
    assert plain.path == "org/neo4j/neo4j/5.26.30/neo4j-5.26.30.jar"
    assert native.file_name == "netty-transport-native-epoll-4.1.1.Final-linux-x86_64.jar"
