"""Rows of tables that a question about a set asks for: "How many work in Ulm?", "Who is in Ulm but not in Valves?".

The tables are found by the words of the question. Then all rows of these tables are read, not only those in the best
passages, so that the answer is exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import permutations
from pathlib import PurePosixPath

from overstory.display import counted, on_one_line
from overstory.graph import Corpus, Transaction
from overstory.graph.client import Row
from overstory.graph.schema import text_index
from overstory.index.metadata_values import own_metadata
from overstory.model import Evidence, ShareKind, TablePart
from overstory.model.metadata import MetadataValue
from overstory.model.parts import MOST_ROWS_OF_A_PART
from overstory.retrieve.hits import chunk_rows, source_hits
from overstory.retrieve.sections import chunk_query
from overstory.retrieve.table_query import RowsFound, Unclear, rows_found
from overstory.text.questions.sets import SetQuestion, set_question
from overstory.text.table_rows import CELL_GAP, PassageText, Table, TableRow, joined_tables, tables_in

_MOST_DOCUMENTS = 8  # maximum number of documents whose tables are read for a question
_PASSAGES_SEARCHED = 1_000  # number of passages, found by words, in which tables are searched
_MOST_PASSAGES = 6_000
"""Maximum number of passages to read from one document, which is about 60,000 rows. Of a larger document, only passages
with all words of the question are read."""
_LEAST_LETTERS = 3  # a word of a large document is searched by this many first letters, which plural forms share
_MOST_TABLES_ANSWERING = 5
_MOST_TABLES_JOINED = 12  # maximum number of tables that are joined in pairs
_MOST_ROWS_JOINED = 20_000
_MOST_SOURCES = 2  # maximum number of sources with a document for each row that are read for a question
_MOST_RECORDS = 20_000
_MARK = "|"
_TABLE_SHARE = 0.3  # share of the context window for rows


def with_asked_rows(tx: Transaction, corpus: Corpus, evidence: Evidence, documents: frozenset[str] | None) -> Evidence:
    """Add the answers of tables to the evidence, if the question is about a set and tables answer it exactly.

    Args:
        documents: ids of the documents that may be read; None for all documents of the corpus.
    """
    question = set_question(evidence.question)
    if question is None:
        return evidence
    tables, notes = _tables(tx, corpus, evidence, question, documents)
    found, unclear = _answers(question, tables)
    parts = [_part(tx, corpus, question, each) for each in found[:_MOST_TABLES_ANSWERING]]
    more = len(found) - len(parts)
    notes += [f"{counted(more, 'more table')} answer this, too."] if more else []
    notes += list(dict.fromkeys(note for each in found for note in each.notes)) if found else unclear
    if not parts:
        return replace(evidence, notes=(*evidence.notes, *notes))
    there = {hit.chunk_id for hit in (*evidence.hits, *evidence.sources)}
    rows = chunk_rows(tx, corpus, (chunk for part in parts for chunk in part.chunks if chunk not in there))
    shares: dict[ShareKind, float] = {"table": _TABLE_SHARE, **(evidence.shares or {"passage": 1 - _TABLE_SHARE})}
    return replace(
        evidence,
        notes=(*evidence.notes, *notes),
        parts=(*evidence.parts, *parts),
        sources=(*evidence.sources, *source_hits(rows, rows)),
        shares=shares,
    )


def _tables(
    tx: Transaction,
    corpus: Corpus,
    evidence: Evidence,
    question: SetQuestion,
    documents: frozenset[str] | None,
) -> tuple[list[Table], list[str]]:
    """Return the tables of the documents that may answer a question, and a note on each that is too large."""
    query = chunk_query(evidence.question, corpus.languages)
    found = [hit.document_id for hit in evidence.hits if _MARK in hit.text]
    if query:
        (row,) = tx.run(
            "retrieve/table_documents",
            corpus.label,
            index=text_index(corpus.index_set),
            query=query,
            depth=_PASSAGES_SEARCHED,
            mark=_MARK,
            documents=None if documents is None else sorted(documents),
            limit=_MOST_DOCUMENTS,
        )
        found = [*row["documents"], *found]
    tables: list[Table] = []
    notes: list[str] = []
    for document in list(dict.fromkeys(found))[:_MOST_DOCUMENTS]:
        (row,) = tx.run(
            "retrieve/table_passages",
            corpus.label,
            document=document,
            mark=_MARK,
            large=_MOST_PASSAGES,
            words=_beginnings(question),
            most=_MOST_PASSAGES,
        )
        if row["found"] > _MOST_PASSAGES:
            notes.append(f"“{on_one_line(row['title'])}” has too many rows to count: ask for fewer of them.")
        else:
            passages = (PassageText(*each) for each in row["passages"])
            tables += tables_in(passages, title=on_one_line(row["title"]), document=document)
    for source in list(dict.fromkeys(hit.source for hit in evidence.hits if hit.source_key))[:_MOST_SOURCES]:
        (row,) = tx.run(
            "retrieve/records",
            corpus.label,
            source=source,
            most=_MOST_RECORDS,
            documents=None if documents is None else sorted(documents),
        )
        if row["found"] <= _MOST_RECORDS:
            tables += filter(None, [_of_records(source, row["documents"])])
        elif question.operates:
            name = on_one_line(PurePosixPath(source).name)
            notes.append(f"“{name}” has more than {_MOST_RECORDS:,} records, so they were not counted.")
    return tables, notes


def _of_records(source: str, documents: Sequence[Row]) -> Table | None:
    """Return a table whose rows are documents: their titles and metadata. Its rows name documents, not passages."""
    rows: list[TableRow] = []
    for document in documents:
        metadata = {key: _text(value) for key, value in own_metadata(document).items()}
        cells = {key: text for key, text in {"title": on_one_line(document["title"]), **metadata}.items() if text}
        line = CELL_GAP.join(f"{key}: {text}" for key, text in cells.items())
        rows += [TableRow((document["id"],), cells, line)] if metadata else []
    columns = tuple(dict.fromkeys(key for row in rows for key in row.cells))
    return Table(PurePosixPath(source).stem, "", columns, tuple(rows)) if rows else None


def _text(value: MetadataValue) -> str:
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    if isinstance(value, bool):
        return "true" if value else "false"
    return on_one_line(value.isoformat() if isinstance(value, datetime) else str(value))


def _beginnings(question: SetQuestion) -> list[str]:
    """Return the first letters of the words that each row in question contains; [] if rows may differ in them."""
    if question.both or question.either:
        return []
    words = (each.text.casefold() for each in question.words if not (each.negative or each.kind or each.light))
    return list(dict.fromkeys(word[:_LEAST_LETTERS] for word in words))


def _answers(question: SetQuestion, tables: Sequence[Table]) -> tuple[list[RowsFound], list[str]]:
    """Return the answers of single tables or, if there are none, of tables joined in pairs; and reasons against some.

    A table of a large document contains only some rows, so it is not joined.
    """
    found, unclear = _of_each(question, tables)
    if found or unclear:
        return found, unclear
    joinable = [table for table in tables if len(table.rows) <= _MOST_ROWS_JOINED][:_MOST_TABLES_JOINED]
    return _of_pairs(question, joinable)


def _of_pairs(question: SetQuestion, tables: Sequence[Table]) -> tuple[list[RowsFound], list[str]]:
    """Return the answers of joined tables, one for each pair, and the reasons against some."""
    found: dict[frozenset[int], RowsFound] = {}
    unclear: dict[str, None] = {}
    for left, right in permutations(range(len(tables)), 2):
        joined = joined_tables(tables[left], tables[right]) if frozenset((left, right)) not in found else None
        answers, reasons = _of_each(question, [] if joined is None else [joined])
        found |= {frozenset((left, right)): answer for answer in answers}
        unclear |= dict.fromkeys(reasons)
    return list(found.values()), list(unclear)


def _of_each(question: SetQuestion, tables: Iterable[Table]) -> tuple[list[RowsFound], list[str]]:
    found: list[RowsFound] = []
    unclear: list[str] = []
    for table in tables:
        try:
            rows = rows_found(question, table)
        except Unclear as reason:
            unclear.append(str(reason))
        else:
            found += [rows] if rows is not None else []
    return found, list(dict.fromkeys(unclear))


def _part(tx: Transaction, corpus: Corpus, question: SetQuestion, found: RowsFound) -> TablePart:
    """Return the answer of a table as a part of the evidence, with the passages that contain its rows."""
    rows = found.rows or found.table.rows[:1]
    documents: tuple[str, ...] = (found.table.document,)
    if not found.table.document:  # the rows are documents
        documents = tuple(row.chunks[0] for row in rows[:MOST_ROWS_OF_A_PART])
        firsts = tx.run("retrieve/first_passages", corpus.label, documents=documents)
        first_of = {each["document"]: each["chunk"] for each in firsts}
        rows = tuple(row._replace(chunks=(first_of.get(row.chunks[0], ""),)) for row in rows)
    return TablePart.of(
        table=found.table.name,
        counts=question.counts,
        number=found.number,
        summed=found.summed,
        names=found.names,
        groups=found.groups,
        condition=found.condition,
        rows=[(row.line, row.chunks[0]) for row in rows] if found.rows else [],
        chunks=dict.fromkeys(chunk for row in rows for chunk in row.chunks),
        documents=documents,
    )
