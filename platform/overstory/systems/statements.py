"""Runs the statements with which systems write rows to the graph.

A new generation is written in many transactions. An update is written in one transaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from overstory.graph import Transaction, Writer, batches
from overstory.graph.client import Row
from overstory.graph.ids import derived_label
from overstory.protocols import Progress

_SYSTEM_ROWS_A_TRANSACTION = 10_000
_SYSTEM_ROWS_A_STATEMENT = 2_000

Statement = tuple[str, Sequence[Row], Mapping[str, Any]]
"""The name of a Cypher statement, the rows that it writes, and its other parameters."""
Statements = Iterable[Statement]
"""Statements in the order in which they must run."""


class ListedVectors(Sequence[Row]):
    """A sequence of rows that converts the array under "vector" to a list only when a row is accessed.

    A list takes 40 times as much memory as an array. But the driver sends lists four times as fast as arrays.
    """

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, place: Any) -> Any:
        return [_listed(row) for row in self._rows[place]] if isinstance(place, slice) else _listed(self._rows[place])

    def __iter__(self) -> Iterator[Row]:
        return map(_listed, self._rows)


def _listed(row: Row) -> Row:
    return {**row, "vector": row["vector"].tolist()}


def shared_labels(label: str, *kinds: str) -> list[str]:
    """Return the labels of a node that several units share. The node is deleted with the last of these units."""
    return [*kinds, "Shared", *(derived_label(label, kind) for kind in kinds)]


def commit_statements(writer: Writer, doing: str, statements: Statements, progress: Progress) -> None:
    """Run statements in many transactions. Use this to write a generation that no reader uses yet.

    Args:
        doing: Describes the work in the server's log.
    """
    for statement, rows, also in statements:
        commit_rows(writer, doing, statement, rows, progress, **also)


def run_statements(tx: Transaction, label: str, statements: Statements) -> None:
    """Run statements in one transaction. Use this to change the generation that readers use."""
    for statement, rows, also in statements:
        _run_rows(tx, label, statement, rows, **also)


def commit_rows(
    writer: Writer, doing: str, statement: str, rows: Iterable[Row], progress: Progress, **parameters: object
) -> None:
    """Run a statement over all rows, with thousands of rows per transaction.

    Args:
        doing: Describes the work in the server's log.
    """
    for some in batches(rows, _SYSTEM_ROWS_A_TRANSACTION):

        def write(tx: Transaction, some: list[Row] = some) -> None:
            _run_rows(tx, writer.corpus.label, statement, some, **parameters)

        writer.commit(doing, write)
        progress.advance(len(some))


def _run_rows(tx: Transaction, label: str, statement: str, rows: Sequence[Row], **parameters: object) -> None:
    for batch in batches(rows, _SYSTEM_ROWS_A_STATEMENT):
        tx.run(statement, label, rows=batch, **parameters)
