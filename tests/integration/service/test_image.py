"""The image of the service, as far as that can be tried without Docker: its steps, and what it starts."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
from http import HTTPStatus
from pathlib import Path

import httpx
import pytest
import yaml
from tests.commands import variables

from overstory.settings import Settings

ROOT = Path(__file__).parents[3]
DOCKERFILE = ROOT / "docker" / "Dockerfile"
STEP_SECONDS = 900
READY_SECONDS = 120


def instructions() -> list[tuple[str, str]]:
    """Those of the Dockerfile: the word that they begin with, and the rest."""
    text = re.sub(r"^\s*#.*\n", "", DOCKERFILE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    lines = re.sub(r"\\\n", " ", text).splitlines()
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in lines) if word]


def test_the_service_in_the_compose_file_can_write_nothing_but_its_data() -> None:
    compose = yaml.safe_load((ROOT / "docker" / "compose.yaml").read_text(encoding="utf-8"))
    service = compose["services"]["overstory"]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert all(port.startswith("${OVERSTORY_BIND:-127.0.0.1}:") for port in service["ports"])
    assert [rest for word, rest in instructions() if word == "USER"] == ["10001"]


def test_what_the_image_copies_is_there_and_not_ignored() -> None:
    kept = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    for word, rest in instructions():
        if word == "COPY" and not rest.startswith("--from"):
            for source in rest.split()[:-1]:
                assert (ROOT / source).exists()
                assert source in kept


@pytest.mark.skipif(
    "OVERSTORY_TEST_IMAGE" not in os.environ, reason="installs some 100 packages; OVERSTORY_TEST_IMAGE=1"
)
def test_its_steps_give_a_service_that_gets_ready(settings: Settings, tmp_path: Path) -> None:
    source, installed = tmp_path / "src", tmp_path / "opt"
    source.mkdir()
    build = instructions()[: [word for word, _ in instructions()].index("FROM", 1)]
    for word, rest in build:
        if word == "COPY":
            *names, target = rest.split()
            for name in names:
                to = source / (name if len(names) > 1 else target)
                to.parent.mkdir(parents=True, exist_ok=True)
                (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, to)
        elif word == "RUN":
            step = rest.replace("/opt/overstory", str(installed)).replace("python -m venv", f"{sys.executable} -m venv")
            done = subprocess.run(
                ["sh", "-ec", step], cwd=source, capture_output=True, text=True, timeout=STEP_SECONDS, check=False
            )
            assert done.returncode == 0, done.stdout[-3_000:] + done.stderr[-3_000:]
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [str(installed / "bin" / "overstory"), "serve", "--port", str(port)]
    own = {"PATH": os.environ["PATH"], "NUMBA_CACHE_DIR": str(tmp_path / "numba"), **variables(settings)}
    with subprocess.Popen(command, env=own, cwd=tmp_path, stderr=subprocess.PIPE) as process:
        try:
            end = time.monotonic() + READY_SECONDS
            while time.monotonic() < end:
                try:
                    if httpx.get(f"http://127.0.0.1:{port}/readyz", trust_env=False).status_code == HTTPStatus.OK:
                        break
                except httpx.TransportError:
                    pass
                time.sleep(0.5)
            else:
                raise AssertionError("the service does not get ready")
        finally:
            process.terminate()
