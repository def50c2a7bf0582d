"""The jars of Neo4j and Graph Data Science, in the versions with which this version of Overstory was tested."""

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
    """Return True if the jar must also be placed in Neo4j's folder `plugins`, because it contains procedures."""
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
    """Return the list of jars, including their checksums, with which this version of Overstory was tested."""
    return parse(resources.files("overstory.server").joinpath("jars.lock.tsv").read_text(encoding="utf-8"))


def parse(text: str) -> ServerJars:
    """Parse a list of jars.

    The first line contains the column names, and each further line describes one jar. Columns are separated by tabs.
    Lines that begin with "#" are comments.
    """
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
        folder: the folder that contains the jars under their names `Jar.file_name`; it may also contain other jars.
    """

    folder: Path
    lock_list: ServerJars

    def plugins(self) -> list[Path]:
        return sorted(self.folder / jar.file_name for jar in self.lock_list.jars if is_plugin(jar))

    def main_class(self) -> str:
        """Return the name of the Java class that starts the server. It depends on the version of Neo4j."""
        with zipfile.ZipFile(self.folder / self.lock_list.neo4j.file_name) as jar:
            return jar.read(_ENTRY_POINT).decode().strip()

    def class_path(self) -> list[Path]:
        """Return the paths of all jars in a fixed order.

        Plugins are included, because the server's extensions refer to them. The JAXB jar comes last: its manifest names
        other jars, and unless they come before it, Java 21 rejects a class archive that it wrote itself.
        """
        return sorted(
            (self.folder / jar.file_name for jar in self.lock_list.jars),
            key=lambda file: (file.name.startswith("jaxb-runtime-"), file),
        )
