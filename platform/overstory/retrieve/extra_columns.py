"""Extra columns of hits, returned by a user's Cypher statement."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from overstory.errors import StatementRefused
from overstory.graph import GraphClient
from overstory.graph.client import Row
from overstory.graph.foreign import plain_value
from overstory.model import Evidence, HitStatement
from overstory.model.evidence import IDS


def with_extra_columns(graph: GraphClient, evidence: Evidence, statement: HitStatement) -> Evidence:
    """Run a user's statement for the hits and store the returned columns in `Hit.extra`.

    A hit without a row has no extra columns.

    Raises:
        StatementRefused: the server refuses the statement, a row has no `id` of a hit, or two rows have the same `id`.
        DatabaseError: the graph cannot be read.
    """
    if not evidence.hits:
        return evidence
    ids = [hit.chunk_id for hit in evidence.hits]
    parameters = {**statement.parameters, IDS: ids}
    extras = graph.run_own("retrieve/enrich", statement.text, parameters, lambda rows: _by_id(rows, frozenset(ids)))
    return replace(evidence, hits=tuple(replace(hit, extra=extras.get(hit.chunk_id, {})) for hit in evidence.hits))


def _by_id(rows: Iterator[Row], ids: frozenset[str]) -> dict[str, dict[str, object]]:
    """Return hit id -> columns other than `id`. Stops at the first invalid row, so that few rows are read."""
    found: dict[str, dict[str, object]] = {}
    for row in rows:
        if "id" not in row:
            raise StatementRefused(
                f"The statement on hits must return a column id, got {', '.join(row)}.",
                remedy="Also return the id of the hit: RETURN id, …",
            )
        id_ = row.pop("id")
        if id_ not in ids:
            raise StatementRefused(
                f"The statement on hits returned the id {id_!r}, which is not in $ids.",
                remedy="Return the ids in $ids: UNWIND $ids AS id … RETURN id, …",
            )
        if id_ in found:
            raise StatementRefused(
                f"The statement on hits returned several rows for the hit {id_!r}.",
                remedy="Combine them into one row: RETURN id, collect(…) AS …",
            )
        found[id_] = {name: plain_value(value) for name, value in row.items()}
    return found
