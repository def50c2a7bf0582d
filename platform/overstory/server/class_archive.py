"""Writes and uses the class archive (Java CDS), with which the server starts faster.

Without an archive, Java reads the server's classes from 344 jars at each start. The archive is a file that contains
these classes in prepared form, and Java maps it into memory. After the watchdog has stopped an idle server, it starts
another server with an empty graph, runs typical statements on it (the "training"), and lets Java write the archive.

An archive is valid only for the Java binary and the jars that it was made with. Java ignores any other archive.
"""

from __future__ import annotations

import hashlib
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import LiteralString

import psutil

from overstory.errors import ServerError
from overstory.server import configuration, process
from overstory.server.configuration import Java
from overstory.server.instance import HOST, USER, Connection, Instance, Running
from overstory.server.provision import Jars, read_lock_list
from overstory.settings import ServerSettings

_LOOK_SECONDS = 0.2
_ANSWER_SECONDS = 120.0
_END_SECONDS = 300.0
_ENDS = (0, -signal.SIGTERM, 128 + signal.SIGTERM)
"""Exit codes of a process that ended by itself or after it was asked to end (SIGTERM)."""
_LOWEST_PRIORITY = 19
_FREE_BYTES = 2_000_000_000  # if less disk space than this is free, no archive is written

TRAINING = Path(__file__).with_name("training.cypher")


@dataclass(frozen=True, slots=True)
class ClassArchive:
    """The class archive of an instance for one Java binary and one set of jars. It is in the folder `parent / key`."""

    parent: Path
    key: str

    @classmethod
    def of(cls, instance: Instance, java: Path, digest: str) -> ClassArchive:
        """Return the archive for a Java binary and a list of jars."""
        binary = java.resolve()
        found = binary.stat()
        described = f"{binary} {found.st_size} {found.st_mtime_ns} {digest}"
        return cls(instance.archives, hashlib.sha256(described.encode()).hexdigest()[:16])

    @property
    def base(self) -> Path:
        """Path of the archive of Java's own classes. It is written, too, because some Java installations lack it."""
        return self.parent / self.key / "java.jsa"

    @property
    def classes(self) -> Path:
        """Path of the archive of the server's classes, which builds on `base`. Only a complete file is stored here."""
        return self.parent / self.key / "server.jsa"

    def options(self) -> list[str]:
        """Return the Java options with which the server uses the archive, or an empty list if there is no archive."""
        if not self.classes.exists() or ":" in str(self.parent):  # in this option, Java takes ":" as the end of a path
            return []
        return [
            f"-XX:SharedArchiveFile={self.base}:{self.classes}",
            "-XX:+VerifySharedSpaces",  # this check takes 0.1 s; without it, a damaged archive makes Java crash
            "-Xlog:disable",
            "-Xlog:all=error:stderr",
        ]


def discard(instance: Instance) -> None:
    """Delete the archive, including one that is incomplete because writing it was interrupted."""
    end_training(instance)
    shutil.rmtree(instance.archives, ignore_errors=True)


def end_training(instance: Instance) -> None:
    """Stop the training server, if there is one, and delete its files.

    This works even if the process that started the training server was killed.
    """
    training = _training_instance(instance)
    if training.data.exists():
        process.end(training.home, grace=0)
        shutil.rmtree(training.data, ignore_errors=True)


