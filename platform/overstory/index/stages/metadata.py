"""The stage `metadata`, which writes metadata values as nodes, and the page numbers of chunks.

Loading also writes both, so the stage is needed only for a corpus from an earlier version, and runs at most once per
version.
"""

from __future__ import annotations

from overstory.display import counted
from overstory.graph import Transaction, Writer, batches_by_size
from overstory.graph.client import Row
from overstory.index.boilerplate import documents_with_pieces
from overstory.index.ledger import recorded
from overstory.index.metadata_values import FINGERPRINT, forget_values, stored_metadata, write_values
from overstory.index.status import count_documents
from overstory.model.metadata import page_of, page_starts
from overstory.protocols import Progress

_METADATA_DOCUMENTS_A_PAGE = 500
_METADATA_CHUNKS_A_TRANSACTION = 5_000


def sync_metadata(writer: Writer, *, progress: Progress) -> bool:
    """Write the metadata values of all documents. Return False if they are already stored."""
    graph, label = writer.graph, writer.corpus.label
    written_by = writer.corpus.metadata_by
    if written_by == FINGERPRINT:
        return False
    if written_by:  # another version wrote values, or their deletion was interrupted
        forget_values(writer)
        writer.set(metadata_by="")
    if not count_documents(graph, writer.corpus):
        writer.set(metadata_by=FINGERPRINT)
        return False
    with recorded(writer, "metadata", FINGERPRINT) as run:
        progress.start("metadata", None, "documents")
        pages = graph.pages(
            "corpus/document_pages", label, size=_METADATA_DOCUMENTS_A_PAGE, id_of=lambda row: row["document"]["id"]
        )
        for page in pages:
            found = [row["document"] for row in page]
            for some in batches_by_size(found, lambda row: int(row["chunks"]), _METADATA_CHUNKS_A_TRANSACTION):
                _write(writer, some)
            run.count("documents", len(found))
            progress.advance(len(found))
        writer.set(metadata_by=FINGERPRINT)
    progress.finish(f"the metadata of {counted(run.counts.get('documents', 0), 'document')}")
    return True


def _write(writer: Writer, documents: list[Row]) -> None:
    metadata = {row["id"]: stored_metadata(row) for row in documents}
    paged = [row for row in documents if page_starts(metadata[row["id"]])]
    pages = [
        {"id": chunk["id"], "page": page_of(chunk["start"], chunk["text"], page_starts(metadata[document["id"]]))}
        for document, chunks in documents_with_pieces(writer.graph, writer.corpus, paged)
        for chunk in chunks
    ]

    def write(tx: Transaction) -> None:
        write_values(tx, writer.corpus, metadata)
        if pages:
            tx.run("ingest/write_pages", writer.corpus.label, rows=pages)

    writer.commit("metadata", write)
