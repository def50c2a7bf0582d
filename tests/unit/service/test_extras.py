"""Without an extra, a command or a route says which one to install."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from overstory.errors import install_command
from overstory.settings import Places, Settings
from overstory_service.application import create_application
from overstory_service.settings import ServiceSettings


@pytest.mark.parametrize(
    ("missing", "command", "extra"), [("mcp", "mcp", "mcp"), ("fastapi", "mcp", "mcp"), ("fastapi", "serve", "serve")]
)
def test_a_command_says_which_extra_it_needs(missing: str, command: str, extra: str) -> None:
    program = f"import sys; sys.modules[{missing!r}] = None; from overstory_cli import main; main([{command!r}])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 13
    assert f"{missing} is not installed" in done.stderr
    assert install_command(extra) in done.stderr
    assert "Traceback" not in done.stderr


def test_a_service_without_the_extra_says_so_at_mcp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [each for each in sys.modules if each.startswith("overstory_service.mcp.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp", None)
    settings = Settings(places=Places(data=tmp_path, cache=tmp_path))
    application = create_application(settings, ServiceSettings(), folder=tmp_path)
    client = TestClient(application, base_url="http://localhost")  # without its lifespan, which connects
    answer = client.post("/mcp", json={})
    assert answer.status_code == 501
    assert install_command("mcp") in answer.json()["remedy"]
