"""Find hosts of package registries and paths of one machine, which must not be in the project's files.

    python scripts/check_names.py            files that git tracks or would track
    python scripts/check_names.py PATH…      these files, and all files below these folders

Readers choose their package registry, so no file names one. The names below are split, so that this file passes its own
check.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

HOSTS = [
    ("pypi", "org"),
    ("pythonhosted", "org"),
    ("npmjs", "org"),
    ("npmjs", "com"),
    ("yarnpkg", "com"),
    ("crates", "io"),
    ("proxy", "golang", "org"),
    ("maven", "apache", "org"),
    ("repo1", "maven", "org"),
    ("maven", "google", "com"),
    ("central", "sonatype", "com"),
    ("deb", "debian", "org"),
]
PATHS = [
    ("work", "main"),
    ("work", "shared"),
    ("work", r"\."),
    ("root", r"[\w.]"),
    ("home", r"[\w-]+/"),
    ("opt", "wheels"),
]

FORBIDDEN = re.compile(
    "|".join(
        [rf"(?<![\w-]){re.escape('.'.join(host))}\b" for host in HOSTS]
        + [r"(?<![\w./~-])/" + "/".join(p) for p in PATHS]
    )
)


def main(arguments: list[str]) -> int:
    """Print each line with a forbidden name. Return 1 if there is one."""
    paths = _below(Path(argument) for argument in arguments) if arguments else _tracked()
    found = [finding for path in paths for finding in _findings(path)]
    print("\n".join(found) if found else "No file names a registry host or a path of this machine.")
    return int(bool(found))


def _below(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        yield from (each for each in sorted(path.rglob("*")) if each.is_file()) if path.is_dir() else (path,)


def _tracked() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], check=True, capture_output=True
    )
    return [path for name in listed.stdout.decode().split("\0") if name and (path := Path(name)).is_file()]


def _findings(path: Path) -> Iterator[str]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        return
    for number, line in enumerate(lines, start=1):
        for match in FORBIDDEN.finditer(line):
            yield f"{path}:{number}: {match.group()}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
