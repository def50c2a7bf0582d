"""Jars of Neo4j and Graph Data Science: the versions that this version of Overstory was tested with."""

from __future__ import annotations

import hashlib
import zipfile
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from overstory.jars import Jar, LockList

NEO4J = ("org.neo4j", "neo4j")
GDS = ("org.neo4j.gds", "proc")


def is_plugin(jar: Jar) -> bool:
    """Return True if the jar must also be in `plugins`, where Neo4j looks for procedures."""
    return jar.group == GDS[0] and jar.artifact.startswith(("proc-", "alpha-proc"))


@dataclass(frozen=True, slots=True)
class ServerJars(LockList):
    """All jars that a server needs."""

    @property
    def neo4j(self) -> Jar:
        """The jar that starts the server."""
        return self._jar(*NEO4J)

    @property
    def neo4j_version(self) -> str:
        return self.neo4j.version

    @property
    def gds_version(self) -> str:
        return self._jar(*GDS).version

    def _jar(self, group: str, artifact: str) -> Jar:
        return next(jar for jar in self.jars if (jar.group, jar.artifact) == (group, artifact))


@cache
def read_lock_list() -> ServerJars:
    """Return the lock list that this version of Overstory was tested with."""
    return parse(resources.files("overstory.server").joinpath("jars.lock.tsv").read_text(encoding="utf-8"))


def parse(text: str) -> ServerJars:
    """Parse the tab-separated lock list: comment lines (#), a line of column names, then one line per jar."""
    _, *rows = [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
    jars = tuple(
        Jar(group, artifact, version, classifier, sha256, int(size))
        for group, artifact, version, classifier, sha256, size in rows
    )
    return ServerJars("Neo4j", jars, digest=hashlib.sha256(text.encode()).hexdigest())


_ENTRY_POINT = "META-INF/services/org.neo4j.server.startup.EntryPoint"


@dataclass(frozen=True, slots=True)
class Jars:
    """A complete set of jars on disk.

    Attributes:
        folder: contains each jar as `Jar.file_name`, and possibly jars of other versions.
    """

    folder: Path
    lock_list: ServerJars

    def plugins(self) -> list[Path]:
        return sorted(self.folder / jar.file_name for jar in self.lock_list.jars if is_plugin(jar))

    def main_class(self) -> str:
        """Return the name of the class that starts the server, which differs between Neo4j versions."""
        with zipfile.ZipFile(self.folder / self.lock_list.neo4j.file_name) as jar:
            return jar.read(_ENTRY_POINT).decode().strip()

    def class_path(self) -> list[Path]:
        """Return all jars in a fixed order, plugins included, because the server's extensions refer to them.

        The manifest of the JAXB jar names other jars. Unless those come before it, Java 21 refuses its own class
        archive.
        """
        return sorted(
            (self.folder / jar.file_name for jar in self.lock_list.jars),
            key=lambda file: (file.name.startswith("jaxb-runtime-"), file),
        )
