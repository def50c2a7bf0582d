"""Errors of the driver in our words."""

from __future__ import annotations

from pathlib import Path

import pytest
from neo4j.exceptions import Neo4jError, ServiceUnavailable

from overstory.errors import StatementFailed
from overstory.graph import failures
from overstory.graph.failures import driver_errors, translated

# As Neo4j 5.26 said it on a disk that filled up: to the writer, then to readers.
FULL = {
    "a writer": ("Neo.TransientError.Transaction.Terminated", "Could not apply the transaction: Transaction #84 {…}"),
    "a reader": (
        "Neo.TransientError.Database.DatabaseUnavailable",
        "The database has encountered a critical error, and needs to be restarted.",
    ),
    "a checkpoint": ("Neo.DatabaseError.General.UnknownError", "No space left on device"),
}

REFUSED = """Couldn't connect to localhost:1 (resolved to ('127.0.0.1:1',)):
Failed to establish connection to ResolvedIPv4Address(('127.0.0.1', 1)) (reason [Errno 111] Connection refused)"""
"""As the driver says it."""


def error_of(code: str, message: str) -> Neo4jError:
    return Neo4jError._hydrate_neo4j(code=code, message=message)  # pyright: ignore[reportPrivateUsage] # as the driver does


@pytest.mark.parametrize(("code", "message"), FULL.values(), ids=FULL)
def test_a_database_that_cannot_write_names_its_folder_and_the_space_there(
    code: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(StatementFailed) as caught, driver_errors("load", storage=tmp_path):
        raise error_of(code, message)
    assert f"for {tmp_path}" in str(caught.value)
    assert "overstory server stop" in caught.value.remedy
    assert "-v" not in caught.value.remedy


def test_a_full_disk_is_named() -> None:
    storage = Path("/proc")  # a file system without free space
    found = translated(error_of(*FULL["a writer"]), "load", storage=storage)
    assert str(found).startswith("load: the disk is full, with 0 MB free for /proc.")
    assert "Free space" in found.remedy


def test_a_server_elsewhere_is_said_to_have_a_full_disk_most_often() -> None:
    found = translated(error_of(*FULL["a reader"]), "load")
    assert isinstance(found, StatementFailed)
    assert "most often because its disk is full" in str(found)
    assert "free disk space" in found.remedy


@pytest.mark.parametrize(
    ("code", "message"),
    [
        # As Neo4j 5.26 says it of `db.index.vector.queryNodes`, and 2026.08 of SEARCH.
        ("Neo.ClientError.Procedure.ProcedureCallFailed", "There is no such vector schema index: overstory_vector_x"),
        ("Neo.ClientError.Schema.IndexNotFound", "22N69: The index 'overstory_vector_x' does not exist."),
    ],
)
def test_an_index_that_is_missing_can_be_made_again(code: str, message: str) -> None:
    found = translated(error_of(code, message), "retrieve/nearest_index")
    assert "The index is missing or being rebuilt." in str(found)
    assert "--rebuild-indexes" in found.remedy


def test_other_failures_are_said_as_they_are(tmp_path: Path) -> None:
    found = translated(error_of("Neo.ClientError.Statement.SyntaxError", "Invalid input"), "load", storage=tmp_path)
    assert str(found).startswith("load: Invalid input")
    assert failures.GDS_REMEDY not in found.remedy


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (
            REFUSED,
            "bolt://localhost:1: Connection refused",
        ),
        (
            "Failed to DNS resolve address nosuch:7687: [Errno -2] Name or service not known",
            "bolt://localhost:1: Name or service not known",
        ),
        ("Timed out trying\nto establish connection", "bolt://localhost:1: Timed out trying to establish connection"),
    ],
)
def test_a_server_that_cannot_be_reached_is_told_in_a_line(said: str, shown: str, tmp_path: Path) -> None:
    own = translated(ServiceUnavailable(said), "bolt://localhost:1")
    assert str(own) == shown
    assert "OVERSTORY_NEO4J_URI" in own.remedy
    embedded = translated(ServiceUnavailable(said), "bolt://localhost:1", storage=tmp_path)
    assert "overstory server logs" in embedded.remedy
    assert "OVERSTORY_NEO4J_URI" not in embedded.remedy


def test_an_interruption_that_the_driver_hides_is_one() -> None:
    def interrupted() -> None:
        try:
            raise KeyboardInterrupt
        finally:
            raise BufferError("Existing exports of data: object cannot be re-sized")

    with pytest.raises(KeyboardInterrupt), driver_errors("status"):
        interrupted()


def test_another_error_over_a_buffer_is_none() -> None:
    with pytest.raises(BufferError), driver_errors("status"):
        raise BufferError
