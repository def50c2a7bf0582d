"""Writing documents and their chunks as nodes, in one transaction per batch.

A document with very many chunks takes several transactions. A new one stays invisible until the last:
`Corpus.unfinished` has its id, searches skip its chunks (`retrieve/filter_retrievers.py`), and the next writer deletes
what an interrupted run left (`remove_unfinished`). A replaced document counts as changed until then.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from overstory.graph import Corpus, Transaction, Writer, batches
from overstory.graph.corpora import count_deleted
from overstory.graph.ids import chunk_id
from overstory.index.boilerplate import count_documents, counted_documents
from overstory.index.links import resolve_links
from overstory.index.metadata_values import FILE_METADATA, METADATA, metadata_properties, stored_metadata, write_values
from overstory.index.removal import RememberedAnswers, is_large, shrink
from overstory.index.sections import section_properties
from overstory.index.stages.embed import vector_of
from overstory.model import Document, TextPiece
from overstory.model.metadata import page_of, page_starts
from overstory.text.language_detection import foreign_passage_languages
from overstory.text.languages import foreign_language

_WRITTEN_CHUNKS_A_STATEMENT = 1_000
WRITTEN_CHUNKS_A_TRANSACTION = 5_000
"""Maximum chunks of a document per transaction.

The server keeps about 19 KB per chunk in memory until the commit, so the default heap has room for 38,000.
"""

# Rows are property maps with values of mixed types.
Row = dict[str, Any]


def store_documents(
    tx: Transaction,
    corpus: Corpus,
    changed: Sequence[str],
    documents: Sequence[Row],
    chunks: Sequence[Row],
    *,
    answers: RememberedAnswers,
) -> None:
    """Write documents with their chunks in reading order.

    Args:
        answers: caches from which answers are deleted if they quote a changed chunk.
        changed: ids of documents stored with other content. Unchanged chunks keep vector, mentions and facts.
    """
    counted = counted_documents(tx, corpus, changed)
    if changed:
        tx.run("ingest/unchain_chunks", corpus.label, documents=changed)
        _remove_outdated(tx, corpus, changed, chunks, answers)
    _write_documents(tx, corpus, changed, documents)
    _write_chunks(tx, corpus, chunks)
    _chain(tx, corpus, chunks)
    count_documents(tx, corpus, counted, documents, chunks)


def store_large_document(
    writer: Writer,
    document: Row,
    chunks: Sequence[Row],
    *,
    doing: str,
    at_once: int,
    is_stored: bool,
    answers: RememberedAnswers,
    with_part: Callable[[Transaction, slice], None] | None = None,
    at_last: Callable[[Transaction], None] | None = None,
) -> None:
    """Write one document like `store_documents`, in several transactions.

    After an interruption, a new document stays invisible, and `remove_unfinished` deletes its parts. A replaced
    document has some of its new chunks, and its next load or deletion continues.

    Args:
        at_once: chunks per transaction.
        is_stored: True if the document is stored with other content, already shrunk by `shrink_changed`.
        with_part: called in each transaction after the chunks of a slice are written.
        at_last: called in the last transaction.
    """
    corpus, id_ = writer.corpus, document["id"]
    changed = [id_] if is_stored else []

    def begin(tx: Transaction) -> None:
        tx.run("ingest/begin_document", corpus.label, id=id_)
        _remove_outdated(tx, corpus, changed, chunks, answers)

    def write(tx: Transaction, part: slice) -> None:
        if part.start == 0:
            begin(tx)
        rows = chunks[part]
        tx.run("ingest/unchain_some", corpus.label, ids=[row["id"] for row in rows])
        _write_chunks(tx, corpus, rows)
        _chain(tx, corpus, chunks[max(0, part.start - 1) : part.stop])
        if is_stored:
            tx.run("ingest/count_part", corpus.label, id=id_)
        if with_part is not None:
            with_part(tx, part)
        if not is_stored and part.start == 0:
            tx.run("corpus/mark_unfinished", corpus.label, document=id_)

    def finish(tx: Transaction) -> None:
        counted = counted_documents(tx, corpus, changed)
        _write_documents(tx, corpus, changed, [document])
        count_documents(tx, corpus, counted, [document], chunks)
        if at_last is not None:
            at_last(tx)
        if not is_stored:
            tx.run("corpus/mark_unfinished", corpus.label, document=None)

    for start in range(0, len(chunks), at_once):
        part = slice(start, min(start + at_once, len(chunks)))
        writer.commit(doing, functools.partial(write, part=part))
    writer.commit(doing, finish)


def store_metadata(tx: Transaction, corpus: Corpus, documents: Sequence[Row], stored: Mapping[str, Row]) -> None:
    """Write the metadata of documents whose text did not change.

    Results from the texts stay, and systems need no update.

    Args:
        documents: rows from `document_row`.
        stored: properties of the stored nodes, by id.
    """
    rows = [
        {
            "id": row["id"],
            "properties": {
                **{name: None for name in stored[row["id"]] if name.startswith(METADATA)},
                **{
                    name: value
                    for name, value in row["properties"].items()
                    if _is_of_metadata(name) and value is not None
                },
            },
        }
        for row in documents
    ]
    tx.run("ingest/write_metadata", corpus.label, rows=rows)
    write_values(tx, corpus, {row["id"]: stored_metadata(row["properties"]) for row in documents})


def shrink_changed(
    writer: Writer, changed: Iterable[Row], chunks: Callable[[str], Iterable[Row]], *, answers: RememberedAnswers
) -> None:
    """Delete outdated chunks of large documents that `store_documents` could not delete in one transaction.

    Args:
        changed: rows of `ingest/known_documents`.
        chunks: returns the new chunks of a document by id, as for `store_documents`.
    """
    for id_ in (row["id"] for row in changed if is_large(row["chunks"])):
        stored = writer.graph.run("ingest/known_chunks", writer.corpus.label, read=True, documents=[id_])
        shrink(writer, id_, _outdated(stored, chunks(id_)), answers=answers)


def document_row(
    label: str, id_: str, document: Document, sha256: str, chunks: int, *, content_sha256: str | None = None
) -> Row:
    """Return the row of a document for `ingest/write_documents`; its text is in its chunks."""
    own = {
        "id": id_,
        "corpus": label,
        "source": document.source,
        "source_key": document.source_key,
        "title": document.title,
        "sha256": sha256,
        "content_sha256": content_sha256,
        "chunks": chunks,
    }
    return {"id": id_, "properties": metadata_properties(document) | own}


def chunk_rows(label: str, id_: str, document: Document, pieces: Sequence[TextPiece]) -> list[Row]:
    title, starts = document.title, page_starts(document.metadata)
    languages = foreign_passage_languages([piece.text for piece in pieces], foreign_language(document.all_metadata))
    seen: Counter[str] = Counter()
    rows: list[Row] = []
    for piece, language in zip(pieces, languages, strict=True):
        own_id = chunk_id(id_, piece.text, seen[piece.text])
        seen[piece.text] += 1
        properties = {
            "id": own_id,
            "corpus": label,
            "seq": piece.seq,
            "title": title,
            "heading": piece.heading,
            "text": piece.text,
            "start": piece.start,
            "end": piece.end,
            "token_count": piece.token_count,
            "page": page_of(piece.start, piece.text, starts),
            "language": language or None,
        }
        rows.append(
            {
                "id": own_id,
                "document": id_,
                "title": title,
                "heading": piece.heading,
                "vector": vector_of(label, properties),
                "properties": properties,
            }
        )
    for row, section in zip(rows, section_properties([row["properties"] for row in rows]), strict=True):
        row["properties"] |= section
    return rows


def _write_documents(tx: Transaction, corpus: Corpus, changed: Sequence[str], documents: Sequence[Row]) -> None:
    tx.run("ingest/write_documents", corpus.label, rows=documents)
    write_values(tx, corpus, {row["id"]: stored_metadata(row["properties"]) for row in documents})
    before = set(changed)
    resolve_links(tx, corpus, [row["id"] for row in documents if row["id"] not in before])


def _write_chunks(tx: Transaction, corpus: Corpus, chunks: Sequence[Row]) -> None:
    for part in batches(chunks, _WRITTEN_CHUNKS_A_STATEMENT):
        tx.run("ingest/write_chunks", corpus.label, rows=part)
    languages = {language for row in chunks if (language := row["properties"]["language"])}
    if languages - set(corpus.languages):
        tx.run("corpus/add_languages", corpus.label, languages=sorted(languages))


def _chain(tx: Transaction, corpus: Corpus, chunks: Sequence[Row]) -> None:
    pairs = [[a["id"], b["id"]] for a, b in pairwise(chunks) if a["document"] == b["document"]]
    if pairs:
        tx.run("ingest/chain_chunks", corpus.label, pairs=pairs)


def _remove_outdated(
    tx: Transaction, corpus: Corpus, changed: Sequence[str], chunks: Sequence[Row], answers: RememberedAnswers
) -> None:
    if changed:
        outdated = _outdated(tx.run("ingest/known_chunks", corpus.label, documents=changed), chunks)
        tx.run("ingest/remove_chunks", corpus.label, ids=outdated)
        answers.forget(outdated)
        count_deleted(tx, corpus, chunks=len(outdated))


def _is_of_metadata(name: str) -> bool:
    return name.startswith(METADATA) or name in (FILE_METADATA, "sha256", "content_sha256")


def _outdated(stored: Iterable[Row], chunks: Iterable[Row]) -> list[str]:
    """Return stored chunks that no longer exist, or whose title, heading (and so vector) or language changed."""
    kept = {(row["id"], row["title"], row["heading"], row["properties"]["language"]) for row in chunks}
    return [row["id"] for row in stored if (row["id"], row["title"], row["heading"], row["language"]) not in kept]
