"""A run that is killed and run again pays for nothing twice but what was under way."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.chat_endpoint import Handler, running_chat_endpoint, saying

RUN = """
import sys
from overstory.llm import open_chat
from overstory.model import Message
from overstory.settings import Settings

with open_chat(Settings.from_environment()) as chat:
    texts = list(chat.each(lambda n: chat.ask([Message("user", f"Number {n}?")]).text, range(40)))
    print(len(texts), chat.usage.spent.requests, chat.usage.spent.remembered)
"""
AT_ONCE = 3


def slow(handler: Handler, request: dict[str, Any]) -> None:
    time.sleep(0.02)
    saying(request["messages"][0]["content"])(handler, request)


@pytest.mark.slow
def test_what_a_killed_run_was_answered_is_not_asked_again(tmp_path: Path) -> None:
    with running_chat_endpoint() as endpoint:
        endpoint.then = slow
        environment = {
            "PYTHONPATH": ":".join(sys.path),
            "OVERSTORY_HOME": str(tmp_path),
            "OVERSTORY_LLM_BASE_URL": endpoint.url,
            "OVERSTORY_LLM_MODEL": "m",
            "OVERSTORY_LLM_AT_ONCE": str(AT_ONCE),
        }
        command = [sys.executable, "-W", "error", "-c", RUN]
        for killed_after in (10, 30):
            with subprocess.Popen(command, env=environment) as run:
                while len(endpoint.requests) < killed_after:
                    time.sleep(0.005)
                run.kill()
        result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert result.stderr == ""
        total, requests, remembered = map(int, result.stdout.split())
        assert (total, requests + remembered) == (40, 40)
        assert remembered >= 30 - 3 * AT_ONCE
        assert len(endpoint.requests) <= 40 + 3 * AT_ONCE
