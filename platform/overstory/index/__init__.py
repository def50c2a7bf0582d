"""The stages that fill the graph, and the ledger that lets them resume."""

from overstory.index.at_hand import AtHand, documents_at_hand
from overstory.index.embedding import settle_vectors
from overstory.index.exporting import digest, export_lines
from overstory.index.ledger import StageRecord
from overstory.index.linking import link
from overstory.index.loading import LoadReport, load, preview
from overstory.index.naming import find_names_again
from overstory.index.pipeline import IndexReport, build_index
from overstory.index.removal import remove_corpus, remove_documents
from overstory.index.restoring import restore_file, separate_exports, usable_exports
from overstory.index.sources import read_sources
from overstory.index.status import CorpusStatus, StoredDocument, documents_by_id, read_status, stored_documents

__all__ = [
    "AtHand",
    "CorpusStatus",
    "IndexReport",
    "LoadReport",
    "StageRecord",
    "StoredDocument",
    "build_index",
    "digest",
    "documents_at_hand",
    "documents_by_id",
    "export_lines",
    "find_names_again",
    "link",
    "load",
    "preview",
    "read_sources",
    "read_status",
    "remove_corpus",
    "remove_documents",
    "restore_file",
    "separate_exports",
    "settle_vectors",
    "stored_documents",
    "usable_exports",
]
