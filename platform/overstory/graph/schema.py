"""Constraints, indexes and the version of the schema. There are only migrations to later versions."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from overstory.errors import SchemaTooNew, SchemaTooOld, StatementFailed
from overstory.graph.client import GraphClient, Row
from overstory.graph.ids import Slot, derived_label
from overstory.protocols import Progress, Silence

_INDEX_LOOK_SECONDS = 5  # seconds between two checks of an index that is being built
_INDEX_STALLED_SECONDS = 1_800
"""Seconds without progress after which the build of an index counts as failed."""

VECTOR_INDEX_FROM = 500
_VECTOR_INDEX_DOWN_TO = 300
"""A corpus gets a vector index at 500 vectors and loses it again below 300 vectors.

Scanning 1,000 vectors takes 15 to 30 ms and is exact. An index takes 4 ms but may miss some of the nearest vectors.
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

Neo4j discards all query plans whenever an index is created or dropped. A corpus therefore has few indexes of its own: a
set of full-text indexes and, once it contains many vectors, a vector index.
"""

_DERIVED = "overstory_derived_"

PROPERTIES = ("embedding", "embedding_alternate")
"""The two properties of a `PassageVector` node that can store its vector.

`Corpus.embedding_property` is the property in use. The option --re-embed writes new vectors to the other property.
"""


@dataclass(frozen=True, slots=True)
class Migration:
    """A migration from schema `to - 1` to schema `to`. If `run` is interrupted, it can be repeated."""

    to: int
    run: Callable[[GraphClient], None]


def _first_schema(graph: GraphClient) -> None:
    graph.run("schema/id_constraint")
    await_index(graph, "overstory_id")
    create_missing(graph, DATABASE_INDEXES)


MIGRATIONS = (Migration(to=7, run=_first_schema),)
"""Schemas 1 to 6 are older than the first release. Graphs with these schemas are rejected, not migrated."""


def prepare(graph: GraphClient, migrations: tuple[Migration, ...] = MIGRATIONS) -> int:
    """Migrate the database to the newest schema if needed, and return the number of that schema."""
    found = schema_version(graph)
    newest = migrations[-1].to
    if found < MIGRATIONS[0].to and not graph.run("corpus/names", read=True):
        found = 0  # an old schema does not matter if the database contains no corpus
    refuse_others(found, newest)
    for migration in migrations:
        if migration.to > found:
            migration.run(graph)
            graph.run("schema/write_version", version=migration.to)
    return newest


def refuse_others(found: int, newest: int = MIGRATIONS[-1].to) -> None:
    """Raise an error if this version of Overstory cannot read the schema. Schema 0, an empty database, is accepted."""
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
    """Wait until an index is online. For a million vectors, this can take half an hour or more.

    Raises:
        StatementFailed: the index cannot be built, or has made no progress for half an hour.
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
    try:
        graph.run("schema/await_index", name=name, seconds=seconds)
    except StatementFailed as error:
        return error
    return None


def create_database_indexes(graph: GraphClient) -> None:
    """Create missing indexes that all corpora share, for example in a database from an earlier version."""
    create_missing(graph, DATABASE_INDEXES)


def create_missing(
    graph: GraphClient, indexes: Mapping[str, str], labels: Mapping[str, str] | None = None, *, analyzer: str = ""
) -> None:
    """Create the missing indexes and wait until all indexes are online.

    Args:
        indexes: the statement that creates each index, by the name of the index.
        labels: the label that each statement needs, by the name of the index; None if the statements need no label.
    """
    missing = _not_online(graph, indexes)
    for name in missing:
        try:
            # A statement ignores parameters that it does not use.
            graph.run(indexes[name], labels[name] if labels else None, name=name, analyzer=analyzer)
        except StatementFailed:  # another process may be creating the index, which IF NOT EXISTS does not notice
            if not graph.run("schema/index_state", read=True, name=name):
                raise
    for name in missing and _not_online(graph, missing):
        await_index(graph, name)


def _not_online(graph: GraphClient, names: Iterable[str]) -> list[str]:
    wanted = list(names)
    online = {row["name"] for row in graph.run("schema/online_indexes", read=True, names=wanted)}
    return [name for name in wanted if name not in online]


def vector_index_name(label: str, embedding_property: str) -> str:
    return f"overstory_vector_{label}" if embedding_property == PROPERTIES[0] else f"overstory_vector_alternate_{label}"


def begin_vector_index(
    graph: GraphClient, label: str, embedding_property: str, *, vectors: int, dimension: int
) -> tuple[str, bool]:
    """Create or drop the vector index of a corpus, depending on the number of vectors. Do not wait until it is online.

    Returns:
        The name of the index, or "" if there is none because searches scan all vectors; and True if searches can start.
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
        The name of the index, or "" if there is none because searches scan all vectors.
    """
    name, online = begin_vector_index(graph, label, embedding_property, vectors=vectors, dimension=dimension)
    if not online:
        await_index(graph, name, progress)
    return name


