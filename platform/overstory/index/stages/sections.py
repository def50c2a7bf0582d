"""The stage `sections`, which writes the words of sections for full-text search.

Loading also writes them, so the stage is needed only for a corpus from an earlier version, and runs at most once per
version.
"""

from __future__ import annotations

from collections.abc import Iterator

from overstory.display import counted
from overstory.graph import Transaction, Writer, batches
from overstory.graph.client import Row
from overstory.index.boilerplate import documents_with_pieces
from overstory.index.ledger import recorded
from overstory.index.sections import FINGERPRINT, section_properties
from overstory.index.status import count_documents
from overstory.protocols import Progress

_SECTION_DOCUMENTS_A_PAGE = 50
_SECTION_CHUNKS_A_TRANSACTION = 1_000


def sync_sections(writer: Writer, *, progress: Progress) -> bool:
    """Write the words of all sections. Return False if they are already stored."""
    graph, label = writer.graph, writer.corpus.label
    if writer.corpus.sectioned_by == FINGERPRINT:
        return False
    if not count_documents(graph, writer.corpus):
        writer.set(sectioned_by=FINGERPRINT)
        return False
    with recorded(writer, "sections", FINGERPRINT) as run:
        progress.start("sections", None, "documents")
        pages = graph.pages(
            "corpus/document_pages", label, size=_SECTION_DOCUMENTS_A_PAGE, id_of=lambda row: row["document"]["id"]
        )
        documents = 0

        def rows() -> Iterator[Row]:
            nonlocal documents
            for page in pages:
                for _, chunks in documents_with_pieces(graph, writer.corpus, [row["document"] for row in page]):
                    properties = section_properties(chunks)
                    yield from (
                        {"id": chunk["id"], "properties": each} for chunk, each in zip(chunks, properties, strict=True)
                    )
                    documents += 1
                    progress.advance(1)

        for some in batches(rows(), _SECTION_CHUNKS_A_TRANSACTION):
            _write(writer, some)
            run.count("chunks", len(some))
        writer.set(sectioned_by=FINGERPRINT)
    progress.finish(f"the sections of {counted(documents, 'document')}")
    return True


def _write(writer: Writer, rows: list[Row]) -> None:
    def write(tx: Transaction) -> None:
        tx.run("ingest/write_sections", writer.corpus.label, rows=rows)

    writer.commit("sections", write)
