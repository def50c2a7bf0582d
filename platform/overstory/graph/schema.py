"""Constraints, indexes and the schema version. Migrations only go forward."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from overstory.errors import SchemaTooNew, SchemaTooOld, StatementFailed
from overstory.graph.client import GraphClient, Row
from overstory.graph.ids import Slot, derived_label
from overstory.protocols import Progress, Silence

_INDEX_LOOK_SECONDS = 5  # interval for checking the progress of an index
_INDEX_STALLED_SECONDS = 1_800
"""Time without progress after which building an index counts as failed."""

VECTOR_INDEX_FROM = 500
_VECTOR_INDEX_DOWN_TO = 300
"""Number of vectors from which a corpus gets a vector index, and below which the index is dropped again.

Scanning 1,000 vectors takes 15 to 30 ms and is exact; an index answers in 4 ms with a measured recall.
"""

DATABASE_INDEXES = {
    "overstory_chunk_pages": "schema/chunk_page_index",
    "overstory_document_pages": "schema/document_page_index",
    "overstory_document_keys": "schema/document_key_index",
    "overstory_document_sources": "schema/document_source_index",
    "overstory_touched": "schema/touched_index",
    "overstory_names": "schema/name_index",
    "overstory_name_ends": "schema/name_end_index",
    "overstory_value_texts": "schema/value_text_index",
    "overstory_value_numbers": "schema/value_number_index",
    "overstory_value_dates": "schema/value_date_index",
    "overstory_name_starts": "schema/name_start_index",
    "overstory_passage_vectors": "schema/passage_vector_corpus_index",
    "overstory_tree_nodes": "schema/tree_node_index",
    "overstory_hirag_entities": "schema/hirag_entity_index",
    "overstory_slim_entities": "schema/slim_entity_index",
    "overstory_apr_entities": "schema/apr_entity_index",
}
"""Indexes shared by all corpora, and the statements that create them.

Neo4j discards all query plans whenever an index is created or dropped. So a corpus has few indexes of its own: a vector
index once it has many vectors, and a set of full-text indexes.
"""

_DERIVED = "overstory_derived_"

PROPERTIES = ("embedding", "embedding_alternate")
"""Properties of a `PassageVector` for its vector.

