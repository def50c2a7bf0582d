"""A full disk is 507, wherever it is met, and nothing is left half written."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import subprocess
import sys
from http import HTTPStatus
from pathlib import Path

import pytest
from neo4j.exceptions import Neo4jError

from overstory.errors import DatabaseError, OverstoryError, ServerError
from overstory.graph.failures import translated
from overstory.spool import Spool
from overstory_service.problems import problem_of

MOUNTED = 'mount -t tmpfs -o size=4m none "$1" && exec "$0" -c "$2" "$1"'
PROGRAM = """
import sys, tempfile
from pathlib import Path
from starlette.testclient import TestClient
from overstory_service.application import create_application
from overstory_service.settings import ServiceSettings
from overstory_service.tokens import TOKENS_FILE, TokenFile
from overstory.settings import Places, Settings

home = Path(sys.argv[1])
token = TokenFile(home / TOKENS_FILE).add("root", "admin")
application = create_application(Settings(places=Places(data=home, cache=home)), ServiceSettings(), folder=home)
client = TestClient(application, base_url="http://localhost")
own, page = {"Authorization": f"Bearer {token}"}, {"X-Overstory-Page": "1"}
tokens = (home / TOKENS_FILE).read_bytes()
try:
    (home / "ballast").write_bytes(bytes(2**23))
except OSError:
    pass
upload = {"files": ("notes.md", bytes(2**20))}
answers = [
    client.post("/v1/corpora/notes/files", files=upload, headers=own),
    client.post("/v1/tokens", json={"name": "other"}, headers=own),
    client.post("/v1/session", json={"token": token}, headers=page),
    client.delete("/v1/tokens/root", headers=own),
]
tempfile.tempdir = str(home)
answers.append(client.post("/v1/corpora/notes/files", files={"files": ("notes.md", bytes(2**21))}, headers=own))
for each in answers:
    print(each.status_code, each.json()["type"], "free some space" in each.json()["remedy"])
assert (home / TOKENS_FILE).read_bytes() == tokens
(home / "ballast").unlink()
print(sorted(each.name for each in home.rglob("*") if each.suffix != ".lock" and each.is_file()))
print(client.post("/v1/tokens", json={"name": "other"}, headers=own).status_code)
"""


def may_mount() -> bool:
    if sys.platform != "linux" or shutil.which("unshare") is None:
        return False
    tried = ["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"]
    return subprocess.run(tried, capture_output=True, check=False).returncode == 0


@pytest.mark.slow
@pytest.mark.skipif(not may_mount(), reason="a user may not mount here")
def test_requests_on_a_full_disk_are_507_and_leave_nothing(tmp_path: Path) -> None:
    run = ["unshare", "-rm", "sh", "-c", MOUNTED, sys.executable, str(tmp_path), PROGRAM]
    done = subprocess.run(run, capture_output=True, text=True, timeout=120, check=False, env=os.environ)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        *["507 urn:overstory:problem:disk-full True"] * 5,
        "['place', 'tokens.json']",
        "201",
    ], done.stderr


def of_spool() -> OverstoryError:
    failed = sqlite3.OperationalError("database or disk is full")
    failed.sqlite_errorcode = sqlite3.SQLITE_FULL
    try:
        with Spool("t (a)"):
            raise failed
    except OverstoryError as error:
        return error


def of_place() -> ServerError:
    error = ServerError("x")
    error.__cause__ = OSError(errno.EDQUOT, "Disk quota exceeded")
    return error


def of_database() -> OverstoryError:
    full = Neo4jError._hydrate_neo4j(message="x: No space left on device")  # pyright: ignore[reportPrivateUsage] # as the driver does
    return translated(full, "service/add_job")


@pytest.mark.parametrize(
    "error", [OSError(errno.ENOSPC, "x"), OSError(errno.EDQUOT, "x"), of_spool(), of_place(), of_database()]
)
def test_a_full_disk_is_told_wherever_it_is_met(error: Exception) -> None:
    problem = problem_of(error)
    assert (problem.status, problem.type) == (HTTPStatus.INSUFFICIENT_STORAGE, "urn:overstory:problem:disk-full")


@pytest.mark.parametrize("error", [OSError(errno.EACCES, "x"), DatabaseError("x")])
def test_other_failures_are_not_taken_for_a_full_disk(error: Exception) -> None:
    assert problem_of(error).status in {500, 503}
