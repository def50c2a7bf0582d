"""Commands as a user runs them, in the process of the tests: a start of Python costs more than most commands do."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

from overstory.settings import Settings

Run = Callable[..., "Ran"]
"""The fixture `overstory`: runs a command against the shared server, `overstory("search", "Who?", "-k", "2")`."""

PROGRAM = str(Path(sys.executable).with_name("overstory"))
"""The installed command, for what only a process of its own shows."""


class Ran:
    """The result of a command: exit code, standard output, standard error."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    def json(self) -> dict[str, object]:
        parsed = json.loads(self.out)
        assert isinstance(parsed, dict)
        return parsed


def variables(settings: Settings) -> dict[str, str]:
    """Variables with which a command finds the shared server."""
    return {"OVERSTORY_HOME": str(settings.places.data)}


def environment(settings: Settings) -> dict[str, str]:
    """The environment of a process that uses the shared server."""
    return os.environ | variables(settings)
