"""The index stages, which fill the graph, and the ledger, which lets an interrupted stage resume."""

from overstory.index.boilerplate import BoilerplateBlock
from overstory.index.changes import DocumentChange
from overstory.index.document_checks import metadata_of_json
from overstory.index.ledger import IndexTime, StageRecord, estimate_index_time
from overstory.index.name_edits import (
    DismissedMerge,
    ListedEntity,
    StoredEntityEdit,
    StoredVocabulary,
    VocabularyChange,
)
from overstory.index.pipeline import IndexReport
from overstory.index.stages.load import LOADED_COUNTS, LoadReport
from overstory.index.status import (
    CorpusStatus,
    CountedValue,
    MetadataKey,
    MetadataKeys,
    MetadataValues,
    StoredDocument,
    language_counts,
)
from overstory.index.sync import FailedFile

__all__ = [
    "LOADED_COUNTS",
    "BoilerplateBlock",
    "CorpusStatus",
    "CountedValue",
    "DismissedMerge",
    "DocumentChange",
    "FailedFile",
    "IndexReport",
    "IndexTime",
    "ListedEntity",
    "LoadReport",
    "MetadataKey",
    "MetadataKeys",
    "MetadataValues",
    "StageRecord",
    "StoredDocument",
    "StoredEntityEdit",
    "StoredVocabulary",
    "VocabularyChange",
    "estimate_index_time",
    "language_counts",
    "metadata_of_json",
]
