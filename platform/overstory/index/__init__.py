"""The stages that fill the graph, and the ledger that lets them resume."""

from overstory.index.boilerplate import BoilerplateBlock, boilerplate_blocks, keep_boilerplate, sync_boilerplate
from overstory.index.ledger import StageRecord
from overstory.index.pipeline import IndexReport, build_index
from overstory.index.removal import remove_corpus, remove_documents
from overstory.index.stages.embed import sync_vectors
from overstory.index.stages.entities import sync_entities
from overstory.index.stages.load import LoadReport, load, preview
from overstory.index.stages.mentions import sync_mentions_if_extracted
from overstory.index.status import CorpusStatus, StoredDocument, documents_by_id, read_status, stored_documents

__all__ = [
    "BoilerplateBlock",
    "CorpusStatus",
    "IndexReport",
    "LoadReport",
    "StageRecord",
    "StoredDocument",
    "boilerplate_blocks",
    "build_index",
    "documents_by_id",
    "keep_boilerplate",
    "load",
    "preview",
    "read_status",
    "remove_corpus",
    "remove_documents",
    "stored_documents",
    "sync_boilerplate",
    "sync_entities",
    "sync_mentions_if_extracted",
    "sync_vectors",
]