def drop_vector_index(graph: GraphClient, label: str, embedding_property: str) -> None:
    drop_index(graph, vector_index_name(label, embedding_property))


def derived_index(label: str, kind: str, slot: Slot | None = None) -> str:
    """Return the name of the vector index over the property `embedding` of one kind of nodes.

    Args:
        kind: kind of nodes, as in their label: "Report" for `Corpus_…_Report`.
        slot: slot of the nodes' generation; None for nodes that are not built in generations.
    """
    return _DERIVED + derived_label(label, kind, slot)


def indexed_label(index: str) -> str:
    """Return the label of the indexed nodes, given an index name from `derived_index`; "" for other indexes."""
    return index.removeprefix(_DERIVED) if index.startswith(_DERIVED) else ""


def create_derived_index(graph: GraphClient, label: str, kind: str, *, dimension: int, slot: Slot | None = None) -> str:
    """Create the vector index over one kind of nodes, wait until it is online, and return its name.

    Write all nodes first, because an index that grew in many small transactions is five times slower. An existing index
    is replaced if it has another dimension or has failed.
    """
    name = derived_index(label, kind, slot)
    found = graph.run("schema/index_state", read=True, name=name)
    if found and (found[0]["dimension"] != dimension or found[0]["state"] == "FAILED"):
        drop_index(graph, name)
        found = []
    if not found:  # even a schema statement without effect would discard all query plans
        graph.run("schema/vector_index", derived_label(label, kind, slot), name=name, dimension=dimension)
    await_index(graph, name)
    return name


def sync_derived_index(graph: GraphClient, label: str, kind: str, *, dimension: int) -> str:
    """Create the vector index over one kind of nodes if there are enough nodes, and return its name.

    If there are so few nodes that searches scan all of them, no index is created, and the name is "". An existing index
    is kept.
    """
    if not graph.run("schema/index_state", read=True, name=derived_index(label, kind)):
        (row,) = graph.run("schema/count_kind", derived_label(label, kind), read=True)
        if row["nodes"] < VECTOR_INDEX_FROM:
            return ""
    return create_derived_index(graph, label, kind, dimension=dimension)


def drop_derived_index(graph: GraphClient, label: str, kind: str, *, slot: Slot | None = None) -> None:
    """Drop the vector index over one kind of nodes in one slot; without a slot, all indexes over this kind."""
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
    # Even a schema statement without effect would discard all query plans.
    if graph.run("schema/index_state", read=True, name=name):
        graph.run("schema/drop_index", name=name)


# Full-text indexes are created in advance, in sets. At most one corpus uses a set at a time.
#
# Creating an index discards all query plans of the server. A new corpus therefore uses a free set instead of creating
# indexes. Corpora never share a set, because the passages of one corpus would change the scores in the other.

_LEAST_SETS_AT_ONCE = 4
_MOST_SETS_AT_ONCE = 16
"""If no set is free, the number of sets doubles, but at least 4 and at most 16 sets are created at once.

Creating a set takes 0.1 s, and the corpus that needs it has to wait.
"""

ANALYZER = "english"
SET_INDEXES = {"text": "schema/chunk_text_index", "words": "schema/section_word_index"}
"""The kinds of indexes in a set, each with the statement that creates the index."""


def set_label(index_set: int) -> str:
    return f"IndexSet_{index_set}"


def text_index(index_set: int) -> str:
    return set_index_name("text", index_set)


def word_index(index_set: int) -> str:
    return set_index_name("words", index_set)


def set_index_name(kind: str, index_set: int) -> str:
    return f"overstory_{kind}_{index_set}"


def create_sets(graph: GraphClient) -> None:
    """Provide free sets of full-text indexes.

    First completes sets that another process left unfinished and sets that a deleted corpus no longer uses, which lack
    an index if a rebuild was killed. If there are none, creates new sets.
    """
    rows = graph.run("schema/begin_index_sets", least=_LEAST_SETS_AT_ONCE, most=_MOST_SETS_AT_ONCE)
    numbers = [row["number"] for row in rows]
    create_set_indexes(graph, *numbers)
    graph.run("schema/finish_index_sets", numbers=numbers)


def create_set_indexes(graph: GraphClient, *index_sets: int) -> None:
    """Create the missing indexes of these sets, and wait until all indexes are online."""
    indexes = {
        set_index_name(kind, number): statement for number in index_sets for kind, statement in SET_INDEXES.items()
    }
    labels = {set_index_name(kind, number): set_label(number) for number in index_sets for kind in SET_INDEXES}
    create_missing(graph, indexes, labels, analyzer=ANALYZER)


def drop_set_index(graph: GraphClient, kind: str, index_set: int) -> None:
    """Drop one index of a set, so that it can be rebuilt from the stored data."""
    drop_index(graph, set_index_name(kind, index_set))
