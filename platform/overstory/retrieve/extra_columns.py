"""Hits with what a statement of the user's own returns for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from overstory.errors import StatementRefused
from overstory.graph import GraphClient
from overstory.graph.client import Row
from overstory.graph.foreign import own_value
from overstory.model import Evidence, HitStatement
from overstory.model.evidence import IDS


def with_extra_columns(graph: GraphClient, evidence: Evidence, statement: HitStatement) -> Evidence:
    """The evidence, whose hits have the columns of their rows (`Hit.extra`); a hit without a row has none.

    Raises:
        StatementRefused: the server refuses the statement, a row has no `id` or that of no hit, or two have the same.
        DatabaseError: the graph cannot be read.
    """
    if not evidence.hits:
        return evidence
    ids = [hit.chunk_id for hit in evidence.hits]
    parameters = {**statement.parameters, IDS: ids}
    extras = graph.run_own("retrieve/enrich", statement.text, parameters, lambda rows: _by_id(rows, frozenset(ids)))
    return replace(evidence, hits=tuple(replace(hit, extra=extras.get(hit.chunk_id, {})) for hit in evidence.hits))


def _by_id(rows: Iterator[Row], ids: frozenset[str]) -> dict[str, dict[str, object]]:
    """What rows have besides their `id`. Ends at the first wrong one: no more are read than there are ids, and one."""
    found: dict[str, dict[str, object]] = {}
    for row in rows:
        if "id" not in row:
            raise StatementRefused(
                f"The statement on hits returns no id, but {', '.join(row)}.",
                remedy="Let it return the hit's id as well: RETURN id, …",
            )
        id_ = row.pop("id")
        if id_ not in ids:
            raise StatementRefused(
                f"The statement on hits returns the id {id_!r}, which is none of its $ids.",
                remedy="Let it return the ids that it is given: UNWIND $ids AS id … RETURN id, …",
            )
        if id_ in found:
            raise StatementRefused(
                f"The statement on hits returns several rows for the hit {id_!r}.",
                remedy="Gather them in one: RETURN id, collect(…) AS …",
            )
        found[id_] = {name: own_value(value) for name, value in row.items()}
    return found
