"""The examples of docs/mcp.md: the settings of programs that have agents, and the commands."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import httpx2
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from tests.agents import structure, talk
from tests.commands import PROGRAM, environment
from tests.serving import Running

from overstory.examples import agent_skill
from overstory.knowledge import Knowledge
from overstory.settings import Settings

PAGE = (Path(__file__).parents[3] / "docs" / "mcp.md").read_text(encoding="utf-8")
PROCESS, SERVICE = (
    json.loads(block)["mcpServers"]["overstory"] for block in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
)
COMMANDS = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
QUESTION = "Where was Albert Einstein born?"


@pytest.mark.slow
def test_a_program_can_start_the_process_that_the_page_names(settings: Settings, shared_corpus: Knowledge) -> None:
    assert PROCESS["command"] == Path(PROGRAM).name
    arguments = [shared_corpus.corpus_name if each == "notes" else each for each in PROCESS["args"]]
    started = StdioServerParameters(command=PROGRAM, args=arguments, env=environment(settings) | PROCESS["env"])

    async def work() -> None:
        async with Client(started) as client:
            assert structure(await client.call_tool("ask", {"question": QUESTION}))["state"] == "answered"

    talk(work)


def test_a_program_can_ask_the_service_that_the_page_names(service: Running, shared_corpus: Knowledge) -> None:
    url = SERVICE["url"].replace("http://localhost:8484", service.url)
    token = service.token("page", corpora=(shared_corpus.corpus_name,))
    headers = {name: value.replace("TOKEN", token) for name, value in SERVICE["headers"].items()}

    async def work() -> None:
        async with (
            httpx2.AsyncClient(headers=headers, trust_env=False) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            assert structure(await client.call_tool("ask", {"question": QUESTION}))["state"] == "answered"

    talk(work)


def test_commands_add_what_the_settings_have() -> None:
    process, service = (command for command in COMMANDS if command.startswith("claude mcp add"))
    assert process.split(" -- ")[1].split() == [PROCESS["command"], *PROCESS["args"]]
    assert SERVICE["url"] in service
    assert f'--header "Authorization: {SERVICE["headers"]["Authorization"]}"' in service


def test_the_skill_is_put_where_the_page_says(tmp_path: Path) -> None:
    (command,) = (each for each in COMMANDS if "--skill" in each)
    path = f"{Path(PROGRAM).parent}{os.pathsep}{os.environ['PATH']}"
    bash = shutil.which("bash")
    assert bash is not None
    subprocess.run([bash, "-ec", command], cwd=tmp_path, env=os.environ | {"PATH": path}, check=True, timeout=60)
    skill = tmp_path / ".claude" / "skills" / "overstory" / "SKILL.md"
    assert skill.read_text(encoding="utf-8") == agent_skill().read_text(encoding="utf-8")
