"""Restoring: what `export` wrote becomes documents, chunks, vectors, mentions and facts again."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from overstory.errors import BrokenSource, EmbedderMismatch
from overstory.graph import Transaction, Writer, batches
from overstory.graph.ids import document_id
from overstory.index.exporting import DOCUMENTS_A_PAGE, FORMAT, Record
from overstory.index.findings import Findings, FoundFact, FoundMention, write_findings
from overstory.index.ledger import recorded
from overstory.index.loading import LoadReport
from overstory.index.storing import chunk_rows, document_row, store_documents
from overstory.model import Document, TextPiece
from overstory.protocols import Progress

_MARK = b'{"overstory_export":'
_DOCUMENT_KEYS = {"source", "source_key", "title", "sha256", "metadata", "chunks"}
_CHUNK_KEYS = {
    *("heading", "text", "start", "end", "token_count", "extracted", "sentences", "vector", "mentions", "facts"),
}


def separate_exports(paths: Sequence[str]) -> tuple[list[str], list[str]]:
    """Files that `export` wrote, and all other paths."""
    exports = [path for path in paths if _is_export(Path(path))]
    return exports, [path for path in paths if path not in exports]


def restore_file(writer: Writer, path: str, *, report: LoadReport, progress: Progress) -> None:
    """Reads an export back from a file.

    Raises:
        BrokenSource, EmbedderMismatch: as `restore`.
    """
    try:
        with Path(path).open(encoding="utf-8") as lines:
            restore(writer, lines, source=path, report=report, progress=progress)
    except (OSError, UnicodeDecodeError) as error:
        raise BrokenSource(f"cannot be read: {error}", source=path) from error


def restore(writer: Writer, lines: Iterable[str], *, source: str, report: LoadReport, progress: Progress) -> None:
    """Reads an export back. Documents that are there unchanged are left alone.

    Raises:
        BrokenSource: a line is not one of an export; what came before it is stored.
        EmbedderMismatch: its vectors are another embedder's than the corpus'; nothing was written.
    """
    numbered = enumerate(lines, start=1)
    header = _parsed(*next(numbered, (1, "")), source)
    _check_header(writer, header, source)
    if header["embedder"] and not writer.corpus.embedder:
        writer.set(embedder=header["embedder"], dimension=header["dimension"])
    records = (_document_line(number, line, source) for number, line in numbered if line.strip())
    progress.start("restore", None, "documents")
    with recorded(writer, "load", "restore-1") as run:
        for batch in batches(records, DOCUMENTS_A_PAGE):
            _restore_batch(writer, batch, report)
            progress.advance(len(batch))
        run.count("added", report.added)
        run.count("changed", report.changed)
    progress.finish(f"{report.added} added, {report.changed} changed, {report.unchanged} unchanged")


def _check_header(writer: Writer, header: Record, source: str) -> None:
    if header.get("overstory_export") != FORMAT:
        raise BrokenSource(
            "not an export of a version this one can read.", source=source, line=1, remedy="Upgrade Overstory."
        )
    own = writer.corpus.embedder
    if own and header["embedder"] and own != header["embedder"]:
        raise EmbedderMismatch(
            f"{source} has vectors by {header['embedder']}, corpus {writer.corpus.name!r} by {own}.",
            remedy="Restore into a corpus of its own: --corpus NAME",
        )


def _restore_batch(writer: Writer, records: list[Record], report: LoadReport) -> None:
    label = writer.corpus.label
    ids = [document_id(label, record["source"], record["source_key"]) for record in records]
    rows = writer.graph.run("ingest/known_documents", label, read=True, ids=ids)
    known = {row["id"]: row["sha256"] for row in rows}
    wanted = [(id_, record) for id_, record in zip(ids, records, strict=True) if known.get(id_) != record["sha256"]]
    report.unchanged += len(records) - len(wanted)
    if not wanted:
        return
    changed = [id_ for id_, _ in wanted if id_ in known]
    writer.commit("restore", lambda tx: _restore_documents(tx, writer, changed, wanted))
    report.changed += len(changed)
    report.added += len(wanted) - len(changed)
    report.chunks += sum(len(record["chunks"]) for _, record in wanted)


def _restore_documents(tx: Transaction, writer: Writer, changed: list[str], wanted: list[tuple[str, Record]]) -> None:
    corpus = writer.corpus
    documents = [
        document_row(corpus.label, id_, _document(record), record["sha256"], len(record["chunks"]))
        for id_, record in wanted
    ]
    chunks = [
        (row, chunk)
        for id_, record in wanted
        for row, chunk in zip(
            chunk_rows(corpus.label, id_, record["title"], _pieces(record)), record["chunks"], strict=True
        )
    ]
    store_documents(tx, corpus, changed, documents, [row for row, _ in chunks])
    vectors = [{"id": row["id"], "vector": _vector(chunk["vector"])} for row, chunk in chunks if chunk["vector"]]
    tx.run("ingest/write_vectors", corpus.label, property=corpus.embedding_property, rows=vectors)
    for by in sorted({part["by"] for _, chunk in chunks for part in (*chunk["mentions"], *chunk["facts"])}):
        write_findings(tx, corpus.label, by, [_findings(str(row["id"]), chunk, by) for row, chunk in chunks])
    marks = [
        {"chunk": row["id"], "fingerprint": chunk["extracted"], "sentences": chunk["sentences"]}
        for row, chunk in chunks
        if chunk["extracted"]
    ]
    tx.run("ingest/mark_extracted", corpus.label, rows=marks)


def _document(record: Record) -> Document:
    return Document(
        source=record["source"],
        source_key=record["source_key"],
        text="",  # in the chunks
        title=record["title"],
        metadata=record["metadata"],
    )


def _pieces(record: Record) -> list[TextPiece]:
    return [
        TextPiece(
            seq=seq,
            start=chunk["start"],
            end=chunk["end"],
            text=chunk["text"],
            heading=chunk["heading"],
            token_count=chunk["token_count"],
        )
        for seq, chunk in enumerate(record["chunks"])
    ]


def _findings(chunk: str, record: Record, by: str) -> Findings:
    mentions: list[FoundMention] = []
    for mention in record["mentions"]:
        if mention["by"] == by:
            sentences = mention["sentences"] or [None] * len(mention["surfaces"])
            surfaces = zip(mention["surfaces"], mention["types"], sentences, strict=True)
            mentions += [
                FoundMention(mention["key"], surface, type_, sentence) for surface, type_, sentence in surfaces
            ]
    facts = [
        FoundFact(
            subject=fact["subject"],
            subject_key=fact["subject_key"],
            predicate=fact["predicate"],
            object=fact["object"],
            object_key=fact["object_key"],
            position=fact["position"],
            sentence=fact["sentence"],
            quote=fact["quote"],
        )
        for fact in record["facts"]
        if fact["by"] == by
    ]
    return Findings(chunk_id=chunk, mentions=mentions, facts=facts)


def _vector(packed: str) -> list[float]:
    vector: list[float] = np.frombuffer(base64.b64decode(packed), dtype="<f4").tolist()
    return vector


def _is_export(path: Path) -> bool:
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            return file.read(len(_MARK)) == _MARK
    except OSError:
        return False


def _document_line(number: int, line: str, source: str) -> Record:
    """A document of an export, with every field that one has."""
    record = _parsed(number, line, source)
    missing = _DOCUMENT_KEYS - record.keys()
    for chunk in [] if missing else record["chunks"]:
        missing |= _CHUNK_KEYS - chunk.keys()
    if missing:
        raise BrokenSource(
            f"not a document of an export: it lacks {', '.join(sorted(missing))}",
            source=source,
            line=number,
            remedy="Export the corpus again.",
        )
    return record


def _parsed(number: int, line: str, source: str) -> Record:
    try:
        record = json.loads(line)
        if not isinstance(record, dict):
            raise TypeError("not an object")
    except (ValueError, TypeError) as error:
        raise BrokenSource(
            f"not a line of an export: {error}", source=source, line=number, remedy="Export the corpus again."
        ) from error
    return record
