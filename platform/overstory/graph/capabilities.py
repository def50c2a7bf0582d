"""Version and plugins of the connected server, each read once."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

from overstory.errors import GdsMissing, ServerTooOld
from overstory.graph.failures import GDS_REMEDY

OLDEST: tuple[int, ...] = (5, 26)


class Capabilities:
    """What the server is. Safe to share between threads.

    Attributes:
        version, edition: of the server: "5.26.30", "community".
    """

    def __init__(self, run: Callable[[str], list[dict[str, Any]]], version: str, edition: str) -> None:
        """
        Args:
            run: gives the rows of a statement.
        """
        self._run = run
        self.version = version
        self.edition = edition

    @functools.cached_property
    def gds(self) -> str:
        """The version of Graph Data Science, "" without it. Asked when first needed: the server takes as long for the
        list of its functions as for a search."""
        return str(self._run("gds/version")[0]["version"]) if self._run("schema/has_gds") else ""

    @functools.cached_property
    def numbers(self) -> tuple[int, ...]:
        """The version as numbers, to compare: (5, 26, 30)."""
        return version_tuple(self.version)

    def require_gds(self, stage: str) -> None:
        if not self.gds:
            raise GdsMissing(f"{stage} needs the Graph Data Science plugin, which the server lacks.", remedy=GDS_REMEDY)


def read_capabilities(run: Callable[[str], list[dict[str, Any]]]) -> Capabilities:
    """Asks the server."""
    (kernel,) = run("schema/server_version")
    version = str(kernel["version"])
    if version_tuple(version) < OLDEST:
        raise ServerTooOld(
            f"The server is Neo4j {version}; Overstory needs {OLDEST[0]}.{OLDEST[1]} or later.",
            remedy="Upgrade the server, or unset OVERSTORY_NEO4J_URI to use the embedded one.",
        )
    return Capabilities(run, version, edition=str(kernel["edition"]))


def version_tuple(version: str) -> tuple[int, ...]:
    """(5, 26, 30) of "5.26.30", (2025, 1, 0) of "2025.01.0", numbers behind a "-" or "+" left out."""
    return tuple(int(part) for part in re.findall(r"\d+", re.split(r"[-+]", version, maxsplit=1)[0]))
