"""Conversion of errors of the Neo4j driver to Overstory errors, which state a remedy."""

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
    from neo4j import exceptions  # the driver loads slowly, so functions import it when they translate an error

_NO_INDEX = re.compile(r"no such (vector|fulltext) schema index|The index '\w+' does not exist", re.IGNORECASE)
_CANNOT_WRITE = ("critical error", "No space left on device", "Could not apply the transaction")
"""Phrases in Neo4j's messages when its disk is full.

The client that was writing gets the first such message. After that, all clients get one until the server is restarted.
"""
_REASON = re.compile(r"(?:\(reason |DNS resolve address \S+ )\[Errno -?\d+\] ([^)]+?)\)?$")
_CONFLICTS = (
    "DeadlockDetected",
    "EntityNotFound",
    "LockAcquisitionTimeout",
    "LockClientStopped",
    "Transaction.Terminated",
    "TransactionTimedOut",
)
"""Error codes of a transaction that did not get a lock, or that met nodes deleted by another transaction."""
_RESTARTED = (
    "Run the command again: it restarts the server and continues. `overstory server logs` shows why the server stopped."
)
_OWN_SERVER = "Check that the server is running and the address is right: OVERSTORY_NEO4J_URI, in Python uri=."
_FULL_DISK_BYTES = 100_000_000
_KEPT = "Committed work is kept."


@contextmanager
def driver_errors(doing: str, *, storage: Path | None = None) -> Generator[None]:
    """Convert driver errors that the block raises to an `OverstoryError`.

    Args:
        doing: statement or address that the message names.
        storage: data folder of the embedded server; None for another server.
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
    except UnicodeEncodeError as error:  # command arguments that are not UTF-8 reach Python as lone surrogates
        raise SettingsError(
            f"{doing}: a value is not valid Unicode.", remedy="Use UTF-8, also on the terminal."
        ) from error


def translated(
    error: exceptions.Neo4jError | exceptions.DriverError, doing: str, *, storage: Path | None = None
) -> OverstoryError:
    """Return the most specific Overstory error for a driver error."""
    from neo4j import exceptions

    code = getattr(error, "code", None) or ""
    message = str(error) if isinstance(error, exceptions.DriverError) else error.message or str(error)
    if isinstance(error, exceptions.AuthError):
        return AuthenticationFailed(
            f"{doing}: the server rejected the user or the password.",
            remedy="Check OVERSTORY_NEO4J_USER and OVERSTORY_NEO4J_PASSWORD, in Python user= and password=; for the "
            "embedded server run overstory doctor.",
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
            f"{doing}: the statement exceeded its time limit.", remedy="Increase OVERSTORY_QUERY_SECONDS."
        )
    if "OutOfMemory" in code or "MemoryPool" in code:
        return StatementFailed(
            f"{doing}: the server is out of memory: {message}",
            remedy="Increase OVERSTORY_SERVER_HEAP and restart the server.",
        )
    if _NO_INDEX.search(message):
        return StatementFailed(
            f"{doing}: {message} The index is missing or being rebuilt.",
            remedy="Wait for the current writer (overstory status), or rebuild the index: overstory index "
            "--rebuild-indexes, in Python index(rebuild_indexes=True).",
        )
    return StatementFailed(
        f"{doing}: {message}", remedy="Run with -v for details; `overstory doctor` checks the server."
    )


@contextmanager
def conflicts(doing: str) -> Generator[None]:
    """Convert driver errors that another transaction caused to `WriteConflict`."""
    from neo4j import exceptions

    try:
        yield
    except exceptions.Neo4jError as error:
        if not any(each in (error.code or "") for each in _CONFLICTS):
            raise
        raise WriteConflict(
            f"{doing}: another transaction is changing the same nodes.",
            remedy="Try again while nobody writes to the corpus (overstory status).",
        ) from error


@contextmanager
def refusals() -> Generator[None]:
    """Convert driver errors that the user's own statement caused to `StatementRefused`."""
    from neo4j import exceptions

    try:
        yield
    except exceptions.ClientError as error:
        code, message = error.code or "", error.message or str(error)
        if "Statement.AccessMode" in code:
            raise StatementRefused(
                f"The enrich statement tries to write: {message}", remedy="Use a statement that only reads."
            ) from error
        if "ClientError.Statement" in code or "ClientError.Procedure" in code:
            raise StatementRefused(
                f"The server rejected the enrich statement: {message}", remedy="Test the statement in Neo4j Browser."
            ) from error
        raise
    except (TypeError, ValueError, OverflowError) as error:
        raise StatementRefused(
            f"A value of the enrich statement has a type that cannot be converted: {error}",
            remedy="Use texts, numbers, booleans, dates, and lists or mappings of these.",
        ) from error


def _first_cause(error: BaseException) -> BaseException:
    while error.__context__ is not None:
        error = error.__context__
    return error


def _why_unreachable(message: str) -> str:
    if found := _REASON.search(message):
        return found[1][0].upper() + found[1][1:]
    return " ".join(message.split())


def _cannot_write(doing: str, message: str, storage: Path | None) -> StatementFailed:
    if storage is None:
        return DiskFull(
            f"{doing}: the server stopped the database, most often because its disk is full: {message}",
            remedy=f"Check the server's free disk space and its log, then restart it. {_KEPT}",
        )
    free = shutil.disk_usage(storage).free
    if free < _FULL_DISK_BYTES:
        return DiskFull(
            f"{doing}: the disk is full, with {free / 1e6:,.0f} MB free for {storage}.",
            remedy="Free space (a server needs about 500 MB), then run `overstory server stop` and the same"
            f" command again. {_KEPT} Or set OVERSTORY_HOME to a folder on another disk.",
        )
    return StatementFailed(
        f"{doing}: the server stopped the database ({free / 1e6:,.0f} MB are free for {storage}): {message}",
        remedy="Run `overstory server stop` and the same command again. If that fails, see `overstory server"
        f" logs`. {_KEPT}",
    )
