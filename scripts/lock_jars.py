"""Write the lock file of the embedded Neo4j: platform/overstory/server/jars.lock.tsv.

    python scripts/lock_jars.py
    python scripts/lock_jars.py --newest FILE    # for the newest Neo4j Community, without GDS

For maintainers who change versions or test with the newest one; requires Maven. Maven's own resolution decides which
jars belong together, because other resolvers choose slightly different versions. Every jar is downloaded and hashed
here, so users later get what was resolved and tested with this file.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

from jgo.maven import MavenContext

NEO4J = ("org.neo4j", "neo4j")
BROWSER = "org.neo4j.client:neo4j-browser:5.24.0"
ROOTS = [
    "org.neo4j:neo4j:5.26.30",
    BROWSER,
    "org.neo4j.gds:proc:2.13.9",
    "org.neo4j.gds:proc-sysinfo:2.13.9",
    "org.neo4j.gds:opengds-extension:2.13.9",
    "org.neo4j.gds:open-model-catalog:2.13.9",
    "org.neo4j.gds:open-write-services:2.13.9",
]
LISTER = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:list"
NOT_NEEDED = re.compile(
    r"^org\.apache\.hadoop:"  # used by the offline importer for cloud storage
    r"|^org\.apache\.parquet:|^blue\.strategic\.parquet:"  # used by the offline importer
    r"|:netty-transport-native-kqueue:"  # macOS falls back to NIO
)
TARGET = Path(__file__).parents[1] / "platform" / "overstory" / "server" / "jars.lock.tsv"
HEADER = (
    "# Written by scripts/lock_jars.py. Neo4j and GDS are GPL-3.0: fetched by the user's machine, never in the wheel.\n"
)


class Resolved(NamedTuple):
    group: str
    artifact: str
    version: str
    classifier: str
    file: Path


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--newest", type=Path, metavar="FILE", help="write a lock file of the newest Neo4j to FILE")
    newest: Path | None = parser.parse_args().newest
    if shutil.which("mvn") is None:
        raise SystemExit("This script needs Maven: install it, with `mvn` on PATH.")
    if newest is None:
        write(ROOTS, TARGET)
    else:
        write([":".join((*NEO4J, newest_version())), BROWSER], newest)


def newest_version() -> str:
    """Return the highest published version. The repository's "latest" may be a later patch of 5.26."""
    project = MavenContext().project(*NEO4J)
    project.update()
    released = [each for each in project.metadata.versions if re.fullmatch(r"[\d.]+", each)]
    return max(released, key=lambda each: [int(part) for part in each.split(".")])


def write(roots: list[str], target: Path) -> None:
    jars = [jar for jar in resolve(roots) if not NOT_NEEDED.search(f"{jar.group}:{jar.artifact}:")]
    rows = sorted(row(jar) for jar in jars)
    names = {jar.file.name for jar in jars}
    if len(names) != len(jars):
        raise SystemExit("Two jars have the same file name, but the cache stores all jars in one folder.")
    version = next(jar.version for jar in jars if (jar.group, jar.artifact) == NEO4J)
    target.write_text(HEADER + "group\tartifact\tversion\tclassifier\tsha256\tsize\n" + "".join(rows), encoding="utf-8")
    size = sum(jar.file.stat().st_size for jar in jars)
    print(f"Neo4j {version}: {len(rows)} jars, {size / 1e6:.1f} MB -> {target.name}")


def resolve(roots: list[str]) -> list[Resolved]:
    """Return the jars that Maven puts on the runtime class path of a project that depends on the roots."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "pom.xml").write_text(pom(roots), encoding="utf-8")
        listing = Path(folder) / "jars.txt"
        options = [f"-DoutputFile={listing}", "-DoutputAbsoluteArtifactFilename=true", "-DincludeScope=runtime"]
        subprocess.run(["mvn", "-q", "-B", "-C", LISTER, *options], cwd=folder, check=True)
        lines = re.sub(r"\x1b\[[0-9;]*m", "", listing.read_text(encoding="utf-8")).splitlines()
    return [parsed(line) for line in lines if ":jar:" in line]


def parsed(line: str) -> Resolved:
    """Parse `group:artifact:jar[:classifier]:version:scope:/path -- module …`."""
    coordinates, _, file = line.split(" -- ")[0].strip().partition(":/")
    group, artifact, _, *classifier, version, _ = coordinates.split(":")
    return Resolved(group, artifact, version, "".join(classifier), Path(f"/{file}"))


def row(jar: Resolved) -> str:
    content = jar.file.read_bytes()
    fields = [jar.group, jar.artifact, jar.version, jar.classifier, hashlib.sha256(content).hexdigest(), len(content)]
    return "\t".join(map(str, fields)) + "\n"


def pom(roots: list[str]) -> str:
    dependency = "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version></dependency>"
    return (
        "<project><modelVersion>4.0.0</modelVersion><groupId>overstory</groupId><artifactId>server</artifactId>"
        "<version>1</version><dependencies>"
        + "".join(dependency.format(*root.split(":")) for root in roots)
        + "</dependencies></project>"
    )


if __name__ == "__main__":
    main()
