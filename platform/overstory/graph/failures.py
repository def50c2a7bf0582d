"""Turns the driver's errors into ours: what went wrong, and what the reader can do about it."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager

from neo4j import exceptions

from overstory.errors import (
    AuthenticationFailed,
    DatabaseError,
    DatabaseUnreachable,
    GdsMissing,
    OverstoryError,
    SettingsError,
    StatementFailed,
)

GDS_REMEDY = (
    "Install the Graph Data Science plugin on the server (in Docker: NEO4J_PLUGINS='[\"graph-data-science\"]'), "
    "or unset OVERSTORY_NEO4J_URI to use the embedded server, which has it."
)


_NO_INDEX = re.compile(r"no such (vector|fulltext) schema index", re.IGNORECASE)


@contextmanager
def driver_errors(doing: str) -> Generator[None]:
    """Re-raises errors of the driver as an `OverstoryError` that names `doing` (a statement, or an address)."""
    try:
        yield
    except (exceptions.Neo4jError, exceptions.DriverError) as error:
        raise translated(error, doing) from error
    except UnicodeEncodeError as error:  # an argument in another encoding reaches Python as unpaired surrogates
        raise SettingsError(
            f"{doing}: a value holds what is no Unicode text.", remedy="Use UTF-8, on the terminal too."
        ) from error


def translated(error: exceptions.Neo4jError | exceptions.DriverError, doing: str) -> OverstoryError:
    """Our error for one of the driver's, the most specific that fits."""
    code = getattr(error, "code", None) or ""
    message = str(error) if isinstance(error, exceptions.DriverError) else error.message or str(error)
    if isinstance(error, exceptions.AuthError):
        return AuthenticationFailed(
            f"{doing}: the server refused the user or the password.",
            remedy="Check OVERSTORY_NEO4J_USER and OVERSTORY_NEO4J_PASSWORD, in Python user= and password= (embedded "
            "server: overstory doctor).",
        )
    if isinstance(error, exceptions.DriverError | exceptions.DatabaseUnavailable):
        return DatabaseUnreachable(
            f"{doing}: {message}",
            remedy="What was finished is kept: run the same command again. If that does not help, see "
            "`overstory doctor` and `overstory server logs`; for a server of your own, check OVERSTORY_NEO4J_URI, in "
            "Python uri=.",
        )
    if "ProcedureNotFound" in code and "gds." in message:
        return GdsMissing(f"{doing}: the server has no Graph Data Science plugin.", remedy=GDS_REMEDY)
    if "DatabaseNotFound" in code:
        return DatabaseError(
            f"{doing}: {message}", remedy="Set OVERSTORY_NEO4J_DATABASE, in Python database=, to an existing one."
        )
    if "TransactionTimedOut" in code:
        return StatementFailed(
            f"{doing}: the statement was stopped after its time limit.", remedy="Raise OVERSTORY_QUERY_SECONDS."
        )
    if "OutOfMemory" in code or "MemoryPool" in code:
        return StatementFailed(
            f"{doing}: the server is out of memory: {message}",
            remedy="Raise OVERSTORY_SERVER_HEAP and restart the server.",
        )
    if _NO_INDEX.search(message):
        return StatementFailed(
            f"{doing}: {message} It is missing, or being made again.",
            remedy="Wait for whoever writes to the corpus (overstory status), or make it: overstory index "
            "--rebuild-indexes, in Python index(rebuild_indexes=True).",
        )
    return StatementFailed(
        f"{doing}: {message}", remedy="Run with -v for details; `overstory doctor` checks the server."
    )
