"""What extractors and annotations found in chunks, as it was before names were edited by hand."""

from __future__ import annotations

from collections.abc import Sequence

from overstory.graph import GraphClient, Transaction
from overstory.graph.client import Row
from overstory.index.write_extractions import Findings, FoundFact, FoundMention, unpacked

ABOUT = "about"
"""Whose original names are subjects, not findings: the mentions stage reads those itself."""


def originals_of(tx: Transaction, label: str, ids: Sequence[str]) -> dict[str, list[Findings]]:
    """What was found in some chunks without any edits, by its kind."""
    by_chunk: dict[tuple[str, str], Findings] = {}
    mentions = _grouped(tx.run("export/mentions", label, chunks=list(ids)))
    facts = _grouped(tx.run("export/statements", label, chunks=list(ids)))
    for by, chunk in mentions.keys() | facts.keys():
        found = mentions.get((by, chunk), [])
        stated = facts.get((by, chunk), [])
        by_chunk[by, chunk] = Findings(chunk, [m for row in found for m in _mentions(row)], [_fact(r) for r in stated])
    by_chunk |= {(row["by"], row["chunk"]): unpacked(row["chunk"], row["found"]) for row in kept(tx, label, ids)}
    result: dict[str, list[Findings]] = {}
    for by, chunk in sorted(by_chunk):
        result.setdefault(by, []).append(by_chunk[by, chunk])
    return result


def kept(graph: GraphClient | Transaction, label: str, ids: Sequence[str]) -> list[Row]:
    """The findings that chunks keep because edits concern them; rows of `ingest/original_names`."""
    if isinstance(graph, Transaction):
        rows = graph.run("ingest/original_names", label, chunks=list(ids))
    else:
        rows = graph.run("ingest/original_names", label, read=True, chunks=list(ids))
    return [row for row in rows if row["by"] != ABOUT]


def _grouped(rows: list[Row]) -> dict[tuple[str, str], list[Row]]:
    result: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        result.setdefault((row["by"], row["chunk"]), []).append(row)
    return result


def _mentions(row: Row) -> list[FoundMention]:
    sentences = row["sentences"] or [None] * len(row["surfaces"])
    return [
        FoundMention(row["key"], surface, type_, sentence)
        for surface, type_, sentence in zip(row["surfaces"], row["types"], sentences, strict=True)
    ]


def _fact(row: Row) -> FoundFact:
    return FoundFact(
        subject=row["subject"],
        subject_key=row["subject_key"],
        predicate=row["predicate"],
        object=row["object"],
        object_key=row["object_key"],
        position=row["position"],
        sentence=row["sentence"],
        quote=row["quote"],
    )