`Corpus.embedding_property` names the one in use; --re-embed fills the other.
"""


@dataclass(frozen=True, slots=True)
class Migration:
    """A step from schema `to - 1` to schema `to`. `run` may be interrupted and repeated."""

    to: int
    run: Callable[[GraphClient], None]


def _first_schema(graph: GraphClient) -> None:
    graph.run("schema/id_constraint")
    await_index(graph, "overstory_id")
    create_missing(graph, DATABASE_INDEXES)


MIGRATIONS = (Migration(to=7, run=_first_schema),)
"""Schemas 1 to 6 predate the first release, so graphs with them are rejected instead of migrated."""


def prepare(graph: GraphClient, migrations: tuple[Migration, ...] = MIGRATIONS) -> int:
    """Migrate the database to the newest schema if needed, and return its number."""
    found = schema_version(graph)
    newest = migrations[-1].to
    if found < MIGRATIONS[0].to and not graph.run("corpus/names", read=True):
        found = 0  # leftovers of an earlier version without any corpus can be ignored
    refuse_others(found, newest)
    for migration in migrations:
        if migration.to > found:
            migration.run(graph)
            graph.run("schema/write_version", version=migration.to)
    return newest


def refuse_others(found: int, newest: int = MIGRATIONS[-1].to) -> None:
    """Raise an error for a schema that this version cannot read. Schema 0, an empty database, is accepted."""
    if found > newest:
        raise SchemaTooNew(
            f"The graph has schema {found}; this version of Overstory reads schemas up to {newest}.",
            remedy="Upgrade Overstory: pip install --upgrade overstory",
        )
    if 0 < found < MIGRATIONS[0].to:
        raise SchemaTooOld(
            f"The graph has schema {found}, which an earlier version of Overstory wrote; this version reads schemas "
            f"from {MIGRATIONS[0].to} on.",
            remedy="With the earlier version, export every corpus (overstory export FILE --corpus NAME) and delete it "
            "(overstory delete --all --corpus NAME); then restore it with this one: "
            "overstory ingest FILE --corpus NAME",
        )


def schema_version(graph: GraphClient) -> int:
    """Return the schema number of the graph; 0 if Overstory has written nothing yet."""
    return version_of(graph.run("schema/read_version", read=True))


def version_of(rows: list[Row]) -> int:
    return int(rows[0]["version"]) if rows else 0


def await_index(graph: GraphClient, name: str, progress: Progress | None = None) -> None:
    """Wait until an index is online, however long that takes; over a million vectors half an hour or more.

    Args:
        progress: receives the progress of the index if it is not online at once.

    Raises:
        StatementFailed: the index cannot be built, or made no progress for a long time.
    """
    there, since = 0.0, time.monotonic()
    reports = progress if progress is not None else Silence()
    while (failure := _not_online_after(graph, name, _INDEX_LOOK_SECONDS)) is not None:
        found = graph.run("schema/index_state", read=True, name=name)
        if not found or found[0]["state"] != "POPULATING" or time.monotonic() - since > _INDEX_STALLED_SECONDS:
            message = f"The index {name} did not come online: {failure}"
            raise StatementFailed(message, remedy=failure.remedy) from failure
        if found[0]["percent"] > there:
            if not there:
                reports.start("vector index", 100, "per cent")
            reports.advance(int(found[0]["percent"]) - int(there))
            there, since = found[0]["percent"], time.monotonic()
    if there:
        reports.finish("")


def _not_online_after(graph: GraphClient, name: str, seconds: int) -> StatementFailed | None:
    """Wait up to `seconds` for an index; return the error if it is not online, otherwise None."""
    try:
        graph.run("schema/await_index", name=name, seconds=seconds)
    except StatementFailed as error:
        return error
    return None


def create_database_indexes(graph: GraphClient) -> None:
    """Create missing indexes that all corpora share, as in a database of an earlier version."""
    create_missing(graph, DATABASE_INDEXES)


def create_missing(
    graph: GraphClient, indexes: Mapping[str, str], labels: Mapping[str, str] | None = None, *, analyzer: str = ""
) -> None:
    """Create missing indexes, given as name and statement, and wait until all are online."""
    missing = _not_online(graph, indexes)
    for name in missing:
        try:
            # Each statement uses those parameters that it needs.
            graph.run(indexes[name], labels[name] if labels else None, name=name, analyzer=analyzer)
        except StatementFailed:  # IF NOT EXISTS does not see an index that another process is creating
            if not graph.run("schema/index_state", read=True, name=name):
                raise
    for name in missing and _not_online(graph, missing):
        await_index(graph, name)


def _not_online(graph: GraphClient, names: Iterable[str]) -> list[str]:
    """Return the indexes that are not online, with one statement for all."""
    wanted = list(names)
    online = {row["name"] for row in graph.run("schema/online_indexes", read=True, names=wanted)}
    return [name for name in wanted if name not in online]


def vector_index_name(label: str, embedding_property: str) -> str:
    return f"overstory_vector_{label}" if embedding_property == PROPERTIES[0] else f"overstory_vector_alternate_{label}"


def begin_vector_index(
    graph: GraphClient, label: str, embedding_property: str, *, vectors: int, dimension: int
) -> tuple[str, bool]:
    """Create or drop the vector index, depending on the number of vectors, without waiting for it.

    Returns:
        Name of the index, or "" if vectors are scanned; True if the index can be queried already.
    """
    name = vector_index_name(label, embedding_property)
    found = graph.run("schema/index_state", read=True, name=name)
    if found and (vectors < _VECTOR_INDEX_DOWN_TO or found[0]["dimension"] != dimension):
        drop_vector_index(graph, label, embedding_property)
        found = []
    if found:
        return name, found[0]["state"] == "ONLINE"
    if vectors < VECTOR_INDEX_FROM:
        return "", True
    create = "schema/passage_vector_index" + ("" if embedding_property == PROPERTIES[0] else "_alternate")
    graph.run(create, label, dimension=dimension)
    return name, False


def sync_vector_index(
    graph: GraphClient,
    label: str,
    embedding_property: str,
    *,
    vectors: int,
    dimension: int,
    progress: Progress | None = None,
) -> str:
    """Create or drop the vector index as `begin_vector_index` does, and wait until it can be queried.

    Returns:
        Name of the index, or "" if vectors are scanned.
    """
    name, online = begin_vector_index(graph, label, embedding_property, vectors=vectors, dimension=dimension)
    if not online:
        await_index(graph, name, progress)
    return name


def drop_vector_index(graph: GraphClient, label: str, embedding_property: str) -> None:
    drop_index(graph, vector_index_name(label, embedding_property))


def derived_index(label: str, kind: str, slot: Slot | None = None) -> str:
    """Return the name of the vector index over the nodes of one kind, which have their vectors in `embedding`.

    Args:
        kind: kind as in the nodes' label: "Report" for `Corpus_…_Report`.
        slot: slot of the generation, for nodes that are built in generations.
    """
    return _DERIVED + derived_label(label, kind, slot)


def indexed_label(index: str) -> str:
    """Return the label of the nodes in a vector index from `derived_index`; "" for other indexes."""
    return index.removeprefix(_DERIVED) if index.startswith(_DERIVED) else ""


def create_derived_index(graph: GraphClient, label: str, kind: str, *, dimension: int, slot: Slot | None = None) -> str:
    """Create the vector index over the nodes of one kind, wait for it, and return its name.

    Write all nodes first: an index that grew through many small transactions is five times slower. An index with
    another dimension, or that failed, is replaced.
    """
    name = derived_index(label, kind, slot)
    found = graph.run("schema/index_state", read=True, name=name)
    if found and (found[0]["dimension"] != dimension or found[0]["state"] == "FAILED"):
        drop_index(graph, name)
        found = []
    if not found:  # a needless schema statement would discard all query plans
        graph.run("schema/vector_index", derived_label(label, kind, slot), name=name, dimension=dimension)
    await_index(graph, name)
    return name


def sync_derived_index(graph: GraphClient, label: str, kind: str, *, dimension: int) -> str:
    """Return the name of the vector index over the nodes of one kind, created if there are enough nodes.

    Returns "" if there are so few nodes that searches scan them. An existing index stays.
    """
    if not graph.run("schema/index_state", read=True, name=derived_index(label, kind)):
        (row,) = graph.run("schema/count_kind", derived_label(label, kind), read=True)
        if row["nodes"] < VECTOR_INDEX_FROM:
            return ""
    return create_derived_index(graph, label, kind, dimension=dimension)


def drop_derived_index(graph: GraphClient, label: str, kind: str, *, slot: Slot | None = None) -> None:
    """Drop the vector index over the nodes of one kind, in one slot or by default in all."""
    slots: tuple[Slot | None, ...] = (None, "A", "B") if slot is None else (slot,)
    names = [derived_index(label, kind, each) for each in slots]
    for name in index_names(graph, label):
        if name in names:
            drop_index(graph, name)


def index_names(graph: GraphClient, label: str) -> list[str]:
    return [row["name"] for row in graph.run("schema/index_names", read=True) if label in row["name"]]


def drop_indexes(graph: GraphClient, label: str) -> None:
    for name in index_names(graph, label):
        drop_index(graph, name)


def drop_index(graph: GraphClient, name: str) -> None:
    # A needless schema statement would discard all query plans.
    if graph.run("schema/index_state", read=True, name=name):
        graph.run("schema/drop_index", name=name)


# Full-text indexes are created in advance, in sets that one corpus uses at a time.
#
# A new corpus takes a free set instead of creating indexes, which would discard all query plans of the server.
# Corpora never share a set, because the passages of one would change the scores of the other.

_LEAST_SETS_AT_ONCE = 4
_MOST_SETS_AT_ONCE = 16
"""The number of sets doubles, within these bounds; one set takes 0.1 s, for which the first corpus waits."""

ANALYZER = "english"
SET_INDEXES = {"text": "schema/chunk_text_index", "words": "schema/section_word_index"}
"""The indexes of a set, and the statements that create them."""


def set_label(index_set: int) -> str:
    return f"IndexSet_{index_set}"


def text_index(index_set: int) -> str:
    return set_index_name("text", index_set)


def word_index(index_set: int) -> str:
    return set_index_name("words", index_set)


def set_index_name(kind: str, index_set: int) -> str:
    return f"overstory_{kind}_{index_set}"


def create_sets(graph: GraphClient) -> None:
    """Create free sets: complete unfinished or returned ones, or create new ones.

    A returned set may lack an index if a rebuild was killed.
    """
    rows = graph.run("schema/begin_index_sets", least=_LEAST_SETS_AT_ONCE, most=_MOST_SETS_AT_ONCE)
    numbers = [row["number"] for row in rows]
    create_set_indexes(graph, *numbers)
    graph.run("schema/finish_index_sets", numbers=numbers)


def create_set_indexes(graph: GraphClient, *index_sets: int) -> None:
    """Create missing indexes of sets, and wait until all are online."""
    indexes = {
        set_index_name(kind, number): statement for number in index_sets for kind, statement in SET_INDEXES.items()
    }
    labels = {set_index_name(kind, number): set_label(number) for number in index_sets for kind in SET_INDEXES}
    create_missing(graph, indexes, labels, analyzer=ANALYZER)


def drop_set_index(graph: GraphClient, kind: str, index_set: int) -> None:
    """Drop an index of a set, to rebuild it from stored data."""
    drop_index(graph, set_index_name(kind, index_set))
