"""The stages that fill the graph, and the ledger that lets them resume."""

from overstory.index.boilerplate import BoilerplateBlock, boilerplate_blocks, keep_boilerplate, sync_boilerplate
from overstory.index.changes import Changes, DocumentChange, OnChange
from overstory.index.corpus_counts import corpus_counts
from overstory.index.disabled import disabled_ids, set_disabled
from overstory.index.dismissed_merges import DismissedMerge, dismiss_merge, dismissed_merges, undo_dismissed_merge
from overstory.index.document_sources import ids_of_origin, rows_of_all, select_all, stored_documents
from overstory.index.failed_files import FailedFile, failed_files, remember_failed
from overstory.index.given_metadata import checked_metadata, metadata_of_json, with_metadata
from overstory.index.index_time import IndexTime, estimate_index_time
from overstory.index.languages import language_counts, language_notes
from overstory.index.ledger import StageRecord
from overstory.index.listed_metadata import (
    CountedValue,
    MetadataKey,
    MetadataKeys,
    MetadataValues,
    metadata_keys,
    metadata_values,
)
from overstory.index.name_edits import (
    ListedName,
    StoredNameEdit,
    StoredVocabulary,
    VocabularyChange,
    add_edits,
    listed_names,
    most_mentioned,
    remove_edit,
    replace_vocabulary,
    stored_edits,
    stored_vocabularies,
    vocabulary_change,
)
from overstory.index.names_of_documents import most_mentioned_in
from overstory.index.pipeline import IndexReport, build_index
from overstory.index.rebuild import rebuild_indexes
from overstory.index.remembered_answers import RememberedAnswers
from overstory.index.removal import remove_corpus, remove_documents, remove_unfinished
from overstory.index.stages.annotate import annotate
from overstory.index.stages.embed import sync_vectors
from overstory.index.stages.entities import sync_entities
from overstory.index.stages.load import LOADED_COUNTS, LoadReport, load, preview
from overstory.index.stages.mentions import sync_mentions_if_extracted
from overstory.index.status import CorpusStatus, StoredDocument, count_documents, documents_by_id, read_status
from overstory.index.sync import count_in, note_vanished, remove_vanished

__all__ = [
    "LOADED_COUNTS",
    "BoilerplateBlock",
    "Changes",
    "CorpusStatus",
    "CountedValue",
    "DismissedMerge",
    "DocumentChange",
    "FailedFile",
    "IndexReport",
    "IndexTime",
    "ListedName",
    "LoadReport",
    "MetadataKey",
    "MetadataKeys",
    "MetadataValues",
    "OnChange",
    "RememberedAnswers",
    "StageRecord",
    "StoredDocument",
    "StoredNameEdit",
    "StoredVocabulary",
    "VocabularyChange",
    "add_edits",
    "annotate",
    "boilerplate_blocks",
    "build_index",
    "checked_metadata",
    "corpus_counts",
    "count_documents",
    "count_in",
    "disabled_ids",
    "dismiss_merge",
    "dismissed_merges",
    "documents_by_id",
    "estimate_index_time",
    "failed_files",
    "ids_of_origin",
    "keep_boilerplate",
    "language_counts",
    "language_notes",
    "listed_names",
    "load",
    "metadata_keys",
    "metadata_of_json",
    "metadata_values",
    "most_mentioned",
    "most_mentioned_in",
    "note_vanished",
    "preview",
    "read_status",
    "rebuild_indexes",
    "remember_failed",
    "remove_corpus",
    "remove_documents",
    "remove_edit",
    "remove_unfinished",
    "remove_vanished",
    "replace_vocabulary",
    "rows_of_all",
    "select_all",
    "set_disabled",
    "stored_documents",
    "stored_edits",
    "stored_vocabularies",
    "sync_boilerplate",
    "sync_entities",
    "sync_mentions_if_extracted",
    "sync_vectors",
    "undo_dismissed_merge",
    "vocabulary_change",
    "with_metadata",
]
