"""The class archive: what Java made of the server's classes, mapped into memory at the next start instead of read from
344 jars.

It is written after an idle stop, when nobody waits, by a server over an empty graph. It belongs to one Java and one set
of jars, and Java itself ignores an archive that does not fit.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from overstory.server import configuration, health, process
from overstory.server.instance import HOST, USER, Connection, Instance, Running
from overstory.server.java import Java
from overstory.server.locklist import read_lock_list
from overstory.server.provision import Jars
from overstory.settings import ServerSettings

_LOOK_SECONDS = 0.2
_DUMP_SECONDS = 60.0
_ANSWER_SECONDS = 60.0
_TRAINING_SECONDS = 600.0
_LOWEST_PRIORITY = 19
_FREE_BYTES = 2_000_000_000
"""Less free space is left for the graph."""

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


def discard(instance: Instance) -> bool:
    """Deletes the archive and what a killed run left of one; returns whether there was anything."""
    found = instance.archives.exists()
    end_training(instance)
    shutil.rmtree(instance.archives, ignore_errors=True)
    return found


def end_training(instance: Instance) -> None:
    """Ends the server that is trained for an archive, also one that a killed process left."""
    training = _training_instance(instance)
    if training.data.exists():
        process.end(training.home, grace=0)
        shutil.rmtree(training.data, ignore_errors=True)


def write(instance: Instance, last: Running, *, is_wanted: Callable[[], bool]) -> bool:
    """Writes the archive for the Java and the jars of the server that ran last, with the lowest priority.

    Args:
        is_wanted: asked several times a second; the writing is given up when it is False.

    Returns:
        Whether there is an archive now. None is written where the disk is nearly full.
    """
    jars = Jars(Path(last.jars), read_lock_list())
    if last.neo4j != jars.lock_list.neo4j_version or shutil.disk_usage(instance.root).free < _FREE_BYTES:
        return False
    archive = ClassArchive.of(instance, Path(last.java), jars.lock_list.digest)
    if archive.classes.exists():
        return True
    discard(instance)
    training = _training_instance(instance)
    training.create()
    archive.base.parent.mkdir()
    unfinished = archive.classes.with_suffix(".new")
    try:
        dump = [last.java, "-Xshare:dump", f"-XX:SharedArchiveFile={archive.base}"]
        subprocess.run(dump, check=True, capture_output=True, timeout=_DUMP_SECONDS)  # noqa: S603 # the user's own Java
        options = [f"-XX:SharedArchiveFile={archive.base}", f"-XX:ArchiveClassesAtExit={unfinished}", "-Xlog:disable"]
        if _train(training, jars, Path(last.java), options, is_wanted) and unfinished.exists():
            unfinished.rename(archive.classes)
    finally:
        end_training(instance)
    return archive.classes.exists()


def size(instance: Instance) -> int:
    """Bytes of the archive; 0 before there is a whole one."""
    with suppress(FileNotFoundError):  # it is being deleted
        whole = [file.parent for file in instance.archives.glob("*/server.jsa")]
        return sum(file.stat().st_size for folder in whole for file in folder.iterdir())
    return 0


def _train(training: Instance, jars: Jars, java: Path, options: list[str], is_wanted: Callable[[], bool]) -> bool:
    """Runs the statements on a server of its own, and stops it; False if it ended otherwise, or is not wanted."""
    settings = ServerSettings()
    ports = configuration.free_ports()
    configuration.prepare(training, jars, settings, ports)
    pid = process.spawn(
        configuration.command(training, Java(java, 0, ""), settings, jars.main_class(), options),
        folder=training.root,
        log=training.console,
        environ=process.inherited() | configuration.environment(jars),
    )
    connection = Connection(f"bolt://{HOST}:{ports.bolt}", USER, training.known_password(), "")
    deadline = time.monotonic() + _TRAINING_SECONDS
    with suppress(psutil.NoSuchProcess):
        server = psutil.Process(pid)
        server.nice(_LOWEST_PRIORITY)
        while is_wanted() and time.monotonic() < deadline:
            if (
                health.greets(ports.bolt, _LOOK_SECONDS)
                and health.answered_after(connection, _DUMP_SECONDS) is not None
            ):
                break
            time.sleep(_LOOK_SECONDS)
            server.status()  # raises an error when it has ended
        if health.answered_after(connection, _ANSWER_SECONDS) is not None:
            _run(connection, is_wanted)
        server.terminate()
        while is_wanted() and time.monotonic() < deadline:
            with suppress(psutil.TimeoutExpired):
                server.wait(_LOOK_SECONDS)
                return True
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
            session.run(statement).consume()


def _training_instance(instance: Instance) -> Instance:
    return Instance(instance.archives / "training")
