"""Turns the driver's errors into ours: what went wrong, and what the reader can do about it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from overstory.errors import (
    AuthenticationFailed,
    DatabaseError,
    DatabaseUnreachable,
    DiskFull,
    GdsMissing,
    OverstoryError,
    SettingsError,
    StatementFailed,
    StatementRefused,
    WriteConflict,
)

GDS_REMEDY = (
    "Install the Graph Data Science plugin on the server (in Docker: NEO4J_PLUGINS='[\"graph-data-science\"]'), "
    "or unset OVERSTORY_NEO4J_URI to use the embedded server, which has it."
)


if TYPE_CHECKING:
    from neo4j import exceptions  # imported where an error is translated, for the driver takes long to import

_NO_INDEX = re.compile(r"no such (vector|fulltext) schema index|The index '\w+' does not exist", re.IGNORECASE)
_CANNOT_WRITE = ("critical error", "No space left on device", "Could not apply the transaction")
"""What Neo4j says when its disk is full, to the writer first and then to everybody until it is restarted."""
_REASON = re.compile(r"(?:\(reason |DNS resolve address \S+ )\[Errno -?\d+\] ([^)]+?)\)?$")
_CONFLICTS = (
    "DeadlockDetected",
    "EntityNotFound",
    "LockAcquisitionTimeout",
    "LockClientStopped",
    "Transaction.Terminated",
    "TransactionTimedOut",
)
"""Codes of a transaction that waited for another one in vain, or met what another one deleted."""
_RESTARTED = (
    "Run the same command again: it starts the server, and goes on from what was committed. `overstory server logs` "
    "says why the server stopped."
)
_OWN_SERVER = "Check that the server runs, and its address: OVERSTORY_NEO4J_URI, in Python uri=."
_FULL_DISK_BYTES = 100_000_000
_KEPT = "What was committed is kept."


@contextmanager
def driver_errors(doing: str, *, storage: Path | None = None) -> Generator[None]:
    """Re-raises errors of the driver as an `OverstoryError` that names `doing` (a statement, or an address).

    Args:
        storage: where the server keeps its data, if that is on this machine.
    """
    from neo4j import exceptions

    try:
        yield
    except (exceptions.Neo4jError, exceptions.DriverError) as error:
        raise translated(error, doing, storage=storage) from error
    except BufferError as error:
        if isinstance(_first_cause(error), KeyboardInterrupt):
            raise KeyboardInterrupt from error
        raise
    except UnicodeEncodeError as error:  # an argument in another encoding reaches Python as unpaired surrogates
        raise SettingsError(
            f"{doing}: a value holds what is no Unicode text.", remedy="Use UTF-8, on the terminal too."
        ) from error


def translated(
    error: exceptions.Neo4jError | exceptions.DriverError, doing: str, *, storage: Path | None = None
) -> OverstoryError:
    """Our error for one of the driver's, the most specific that fits."""
    from neo4j import exceptions

    code = getattr(error, "code", None) or ""
    message = str(error) if isinstance(error, exceptions.DriverError) else error.message or str(error)
    if isinstance(error, exceptions.AuthError):
        return AuthenticationFailed(
            f"{doing}: the server refused the user or the password.",
            remedy="Check OVERSTORY_NEO4J_USER and OVERSTORY_NEO4J_PASSWORD, in Python user= and password= (embedded "
            "server: overstory doctor).",
        )
    if any(mark in message for mark in _CANNOT_WRITE):
        return _cannot_write(doing, message, storage)
    if isinstance(error, exceptions.DriverError | exceptions.DatabaseUnavailable):
        return DatabaseUnreachable(
            f"{doing}: {_why_unreachable(message)}",
            remedy=_RESTARTED if storage else _OWN_SERVER,
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


@contextmanager
def conflicts(doing: str) -> Generator[None]:
    """Re-raises errors of the driver that another transaction brought about."""
    from neo4j import exceptions

    try:
        yield
    except exceptions.Neo4jError as error:
        if not any(each in (error.code or "") for each in _CONFLICTS):
            raise
        raise WriteConflict(
            f"{doing}: another transaction had what this one was to write.",
            remedy="Try again when nobody writes to the corpus (overstory status).",
        ) from error


@contextmanager
def refusals() -> Generator[None]:
    """Re-raises errors of the driver that a statement of the user's own brought about."""
    from neo4j import exceptions

    try:
        yield
    except exceptions.ClientError as error:
        code, message = error.code or "", error.message or str(error)
        if "Statement.AccessMode" in code:
            raise StatementRefused(
                f"The statement on hits would write: {message}", remedy="It may only read the graph."
            ) from error
        if "ClientError.Statement" in code or "ClientError.Procedure" in code:
            raise StatementRefused(
                f"The server refuses the statement on hits: {message}", remedy="Try it in Neo4j Browser."
            ) from error
        raise
    except (TypeError, ValueError, OverflowError) as error:
        raise StatementRefused(
            f"The statement on hits is given, or returns, a value that Neo4j or Python does not have: {error}",
            remedy="Let it have texts, numbers, truth values, dates, and lists or mappings of them.",
        ) from error


def _first_cause(error: BaseException) -> BaseException:
    """What was raised before everything else that was raised while it was handled."""
    while error.__context__ is not None:
        error = error.__context__
    return error


def _why_unreachable(message: str) -> str:
    """What the driver says of a connection, in a line: its reason alone where it names one."""
    if found := _REASON.search(message):
        return found[1][0].upper() + found[1][1:]
    return " ".join(message.split())


def _cannot_write(doing: str, message: str, storage: Path | None) -> StatementFailed:
    """The error of a server that stopped its database because it could not write, most often to a full disk."""
    if storage is None:
        return DiskFull(
            f"{doing}: the server stopped its database, most often because its disk is full: {message}",
            remedy=f"Look at the free space of its disk and at its log, then restart it. {_KEPT}",
        )
    free = shutil.disk_usage(storage).free
    if free < _FULL_DISK_BYTES:
        return DiskFull(
            f"{doing}: the disk is full: {free / 1e6:,.0f} MB are free for {storage}.",
            remedy="Free some space (a server needs about 500 MB), then run `overstory server stop` and the same"
            f" command again. {_KEPT} Or set OVERSTORY_HOME to a folder on another disk.",
        )
    return StatementFailed(
        f"{doing}: the server stopped its database ({free / 1e6:,.0f} MB are free for {storage}): {message}",
        remedy="Run `overstory server stop` and the same command again; if that does not help, see `overstory server"
        f" logs`. {_KEPT}",
    )
