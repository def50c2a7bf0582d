"""The class archive (Java CDS): the server's classes, prepared so that the next start maps them into memory.

Without an archive, Java reads the classes from 344 jars at each start. The watchdog writes the archive after an idle
stop, by training a second server on an empty graph. An archive belongs to one Java binary and one set of jars; Java
ignores an archive that does not match.
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
"""Exit codes of a process that ended by itself or was asked to end."""
_LOWEST_PRIORITY = 19
_FREE_BYTES = 2_000_000_000  # no archive is written if the disk has less free space

TRAINING = Path(__file__).with_name("training.cypher")


@dataclass(frozen=True, slots=True)
class ClassArchive:
    """Class archive of an instance for one Java binary and one set of jars, in its own folder below `parent`."""

    parent: Path
    key: str

    @classmethod
    def of(cls, instance: Instance, java: Path, digest: str) -> ClassArchive:
        """Return the archive for a Java binary and for the jars of the lock list with this digest."""
        binary = java.resolve()
        found = binary.stat()
        described = f"{binary} {found.st_size} {found.st_mtime_ns} {digest}"
        return cls(instance.archives, hashlib.sha256(described.encode()).hexdigest()[:16])

    @property
    def base(self) -> Path:
        """Archive of Java's own classes, which not every Java installation contains."""
        return self.parent / self.key / "java.jsa"

    @property
    def classes(self) -> Path:
        """Archive of the server's classes, on top of `base`. The file gets this name only when it is complete."""
        return self.parent / self.key / "server.jsa"

    def options(self) -> list[str]:
        """Return the Java options that use the archive; empty if there is no archive."""
        if not self.classes.exists() or ":" in str(self.parent):  # Java reads a colon as the end of a path
            return []
        return [
            f"-XX:SharedArchiveFile={self.base}:{self.classes}",
            "-XX:+VerifySharedSpaces",  # takes 0.1 s; without it, Java crashes on a damaged archive
            "-Xlog:disable",
            "-Xlog:all=error:stderr",
        ]


def discard(instance: Instance) -> None:
    """Delete the archive and anything that an interrupted run left of one."""
    end_training(instance)
    shutil.rmtree(instance.archives, ignore_errors=True)


def end_training(instance: Instance) -> None:
    """Stop the server that is trained for an archive, even if the process that started it was killed."""
    training = _training_instance(instance)
    if training.data.exists():
        process.end(training.home, grace=0)
        shutil.rmtree(training.data, ignore_errors=True)


def write(instance: Instance, last: Running, *, is_wanted: Callable[[], bool]) -> bool:
    """Write the class archive for the server that ran last, with the lowest priority; return True if it was written.

    An existing archive for the same Java and jars is kept, and nothing is written if the disk is nearly full.

    Args:
        is_wanted: called several times a second; writing is abandoned when it returns False.

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
    """Return the size of the archive in bytes; 0 if there is no complete archive."""
    with suppress(FileNotFoundError):  # another process may be deleting the archive
        whole = [file.parent for file in instance.archives.glob("*/server.jsa")]
        return sum(file.stat().st_size for folder in whole for file in folder.iterdir())
    return 0


def _train(training: Instance, jars: Jars, java: Path, options: Sequence[str], is_wanted: Callable[[], bool]) -> bool:
    """Run the training statements on a separate server and stop it; return False if `is_wanted` turned False."""
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
        suppress(DriverError, Neo4jError),  # an archive with fewer classes is useful, too
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
