"""The names in a document that stand for another of its names, which the stage `entities` applies to its mentions.

They are stored at the document (`same_names`) and computed again for each document with a changed chunk, from the names
that the parser found there. The result depends on the document alone, and on the merges that were dismissed by hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from itertools import groupby

from overstory.graph import GraphClient, Transaction, Writer, batches
from overstory.graph.client import Row
from overstory.index.name_edits import PARSER, dismissed_merges
from overstory.index.write_extractions import unpacked
from overstory.text.names.document_names import DocumentName, same_in_document
from overstory.text.names.edits import EditedNames, NamesInDocument

_DOCUMENTS_A_TRANSACTION = 200


def sync_document_names(writer: Writer, edits: EditedNames) -> None:
    """Update the names of changed documents, and mark the chunks whose mentions must be replaced."""
    graph, label = writer.graph, writer.corpus.label
    apart = dismissed_merges(graph, writer.corpus).keys()
    changes = (change for change in _changes(graph, label, edits, apart) if change["renamed"] or change["is_changed"])
    for rows in batches(changes, _DOCUMENTS_A_TRANSACTION):

        def write(tx: Transaction, rows: list[Row] = rows) -> None:
            tx.run("ingest/write_document_names", label, rows=rows)

        writer.commit("entities", write)


def same_names(stored: list[str] | None) -> dict[str, str]:
    """Return the names of a document that stand for others, by key, from the property `same_names`."""
    return dict(zip((stored or [])[::2], (stored or [])[1::2], strict=True))


def _changes(graph: GraphClient, label: str, edits: EditedNames, apart: Set[tuple[str, str]]) -> Iterator[Row]:
    rows = graph.stream("ingest/changed_passages", label, by=PARSER)
    for document, passages in groupby(rows, key=lambda row: row["document"]):
        stored: list[str] = []
        written: dict[str, set[str]] = {}
        found: dict[str, list[DocumentName]] = {}
        for number, row in enumerate(passages):
            stored = row["same"]
            written[row["id"]] = {key for key, *_ in row["names"]}
            found[row["id"]] = list(_names(row, number))
        same = {
            key: into
            for key, into in same_in_document(name for names in found.values() for name in names).items()
            if (min(key, into), max(key, into)) not in apart
        }
        flat = [each for pair in sorted(same.items()) for each in pair]
        resolve = NamesInDocument(edits, same).resolve
        renamed = [
            chunk for chunk, names in found.items() if {resolve(name.key) for name in names} - {""} != written[chunk]
        ]
        yield {"document": document, "same": flat, "renamed": renamed, "is_changed": flat != stored}


def _names(row: Row, number: int) -> Iterator[DocumentName]:
    if row["original"] is not None:
        for mention in unpacked(row["id"], row["original"]).mentions:
            yield DocumentName(mention.key, mention.surface, mention.type, (number, mention.sentence or 0))
        return
    for key, surfaces, types, sentences in row["names"]:
        for surface, type_, sentence in zip(surfaces, types, sentences or [0] * len(surfaces), strict=True):
            yield DocumentName(key, surface, type_, (number, sentence))
