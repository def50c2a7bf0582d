"""Finding boilerplate: text blocks that most documents of a folder repeat.

For each folder and each block, the graph stores how many documents of the folder contain the block. The transaction
that writes or deletes documents updates these counters, and marks the folder as changed. `sync_boilerplate` checks the
changed folders, and updates the boilerplate spans of the chunks concerned; only these chunks are processed again. The
result does not depend on the order in which documents were stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import groupby

from overstory.display import counted
from overstory.graph import Corpus, GraphClient, Transaction, Writer, batches, batches_by_size
from overstory.graph.client import Row
from overstory.graph.ids import content_id
from overstory.protocols import Progress
from overstory.text.blocks import (
    LEAST_BLOCK_DOCUMENTS,
    LEAST_BLOCK_SHARE,
    Piece,
    boilerplate_spans,
    count_changes,
    counted_blocks,
    folder_of,
    is_only_boilerplate,
)

FINGERPRINT = "blocks-1"
"""Version of block detection. When it changes, the blocks of all documents are counted again."""

_BLOCK_ROWS_A_STATEMENT = 5_000
_FOLDERS_A_PAGE = 100
_BOILERPLATE_DOCUMENTS_A_PAGE = 100
_BOILERPLATE_CHUNKS_A_TRANSACTION = 2_000
_LONGEST_SHOWN_BLOCK_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class BoilerplateBlock:
    """A text block that counts as boilerplate.

    Attributes:
        documents: number of documents in the folder that contain the block.
        of: number of all documents in the folder.
        words: the first 200 characters of the block, on one line.
    """

    folder: str
    documents: int
    of: int
    words: str


@dataclass(frozen=True, slots=True)
class _Counted:
    """The text blocks of a document, for counting.

    Attributes:
        folder: folder of the document; "" if it is in no folder.
        blocks: text of each block, by its hash.
    """

    id: str
    folder: str
    blocks: Mapping[int, str]


Blocks = tuple[str, Iterable[int]]
"""The folder of a document, and the hashes of its blocks."""


def counted_documents(tx: Transaction, corpus: Corpus, ids: Sequence[str]) -> list[Blocks]:
    """Return the folder and the blocks of each of these documents that is in a folder.

    Call this before the documents are replaced or deleted.
    """
    rows = tx.run("ingest/counted_documents", corpus.label, ids=list(ids)) if ids else []
    return [(row["folder"], row["blocks"]) for row in rows]


def count_documents(
    tx: Transaction, corpus: Corpus, before: Iterable[Blocks], documents: Iterable[Row], chunks: Iterable[Row]
) -> None:
    """Update the counters for the documents that this transaction has written.

    Args:
        before: folders and blocks of the replaced documents, from `counted_documents`.
        documents, chunks: rows as for `store_documents`. The chunks of a document must be consecutive and in order.
    """
    pieces: dict[object, list[Piece]] = {}
    marked: set[object] = set()
    for row in chunks:
        own = row["properties"]
        pieces.setdefault(row["document"], []).append((own["text"], own["heading"]))
        if own.get("boilerplate"):
            marked.add(row["document"])
    counted: list[_Counted] = []
    for row in documents:
        folder = folder_of(row["properties"]["source"], row["properties"]["source_key"])
        if folder:
            counted.append(_Counted(row["id"], folder, counted_blocks(pieces.get(row["id"], []))))
        elif row["id"] in marked:  # the document was restored from an export that contains boilerplate spans
            counted.append(_Counted(row["id"], "", {}))
    _count(tx, corpus, before, counted)


def uncount_documents(tx: Transaction, corpus: Corpus, ids: Sequence[str]) -> None:
    """Subtract documents from the counters. Call this before the same transaction deletes the documents."""
    _count(tx, corpus, counted_documents(tx, corpus, ids), [])


def sync_boilerplate(writer: Writer, *, progress: Progress) -> int:
    """Update the boilerplate spans of chunks, and return how many chunks the index stages must process again.

    Only folders whose documents changed are checked, and only documents with blocks that became or ceased to be
    boilerplate.
    """
    count_all_documents(writer)
    _sync_folders(writer)
    return _sync_documents(writer, progress)


def count_all_documents(writer: Writer) -> None:
    """If another version of Overstory counted the blocks, count those of all documents again."""
    corpus = writer.corpus
    if corpus.boilerplate_by == FINGERPRINT:
        return
    pages = writer.graph.pages(
        "corpus/document_pages",
        corpus.label,
        size=_BOILERPLATE_DOCUMENTS_A_PAGE,
        id_of=lambda row: row["document"]["id"],
    )
    for page in pages:
        found = [row["document"] for row in page]
        counted: list[_Counted] = []
        for document, rows in documents_with_pieces(writer.graph, corpus, found):
            folder = folder_of(document["source"], document["source_key"])
            if folder:
                counted.append(_Counted(document["id"], folder, counted_blocks(_pieces(rows))))

        def write(tx: Transaction, counted: list[_Counted] = counted) -> None:
            _count(tx, corpus, counted_documents(tx, corpus, [each.id for each in counted]), counted)

        writer.commit("boilerplate", write)
    writer.set(boilerplate_by=FINGERPRINT)


def keep_boilerplate(writer: Writer, *, keep: bool) -> None:
    """Set whether repeated blocks are used like any other text. `sync_boilerplate` applies the change."""
    if writer.corpus.keep_boilerplate != keep:
        writer.graph.run_in_batches("ingest/mark_all_folders", writer.corpus.label)
        writer.set(keep_boilerplate=keep)


def boilerplate_blocks(graph: GraphClient, corpus: Corpus, limit: int) -> list[BoilerplateBlock]:
    rows = graph.run("corpus/boilerplate", corpus.label, read=True, limit=limit)
    return [BoilerplateBlock(row["folder"], row["documents"], row["of"], row["words"]) for row in rows]


def _count(tx: Transaction, corpus: Corpus, before: Iterable[Blocks], after: Sequence[_Counted]) -> None:
    label = corpus.label
    folders, blocks = count_changes(before, [(each.folder, each.blocks) for each in after if each.folder])
    words = {(each.folder, hash_): words for each in after for hash_, words in each.blocks.items()}
    folder_rows = [{"id": _folder_id(label, path), "path": path, "change": n} for path, n in sorted(folders.items())]
    if folder_rows:
        tx.run("ingest/count_folders", label, rows=folder_rows)
    block_rows = (
        {
            "id": _block_id(label, path, hash_),
            "folder": _folder_id(label, path),
            "words": words.get((path, hash_), "")[:_LONGEST_SHOWN_BLOCK_CHARACTERS],
            "hash": hash_,
            "change": change,
        }
        for (path, hash_), change in sorted(blocks.items())
    )
    for rows in batches(block_rows, _BLOCK_ROWS_A_STATEMENT):
        tx.run("ingest/count_blocks", label, rows=rows, least=LEAST_BLOCK_DOCUMENTS)
    placed = [
        {
            "document": each.id,
            "folder": _folder_id(label, each.folder) if each.folder else "",
            "hashes": list(each.blocks),
            "blocks": [_block_id(label, each.folder, hash_) for hash_ in each.blocks],
        }
        for each in after
    ]
    if placed:
        tx.run("ingest/place_documents", label, rows=placed)


def _sync_folders(writer: Writer) -> None:
    graph, label = writer.graph, writer.corpus.label
    rule: Row = {
        "keep": writer.corpus.keep_boilerplate,
        "least": LEAST_BLOCK_DOCUMENTS,
        "share": LEAST_BLOCK_SHARE,
    }
    while rows := graph.run("ingest/stale_folders", label, read=True, limit=_FOLDERS_A_PAGE, **rule):
        for row in rows:
            if row["changed"]:
                graph.run_in_batches(
                    "ingest/mark_documents_with_blocks", label, folder=row["id"], hashes=row["changed"]
                )
        ids = [row["id"] for row in rows]

        def write(tx: Transaction, ids: list[str] = ids) -> None:
            tx.run("ingest/sync_folders", label, ids=ids, **rule)

        writer.commit("boilerplate", write)


def _sync_documents(writer: Writer, progress: Progress) -> int:
    graph, label = writer.graph, writer.corpus.label
    changed = read = 0
    while documents := graph.run("ingest/stale_boilerplate", label, read=True, limit=_BOILERPLATE_DOCUMENTS_A_PAGE):
        if not read:
            progress.start("boilerplate", None, "documents")
        folders = {row["folder"] for row in documents if row["folder"]}
        known: dict[str, Set[int]] = {
            row["folder"]: frozenset(row["hashes"])
            for row in graph.run("ingest/boilerplate_blocks", label, read=True, folders=sorted(folders))
        }
        for batch in _by_chunks(documents):
            rows = [
                mark
                for document, pieces in documents_with_pieces(graph, writer.corpus, batch)
                for mark in _marks(pieces, known.get(document["folder"], frozenset()) & set(document["blocks"]))
            ]
            ids = [document["id"] for document in batch]

            def write(tx: Transaction, rows: list[Row] = rows, ids: list[str] = ids) -> None:
                for part in batches(rows, _BOILERPLATE_CHUNKS_A_TRANSACTION):
                    changed_ids = [row["chunk"] for row in part if row["changed"]]
                    tx.run("ingest/forget_vectors", label, ids=changed_ids)  # this also marks the chunks for embedding
                    tx.run("ingest/mark_boilerplate", label, rows=part)
                tx.run("ingest/finish_boilerplate", label, ids=ids)

            writer.commit("boilerplate", write)
            changed += sum(row["changed"] for row in rows)
            read += len(batch)
            progress.advance(len(batch))
    if read:
        progress.finish(f"{counted(changed, 'passage')} to process again")
    return changed


def _marks(rows: Sequence[Row], boilerplate: Set[int]) -> Iterator[Row]:
    pieces = _pieces(rows)
    for row, piece, spans in zip(rows, pieces, boilerplate_spans(pieces, boilerplate), strict=True):
        only = is_only_boilerplate(piece, spans)
        if spans != row["boilerplate"] or only != row["only"] or (spans and not row["held"]):
            yield {
                "chunk": row["id"],
                "spans": spans or None,
                "only": only,
                "changed": spans != row["boilerplate"],
            }


def _by_chunks(documents: Iterable[Row]) -> Iterator[list[Row]]:
    return batches_by_size(documents, lambda document: int(document["chunks"]), _BOILERPLATE_CHUNKS_A_TRANSACTION)


def documents_with_pieces(
    graph: GraphClient, corpus: Corpus, documents: Iterable[Row]
) -> Iterator[tuple[Row, list[Row]]]:
    """Yield each document with the rows of its chunks in reading order. Only one batch is held in memory."""
    for batch in _by_chunks(documents):
        rows = graph.run("ingest/document_pieces", corpus.label, read=True, ids=[document["id"] for document in batch])
        pieces = {id_: list(group) for id_, group in groupby(rows, key=lambda row: row["document"])}
        yield from ((document, pieces.get(document["id"], [])) for document in batch)


def _pieces(rows: Iterable[Row]) -> list[Piece]:
    return [(row["text"], row["heading"]) for row in rows]


def _folder_id(label: str, path: str) -> str:
    return content_id("folder", label, path)


def _block_id(label: str, folder: str, hash_: int) -> str:
    return content_id("block", label, folder, str(hash_))
