"""The conformance tests of the Model Context Protocol against `/mcp`, as far as they apply: it has tools alone."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from tests.serving import Running

PACKAGE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
NODE = "node@22"
SCENARIOS = (
    *("server-initialize", "ping", "tools-list", "dns-rebinding-protection"),
    *("http-header-validation", "server-stateless", "caching"),
)
"""The others call tools of a server made for them, or resources and prompts, which this server does not have."""
WITHOUT = ("Not testable", "prompts/list returned", "resources/list returned", "resources/templates/list returned")
"""Failures that are expected within these scenarios."""
SCENARIO_SECONDS = 300


@pytest.mark.skipif(
    "OVERSTORY_TEST_MCP_CONFORMANCE" not in os.environ,
    reason="installs packages of npm; OVERSTORY_TEST_MCP_CONFORMANCE=1",
)
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_server_conforms(service: Running, scenario: str, tmp_path: Path) -> None:
    packages = [f"--package={name}" for name in (NODE, PACKAGE)]
    command = ["conformance", "server", "--url", f"{service.url}/mcp", "--scenario", scenario, "-o", str(tmp_path)]
    done = subprocess.run(
        ["npx", "--yes", *packages, "--", *command],
        capture_output=True,
        text=True,
        timeout=SCENARIO_SECONDS,
        check=False,
    )
    written = list(tmp_path.rglob("checks.json"))
    assert written, done.stdout[-2_000:] + done.stderr[-2_000:]
    checks = [check for file in written for check in json.loads(file.read_text(encoding="utf-8"))]
    assert [check for check in checks if check["status"] == "SUCCESS"]
    failed = [check.get("errorMessage", "") for check in checks if check["status"] == "FAILURE"]
    assert not [message for message in failed if not message.startswith(WITHOUT)]
