"""Writing documents and their chunks as nodes, in one transaction per batch.

A document with very many chunks takes several transactions. Until the last one, these rules apply:

- A new document is invisible. Its id is in `Corpus.unfinished`, and searches skip its chunks
  (`retrieve/filter_retrievers.py`). If the run is interrupted, the next writer deletes its parts (`remove_unfinished`).
- A document that is being replaced counts as changed.
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
"""Maximum number of chunks of one document that are written in one transaction.

Until the commit, the server keeps about 19 KB per chunk in memory. Its default heap has room for 38,000 chunks.
"""

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
    """Write documents and their chunks.

    Args:
        changed: ids of those documents that are already stored with other content. Their unchanged chunks keep their
            vectors, mentions and facts.
        documents: rows of the documents (`document_row`).
        chunks: rows of their chunks, in reading order.
        answers: caches of answers. Answers that quote a changed chunk are deleted from them.
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
    """Write one document as `store_documents` does, but in several transactions.

    If this is interrupted, a new document stays invisible until `remove_unfinished` deletes its parts. A replaced
    document contains only some of its new chunks until its next load or deletion continues the work.

    Args:
        at_once: maximum number of chunks per transaction.
        is_stored: True if the document is already stored with other content. `shrink_changed` must have been called.
        with_part: called in each transaction, after a slice of the chunks has been written.
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

    Everything computed from the texts is kept, and systems need no update.

    Args:
        documents: rows of the documents (`document_row`).
        stored: properties of the stored document nodes, by document id.
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
    """Delete the outdated chunks of large documents, which `store_documents` could not delete in one transaction.

    Args:
        changed: rows of `ingest/known_documents` for the documents that will be replaced.
        chunks: function that returns the new chunks for a document id, as rows for `store_documents`.
    """
    for id_ in (row["id"] for row in changed if is_large(row["chunks"])):
        stored = writer.graph.run("ingest/known_chunks", writer.corpus.label, read=True, documents=[id_])
        shrink(writer, id_, _outdated(stored, chunks(id_)), answers=answers)


def document_row(
    label: str, id_: str, document: Document, sha256: str, chunks: int, *, content_sha256: str | None = None
) -> Row:
    """Return a document's row for `ingest/write_documents`. It does not contain the text, which is stored in chunks."""
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
    """Return the ids of the stored chunks that are not among the new chunks.

    A chunk whose title, heading or language changed is also outdated, because its vector or its extraction changes.
    """
    kept = {(row["id"], row["title"], row["heading"], row["properties"]["language"]) for row in chunks}
    return [row["id"] for row in stored if (row["id"], row["title"], row["heading"], row["language"]) not in kept]
