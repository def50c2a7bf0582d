"""A web browser, opened for an address."""

from __future__ import annotations

import socket
import threading
import time
import webbrowser
from pathlib import Path

TEXT_BROWSERS = {"www-browser", "links", "elinks", "lynx", "w3m"}
"""Text-mode browsers that Python finds without a display; none of them runs what we open."""
_WAIT_FOR_SERVICE_SECONDS = 60.0
_SECONDS_BETWEEN_CONNECTIONS = 0.1


def opened(link: str) -> bool:
    """Whether a web browser with windows was opened; one of the terminal, which would take it over, is not."""
    try:
        found = webbrowser.get()
    except webbrowser.Error:
        return False
    name = Path(str(getattr(found, "name", ""))).name
    return name not in TEXT_BROWSERS and found.open(link)


def open_when_listening(link: str, host: str, port: int) -> None:
    """Opens an address once something listens there, without waiting for it."""

    def wait() -> None:
        end = time.monotonic() + _WAIT_FOR_SERVICE_SECONDS
        while time.monotonic() < end:
            try:
                socket.create_connection((host, port), timeout=1.0).close()
            except OSError:
                time.sleep(_SECONDS_BETWEEN_CONNECTIONS)
            else:
                opened(link)
                return

    threading.Thread(target=wait, name="open", daemon=True).start()
