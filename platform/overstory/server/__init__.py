"""The embedded Neo4j: downloaded once, started on demand, shared by a user's processes, stopped when idle."""

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
