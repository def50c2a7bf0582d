"""Health checks of a server: Bolt's handshake as the fast check, a query in case of doubt."""

from __future__ import annotations

import importlib
import socket
import struct
import threading
import time

from overstory.errors import ServerError
from overstory.server.instance import HOST, Connection

PATIENCE_SECONDS = 30.0
"""How long a running server may take to answer: a busy one takes seconds, and a command restarts it only after this."""
BOLT_GREETING = bytes.fromhex("6060b017") + struct.pack(">4I", 0x00080805, 0x00000004, 0, 0)  # 5.0 … 5.8, 4.0
"""The client's half of Bolt's handshake: a server answers with four bytes within a millisecond, unless its process is
frozen."""
# Both touch the store; the second makes the first query of a user half a second faster.
_QUERIES = ("RETURN 1", "MATCH (n:Overstory {id: ''}) RETURN count(n)")


class PasswordRefusedError(ServerError):
    """The password was changed. Neo4j also refuses for five seconds after three wrong ones."""

    def __init__(self) -> None:
        super().__init__(
            "The embedded server does not accept the password that was generated for it.",
            remedy="If you changed it, write the new one into the password_file of `overstory server status --json`.",
        )


def greets(port: int, seconds: float) -> bool:
    """Whether Bolt's handshake is answered, which takes a millisecond: the process is not frozen."""
    try:
        with socket.create_connection((HOST, port), timeout=seconds) as stream:
            stream.sendall(BOLT_GREETING)
            return len(stream.recv(4)) == 4
    except OSError:
        return False


def answered_after(connection: Connection, seconds: float) -> float | None:
    """After how many seconds a query is answered; None if it is not in time. Some faults, such as a full disk, only
    show in a query.
    """
    importlib.import_module("neo4j")  # takes half a second, which is not the server's
    begun = time.monotonic()
    outcome: list[bool | PasswordRefusedError] = []
    # If the server freezes during the query, the driver waits forever, so it runs in a thread of its own.
    asking = threading.Thread(target=lambda: outcome.append(_ask(connection, seconds)), daemon=True)
    asking.start()
    asking.join(seconds)
    if outcome and isinstance(outcome[0], PasswordRefusedError):
        raise outcome[0]
    return time.monotonic() - begun if outcome == [True] else None


def _ask(connection: Connection, seconds: float) -> bool | PasswordRefusedError:
    import neo4j
    from neo4j.exceptions import DriverError, Neo4jError

    try:
        driver = neo4j.GraphDatabase.driver(
            connection.uri,
            auth=(connection.user, connection.password),
            connection_timeout=seconds,
            notifications_min_severity="OFF",
            telemetry_disabled=True,
        )
        with driver, driver.session(database="neo4j") as session:
            for query in _QUERIES:
                session.run(query).consume()
    except (DriverError, Neo4jError, OSError) as error:
        refused = isinstance(error, Neo4jError) and (error.code or "").startswith("Neo.ClientError.Security")
        return PasswordRefusedError() if refused else False
    return True
