"""A web browser is opened once the service listens."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

LINK = "http://127.0.0.1:1/#/ask/demo"
SCRIPT = """
import sys, threading
from overstory_cli.serve import open_when_listening
open_when_listening(sys.argv[1], "127.0.0.1", int(sys.argv[2]))
print("waits", flush=True)
next(each for each in threading.enumerate() if each.name == "open").join()
"""


def test_a_browser_is_opened_when_something_listens_and_not_before(tmp_path: Path) -> None:
    told, browser = tmp_path / "told", tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {told}\n')
    browser.chmod(0o755)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    command = [sys.executable, "-c", SCRIPT, LINK, str(port)]
    environment = os.environ | {"BROWSER": f"{browser} %s"}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as opening:
        assert opening.stdout is not None
        assert opening.stdout.readline() == "waits\n"
        time.sleep(0.5)
        assert not told.exists()
        with socket.create_server(("127.0.0.1", port)):
            assert opening.wait() == 0
    assert told.read_text() == LINK
