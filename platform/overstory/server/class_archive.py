"""The class archive: what Java made of the server's classes, mapped into memory at the next start instead of read from
344 jars.

It is written after an idle stop, when nobody waits, by a server over an empty graph. It belongs to one Java and one set
of jars, and Java itself ignores an archive that does not fit.
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
"""Exit codes of a process that ended by itself or was asked to."""
_LOWEST_PRIORITY = 19
_FREE_BYTES = 2_000_000_000  # less free space is left for the graph

TRAINING = Path(__file__).with_name("training.cypher")


@dataclass(frozen=True, slots=True)
class ClassArchive:
    """The archive of an instance for one Java and one set of jars, in a folder of its own in `parent`."""

    parent: Path
    key: str

    @classmethod
    def of(cls, instance: Instance, java: Path, digest: str) -> ClassArchive:
        """The archive for a Java binary and the jars of a lock list with this digest."""
        binary = java.resolve()
        found = binary.stat()
        described = f"{binary} {found.st_size} {found.st_mtime_ns} {digest}"
        return cls(instance.archives, hashlib.sha256(described.encode()).hexdigest()[:16])

    @property
    def base(self) -> Path:
        """Java's own classes: not every Java comes with such an archive."""
        return self.parent / self.key / "java.jsa"

    @property
    def classes(self) -> Path:
        """The server's classes, on top of `base`. Written last, under another name until it is whole."""
        return self.parent / self.key / "server.jsa"

    def options(self) -> list[str]:
        """Java's options to use the archive; none where it is missing."""
        if not self.classes.exists() or ":" in str(self.parent):  # Java takes a colon for the end of a path
            return []
        return [
            f"-XX:SharedArchiveFile={self.base}:{self.classes}",
            "-XX:+VerifySharedSpaces",  # takes a tenth of a second, and Java would crash on a damaged archive
            "-Xlog:disable",
            "-Xlog:all=error:stderr",
        ]


def discard(instance: Instance) -> None:
    """Deletes the archive and what a killed run left of one."""
    end_training(instance)
    shutil.rmtree(instance.archives, ignore_errors=True)


def end_training(instance: Instance) -> None:
    """Ends the server that is trained for an archive, also one that a killed process left."""
    training = _training_instance(instance)
    if training.data.exists():
        process.end(training.home, grace=0)
        shutil.rmtree(training.data, ignore_errors=True)


def write(instance: Instance, last: Running, *, is_wanted: Callable[[], bool]) -> bool:
    """Writes the archive for the Java and the jars of the server that ran last, in place of any other, with the lowest
    priority.

    Args:
        is_wanted: asked several times a second; the writing is given up when it is False.

    Returns:
        Whether one was written: not where there is one already, or the disk is nearly full.

    Raises:
        ServerError: Java ended otherwise than it should.
        OSError: a file cannot be written, or Java not be run.
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
    """Bytes of the archive; 0 before there is a whole one."""
    with suppress(FileNotFoundError):  # it is being deleted
        whole = [file.parent for file in instance.archives.glob("*/server.jsa")]
        return sum(file.stat().st_size for folder in whole for file in folder.iterdir())
    return 0


def _train(training: Instance, jars: Jars, java: Path, options: Sequence[str], is_wanted: Callable[[], bool]) -> bool:
    """Runs the statements on a server of its own, and stops it; False if that is not wanted any more."""
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
        child = subprocess.Popen(  # noqa: S603 # a command line of ours
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
                raise ServerError(f"Java ended with {child.returncode}.", remedy="Look into the log of the server.")
            return True
        if time.monotonic() > deadline:
            raise ServerError(f"Java did not end within {_END_SECONDS:g} seconds.", remedy="Try again.")
    return False


def _run(connection: Connection, is_wanted: Callable[[], bool]) -> None:
    import neo4j
    from neo4j.exceptions import DriverError, Neo4jError

    auth = (connection.user, connection.password)
    with (
        suppress(DriverError, Neo4jError),  # an archive of fewer classes is good, too
        neo4j.GraphDatabase.driver(connection.uri, auth=auth, notifications_min_severity="OFF") as driver,
        driver.session(database="neo4j") as session,
    ):
        for statement in TRAINING.read_text(encoding="utf-8").split(";\n")[:-1]:
            if not is_wanted():
                return
            literal: LiteralString = statement  # type: ignore[assignment,unused-ignore] # pyright: ignore[reportAssignmentType] # our own file
            session.run(literal).consume()


def _training_instance(instance: Instance) -> Instance:
    return Instance(instance.archives / "training")
