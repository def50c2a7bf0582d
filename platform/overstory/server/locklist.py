"""The jars of the embedded Neo4j, from the lock list in this folder."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib import resources

NEO4J = ("org.neo4j", "neo4j")
GDS = ("org.neo4j.gds", "proc")


@dataclass(frozen=True, slots=True)
class Jar:
    """One file of a Maven repository.

    Attributes:
        classifier: "" for most; distinguishes files of one version (the platform of a native library).
        sha256: of the content, in hexadecimal digits.
        size: in bytes.
    """

    group: str
    artifact: str
    version: str
    classifier: str
    sha256: str
    size: int

    @property
    def file_name(self) -> str:
        """Unique within the list."""
        suffix = f"-{self.classifier}" if self.classifier else ""
        return f"{self.artifact}-{self.version}{suffix}.jar"

    @property
    def path(self) -> str:
        """The path in a Maven repository, relative to its root."""
        return f"{self.group.replace('.', '/')}/{self.artifact}/{self.version}/{self.file_name}"

    @property
    def is_plugin(self) -> bool:
        """Whether it must also be in `plugins`, so that Neo4j finds its procedures."""
        return self.group == GDS[0] and self.artifact.startswith(("proc-", "alpha-proc"))


@dataclass(frozen=True, slots=True)
class LockList:
    """All jars that a server needs.

    Attributes:
        digest: of the list itself; changes with every change of a jar.
    """

    jars: tuple[Jar, ...]
    digest: str

    @property
    def size(self) -> int:
        """Of all jars, in bytes."""
        return sum(jar.size for jar in self.jars)

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
def read_lock_list() -> LockList:
    """The list that this version of Overstory was tested with."""
    return parse(resources.files("overstory.server").joinpath("jars.lock.tsv").read_text(encoding="utf-8"))


def parse(text: str) -> LockList:
    """Parse the tab-separated format: comment lines (#), a line of column names, one line per jar."""
    _, *rows = [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
    jars = tuple(
        Jar(group, artifact, version, classifier, sha256, int(size))
        for group, artifact, version, classifier, sha256, size in rows
    )
    return LockList(jars, digest=hashlib.sha256(text.encode()).hexdigest())
