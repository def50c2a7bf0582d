"""The embedded Neo4j server, which is downloaded once, started on demand, and stopped when it is idle.

All processes of a user that have the same data folder share one server.
"""

from overstory.server.instance import USER, Connection
from overstory.server.lifecycle import begin_if_embedded, ensure_running, fetch, remove, stop
from overstory.server.status import Check, ServerState, ServerStatus, diagnose, password, read_log, status

__all__ = [
    "USER",
    "Check",
    "Connection",
    "ServerState",
    "ServerStatus",
    "begin_if_embedded",
    "diagnose",
    "ensure_running",
    "fetch",
    "password",
    "read_log",
    "remove",
    "status",
    "stop",
]
