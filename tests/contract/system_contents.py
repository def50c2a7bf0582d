"""Readable contents of a corpus and its systems, whatever the system."""

from __future__ import annotations

import re
from typing import Any, LiteralString

from overstory.knowledge import Knowledge
from overstory.systems import System, system_names

NAMES = [*system_names(), "pagerank", "toy"]
TEXTS: LiteralString = """
MATCH (n:Overstory {corpus: $label})
CALL (n) {
  WITH n WHERE any(kind IN labels(n) WHERE kind IN $kinds) RETURN n AS told
  UNION
  MATCH (n)-[r]-(other) WHERE type(r) IN $types OR any(kind IN labels(n) WHERE kind IN $kinds) RETURN r AS told
}
UNWIND keys(told) AS key
WITH told[key] AS text WHERE text IS :: STRING OR text IS :: LIST<STRING>
RETURN text
"""
"""Texts of the nodes and relationships that a system owns."""
NOT_COMPARED = ".*_([AB]|HiragBridged)"
"""Labels that another generation has on other nodes: those of its slot, and of the end with the lower id."""
VECTOR = 64
"""Numbers from which on a list is a vector."""


def rows(knowledge: Knowledge, query: LiteralString, **parameters: object) -> list[list[Any]]:
    label = knowledge.status().corpus.label
    found, _, _ = knowledge.graph.native_driver().execute_query(
        query, {"label": label, **parameters}, database_=knowledge.graph.database
    )
    return [list(row.values()) for row in found]


def graph_of(knowledge: Knowledge) -> list[list[list[Any]]]:
    """Return the counts of nodes by labels and properties, and of relationships by type, and the indexes."""
    return [
        rows(
            knowledge,
            "MATCH (n {corpus: $label}) WHERE NOT n:Corpus AND NOT n:Stage "
            "WITH COLLECT { UNWIND labels(n) AS l WITH l WHERE NOT l =~ $not_compared RETURN l ORDER BY l } AS labels, "
            "COLLECT { UNWIND keys(n) AS k RETURN k ORDER BY k } AS keys "
            "RETURN labels, keys, count(*) AS n ORDER BY labels, keys",
            not_compared=NOT_COMPARED,
        ),
        rows(
            knowledge,
            "MATCH ({corpus: $label})-[r]->() RETURN type(r) AS type, count(r) AS n ORDER BY type",
        ),
        rows(knowledge, "SHOW INDEXES YIELD name WHERE name CONTAINS $label RETURN name ORDER BY name"),
        rows(
            knowledge,
            "MATCH (n:Corpus {corpus: $label}) UNWIND keys(n) AS k WITH k WHERE k STARTS WITH 'system_' RETURN k",
        ),
    ]


def content_of(knowledge: Knowledge, system: System[Any, Any]) -> list[list[Any]]:
    """The properties of a system's nodes, but for ids and generations; of vectors their lengths."""
    found = rows(
        knowledge,
        "MATCH (n {corpus: $label}) WHERE NOT n:Corpus AND NOT n:Stage RETURN labels(n) AS labels, properties(n) AS p",
    )
    kinds = set(system.owns.labels)
    return sorted(
        [
            [
                sorted(label for label in labels if not re.fullmatch(NOT_COMPARED, label)),
                sorted((k, str(_comparable(v))) for k, v in p.items() if k not in ("id", "generation")),
            ]
            for labels, p in found
            if kinds & set(labels)
        ]
    )


def _comparable(value: Any) -> Any:
    """Return the part of a value that is equal in two runs, which embed and sum in another order."""
    if isinstance(value, bytes) or (isinstance(value, list) and len(value) >= VECTOR):
        return len(value)
    if isinstance(value, list):
        return [_comparable(each) for each in value]
    return round(value, 3) if isinstance(value, float) else value


def texts_of(knowledge: Knowledge, system: System[Any, Any]) -> str:
    """All that a system tells in its nodes and relationships, in small letters."""
    owns = system.owns
    told = rows(knowledge, TEXTS, kinds=list(owns.labels), types=list(owns.relationship_types))
    return str(told).casefold()
