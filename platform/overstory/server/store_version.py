"""The Neo4j version that a store was last used with: stores of a newer version are refused."""

from __future__ import annotations

import json
import re

from overstory.errors import ServerStartError
from overstory.server.instance import Instance, Ports
from overstory.whole_files import write_whole


def check_version(instance: Instance, version: str) -> None:
    """Check that a store can be opened with this version of Neo4j."""
    recorded = _read(instance).get("neo4j")
    if isinstance(recorded, str) and _key(recorded) > _key(version):
        raise ServerStartError(
            f"The graph in {instance.home} was last used with Neo4j {recorded}; "
            f"this version of Overstory uses {version}, and Neo4j cannot open stores of a later version.",
            remedy="Use the version of Overstory that wrote it, or set OVERSTORY_HOME to another folder.",
        )


def last_ports(instance: Instance) -> Ports | None:
    """The ports of the last start, if any."""
    recorded = _read(instance)
    bolt, http = recorded.get("bolt"), recorded.get("http")
    return Ports(bolt, http) if isinstance(bolt, int) and isinstance(http, int) else None


def record(instance: Instance, version: str, ports: Ports) -> None:
    """Record version and ports before a start: from then on the store may be in this version's format."""
    text = json.dumps({"neo4j": version, "bolt": ports.bolt, "http": ports.http})
    write_whole(instance.store_file, text + "\n")


def _read(instance: Instance) -> dict[str, object]:
    try:
        recorded = json.loads(instance.store_file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return recorded if isinstance(recorded, dict) else {}


def _key(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version))
