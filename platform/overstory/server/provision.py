"""Provision the jars of the lock list in a user's cache: find, fetch and verify them."""

from __future__ import annotations

import hashlib
import zipfile
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock

from overstory.errors import ProvisioningError
from overstory.server.storage_errors import check_space, storage_errors

if TYPE_CHECKING:
    from overstory.protocols import Progress


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


_ENTRY_POINT = "META-INF/services/org.neo4j.server.startup.EntryPoint"


@dataclass(frozen=True, slots=True)
class Jars:
    """A complete set of jars on disk.

    Attributes:
        folder: contains them by `Jar.file_name`, and maybe those of other versions.
    """

    folder: Path
    lock_list: LockList

    def plugins(self) -> list[Path]:
        """The jars for Neo4j's folder of plugins."""
        return sorted(self.folder / jar.file_name for jar in self.lock_list.jars if jar.is_plugin)

    def main_class(self) -> str:
        """The class that starts the server, which Neo4j renamed between its versions."""
        with zipfile.ZipFile(self.folder / self.lock_list.neo4j.file_name) as jar:
            return jar.read(_ENTRY_POINT).decode().strip()

    def class_path(self) -> list[Path]:
        """All jars in a fixed order, including the plugins, because the server's extensions refer to them.

        The manifest of JAXB's jar names others. Unless these come before it, Java 21 refuses its own class archive.
        """
        return sorted(
            (self.folder / jar.file_name for jar in self.lock_list.jars),
            key=lambda file: (file.name.startswith("jaxb-runtime-"), file),
        )


def provision(
    cache: Path,
    *,
    source: Path | None = None,
    verify: bool = False,
    progress: Progress | None = None,
    lock_list: LockList | None = None,
    repository: str | None = None,
) -> Jars:
    """The jars in `cache`, after fetching missing and damaged ones.

    In a complete cache only sizes are compared, and hashes of files that changed since the last check.

    Args:
        source: a folder to copy from instead of the network: flat, or in the layout of a Maven repository.
        verify: hash every jar again.
        repository: the address of a Maven repository; None for jgo's default.
    """
    lock_list = lock_list or read_lock_list()
    jars = Jars(cache / "jars", lock_list)
    stamp = jars.folder / f".checked-{lock_list.digest[:16]}"
    with storage_errors(cache, error=ProvisioningError, variable="OVERSTORY_CACHE"):
        if not verify and not _doubtful(jars, stamp):
            return jars
        jars.folder.mkdir(parents=True, exist_ok=True)
        with FileLock(cache / "jars.lock", mode=0o600):
            wanted = [jar for jar in _doubtful(jars, None if verify else stamp) if not _keep(jars, jar)]
            _get(wanted, jars.folder, source, repository, progress)
            stamp.touch()
    return jars


def missing(cache: Path) -> tuple[Jar, ...]:
    """The jars that a start would have to verify or fetch, without hashing any."""
    lock_list = read_lock_list()
    jars = Jars(cache / "jars", lock_list)
    with storage_errors(cache, error=ProvisioningError, variable="OVERSTORY_CACHE"):
        return tuple(_doubtful(jars, jars.folder / f".checked-{lock_list.digest[:16]}"))


def _doubtful(jars: Jars, stamp: Path | None) -> list[Jar]:
    """The jars that are missing, differ in size, or are newer than the time stamp of the last check."""
    try:
        checked = stamp.stat().st_mtime_ns if stamp else 0
    except FileNotFoundError:
        checked = 0
    return [jar for jar in jars.lock_list.jars if not _as_checked(jar, jars.folder / jar.file_name, checked)]


def _as_checked(jar: Jar, file: Path, checked: int) -> bool:
    try:
        found = file.stat()
    except FileNotFoundError:
        return False
    return found.st_size == jar.size and found.st_mtime_ns <= checked


def _keep(jars: Jars, jar: Jar) -> bool:
    from overstory.server.download import is_whole

    return is_whole(jar, jars.folder / jar.file_name)


def _get(
    wanted: list[Jar], folder: Path, source: Path | None, repository: str | None, progress: Progress | None
) -> None:
    if not wanted:
        return
    from overstory.protocols import Silence
    from overstory.server.download import copy, download  # httpx is slow to import, and rarely needed

    for leftover in folder.glob("*.part"):  # of an interrupted run; the lock is held, so of no other
        leftover.unlink(missing_ok=True)
    size = sum(jar.size for jar in wanted)
    check_space(folder, size, error=ProvisioningError, variable="OVERSTORY_CACHE")
    progress = progress or Silence()
    progress.start("Neo4j", round(size / 1e6), "MB")
    told = _Megabytes(progress)
    if source is not None:
        copy(_found(wanted, source), folder, told.add)
    else:
        download(wanted, folder, repository or _default_repository(), told.add)
    progress.finish(f"{len(wanted)} jars, {size / 1e6:.0f} MB")


class _Megabytes:
    """Reports bytes to a progress that counts in megabytes."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._bytes = self._told = 0

    def add(self, amount: int) -> None:
        self._bytes += amount
        now = round(self._bytes / 1e6)
        if now != self._told:
            self._progress.advance(now - self._told)
            self._told = now


def _default_repository() -> str:
    """The default Maven repository of jgo, so that our files contain no address."""
    from jgo.maven import MavenContext

    repositories: dict[str, str] = MavenContext().remote_repos
    return next(iter(repositories.values()))


def _found(wanted: list[Jar], source: Path) -> list[tuple[Jar, Path]]:
    """Each jar with its file below `source`."""
    by_name = {file.name: file for file in source.rglob("*.jar")}
    absent = [jar.file_name for jar in wanted if jar.file_name not in by_name]
    if absent:
        more = f" and {len(absent) - 3} more" if len(absent) > 3 else ""
        raise ProvisioningError(
            f"{source} lacks {', '.join(absent[:3])}{more}.",
            remedy="Copy the folder that `overstory server fetch`, with the same version of Overstory, prints "
            "on a connected machine.",
        )
    return [(jar, by_name[jar.file_name]) for jar in wanted]
