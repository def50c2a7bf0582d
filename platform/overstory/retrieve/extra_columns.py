"""Extra columns that a user's Cypher statement adds to the hits."""

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
    """Run a user's statement for the hits, and store the columns that it returns in `Hit.extra`.

    If the statement returns no row for a hit, `Hit.extra` is empty.

    Raises:
        StatementRefused: the server refuses the statement, a row's `id` is missing or is not the id of a hit, or two
            rows have the same `id`.
        DatabaseError: the graph cannot be read.
    """
    if not evidence.hits:
        return evidence
    ids = [hit.chunk_id for hit in evidence.hits]
    parameters = {**statement.parameters, IDS: ids}
    extras = graph.run_own("retrieve/enrich", statement.text, parameters, lambda rows: _by_id(rows, frozenset(ids)))
    return replace(evidence, hits=tuple(replace(hit, extra=extras.get(hit.chunk_id, {})) for hit in evidence.hits))


def _by_id(rows: Iterator[Row], ids: frozenset[str]) -> dict[str, dict[str, object]]:
    """Return a map from hit id to the other columns of its row. The first invalid row raises `StatementRefused`."""
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
