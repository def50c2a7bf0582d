"""When a class archive is used, and that nothing is left of one that was not finished."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from overstory.server import class_archive, process
from overstory.server.class_archive import ClassArchive
from overstory.server.configuration import home_argument
from overstory.server.instance import Instance


@pytest.fixture
def instance(tmp_path: Path) -> Instance:
    made = Instance(tmp_path)
    made.create()
    return made


@pytest.fixture
def java(tmp_path: Path) -> Path:
    binary = tmp_path / "java"
    binary.write_text("a Java")
    return binary


def written(instance: Instance, java: Path) -> ClassArchive:
    archive = ClassArchive.of(instance, java, "jars")
    archive.base.parent.mkdir(parents=True)
    for file in (archive.base, archive.classes):
        file.write_bytes(b"classes")
    return archive


def test_only_a_whole_archive_is_used(instance: Instance, java: Path) -> None:
    archive = written(instance, java)
    assert any(str(archive.classes) in option for option in archive.options())
    archive.classes.rename(archive.classes.with_suffix(".new"))
    assert archive.options() == []


def test_an_archive_belongs_to_one_java_and_one_set_of_jars(instance: Instance, java: Path) -> None:
    written(instance, java)
    assert ClassArchive.of(instance, java, "other jars").options() == []
    os.utime(java, (0, 0))  # as an upgrade does
    assert ClassArchive.of(instance, java, "jars").options() == []


def test_a_path_that_java_would_split_has_no_archive(tmp_path: Path, java: Path) -> None:
    instance = Instance(tmp_path / "with:colon")
    instance.create()
    assert written(instance, java).options() == []


def test_what_a_killed_process_left_ends_and_the_archive_stays(instance: Instance, java: Path) -> None:
    archive = written(instance, java)
    training = Instance(instance.archives / "training")
    training.create()
    program = [sys.executable, "-c", "input()", home_argument(training.home)]
    with subprocess.Popen(program, stdin=subprocess.PIPE, cwd=training.root) as left:
        assert process.is_server(left.pid, training.home)
        class_archive.end_training(instance)
        assert not process.is_server(left.pid, training.home)
    assert not training.data.exists()
    assert archive.options()


def test_a_discarded_archive_is_gone(instance: Instance, java: Path) -> None:
    archive = written(instance, java)
    assert class_archive.size(instance) == 14
    class_archive.discard(instance)
    assert archive.options() == []
    assert class_archive.size(instance) == 0