def write(instance: Instance, last: Running, *, is_wanted: Callable[[], bool]) -> bool:
    """Write a class archive for the server that ran last, with low CPU priority; return True if it was written.

    Nothing is written if there is already an archive for the same Java binary and jars, or if the disk is nearly full.

    Args:
        is_wanted: called several times per second; if it returns False, writing is abandoned.

    Raises:
        ServerError: Java failed.
        OSError: a file cannot be written, or Java cannot be run.
    """
    jars, java = Jars(Path(last.jars), read_lock_list()), Path(last.java)
    if last.neo4j != jars.lock_list.neo4j_version or shutil.disk_usage(instance.root).free < _FREE_BYTES:
        return False
    archive = ClassArchive.of(instance, java, jars.lock_list.digest)
    if archive.classes.exists():
        return False
    discard(instance)
    training = _training_instance(instance)
    unfinished = archive.classes.with_suffix(".new")
    try:
        training.create()
        archive.base.parent.mkdir()
        with _running([last.java, "-Xshare:dump", f"-XX:SharedArchiveFile={archive.base}"], training, jars) as dump:
            if not _ended(dump, is_wanted):
                return False
        options = (f"-XX:SharedArchiveFile={archive.base}", f"-XX:ArchiveClassesAtExit={unfinished}", "-Xlog:disable")
        if not _train(training, jars, java, options, is_wanted):
            return False
        unfinished.rename(archive.classes)
        return True
    finally:
        end_training(instance)


def size(instance: Instance) -> int:
    """Return the size of the archive in bytes, or 0 if there is no complete archive."""
    with suppress(FileNotFoundError):  # another process may be deleting the archive
        whole = [file.parent for file in instance.archives.glob("*/server.jsa")]
        return sum(file.stat().st_size for folder in whole for file in folder.iterdir())
    return 0


def _train(training: Instance, jars: Jars, java: Path, options: Sequence[str], is_wanted: Callable[[], bool]) -> bool:
    """Return False if `is_wanted` returned False, or if the server ended too early."""
    settings = ServerSettings()
    ports = configuration.free_ports()
    configuration.prepare(training, jars, settings, ports)
    connection = Connection(f"bolt://{HOST}:{ports.bolt}", USER, training.known_password(), "")
    command = configuration.command(training, Java(java, 0, ""), settings, jars.main_class(), options)
    with _running(command, training, jars) as server:
        while not process.greets(ports.bolt, _LOOK_SECONDS):
            if not is_wanted() or server.poll() is not None:
                return False
            time.sleep(_LOOK_SECONDS)
        if process.answered_after(connection, _ANSWER_SECONDS) is not None:
            _run(connection, is_wanted)
        server.terminate()
        return _ended(server, is_wanted)


@contextmanager
def _running(command: Sequence[str], training: Instance, jars: Jars) -> Generator[subprocess.Popen[bytes]]:
    with training.console.open("ab") as output:
        child = subprocess.Popen(  # noqa: S603 # the command line is our own
            command,
            cwd=training.root,
            env=process.inherited() | configuration.environment(jars),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            umask=0o077,
        )
    try:
        with suppress(psutil.NoSuchProcess):
            psutil.Process(child.pid).nice(_LOWEST_PRIORITY)
        yield child
    finally:
        child.kill()
        child.wait()


def _ended(child: subprocess.Popen[bytes], is_wanted: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + _END_SECONDS
    while is_wanted():
        with suppress(subprocess.TimeoutExpired):
            if child.wait(_LOOK_SECONDS) not in _ENDS:
                raise ServerError(
                    f"Java ended with exit code {child.returncode}.", remedy="See `overstory server logs`."
                )
            return True
        if time.monotonic() > deadline:
            raise ServerError(f"Java did not end within {_END_SECONDS:g} seconds.", remedy="Try again.")
    return False


def _run(connection: Connection, is_wanted: Callable[[], bool]) -> None:
    import neo4j
    from neo4j.exceptions import DriverError, Neo4jError

    auth = (connection.user, connection.password)
    with (
        suppress(DriverError, Neo4jError),  # if a statement fails, the archive contains fewer classes, but still helps
        neo4j.GraphDatabase.driver(connection.uri, auth=auth, notifications_min_severity="OFF") as driver,
        driver.session(database="neo4j") as session,
    ):
        for statement in TRAINING.read_text(encoding="utf-8").split(";\n")[:-1]:
            if not is_wanted():
                return
            literal: LiteralString = statement  # type: ignore[assignment,unused-ignore] # pyright: ignore[reportAssignmentType] # the file is part of this package
            session.run(literal).consume()


def _training_instance(instance: Instance) -> Instance:
    return Instance(instance.archives / "training")
