"""Constraints, indexes and the schema version: made once, awaited, migrated forwards, never backwards."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from overstory.errors import SchemaTooNew, SchemaTooOld, StatementFailed
from overstory.graph.client import GraphClient, Row
from overstory.graph.ids import Slot, derived_label
from overstory.protocols import Progress, Silence

_INDEX_LOOK_SECONDS = 5  # how often it is looked how much of an index is there
_INDEX_STALLED_SECONDS = 1_800
"""How long nothing may be added to an index that is not online before an error is raised."""

VECTOR_INDEX_FROM = 500
_VECTOR_INDEX_DOWN_TO = 300
"""Vectors at which a corpus gets a vector index, and below which it loses it again; in between it stays as it is.

A scan of 1,000 vectors takes 15 to 30 ms and is exact; an index answers in 4 ms and its recall is measured.
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
"""The indexes that all corpora share, and the statements that make them.

Neo4j forgets the plans of all statements whenever an index is made or dropped, so a corpus has few indexes of its own:
those over its vectors, once there are many, and a set of full-text indexes (`graph/schema.py`).
"""

_DERIVED = "overstory_derived_"

PROPERTIES = ("embedding", "embedding_alternate")
"""Where a `PassageVector` may have its vector. `Corpus.embedding_property` names the one in use; --re-embed fills the
other."""


@dataclass(frozen=True, slots=True)
class Migration:
    """A step from schema `to - 1` to schema `to`. `run` may be interrupted and run again."""

    to: int
    run: Callable[[GraphClient], None]


def _first_schema(graph: GraphClient) -> None:
    graph.run("schema/id_constraint")
    await_index(graph, "overstory_id")
    create_missing(graph, DATABASE_INDEXES)


MIGRATIONS = (Migration(to=7, run=_first_schema),)
"""Graphs of schemas 1 to 6 were written before a release; they are refused, not migrated."""


def prepare(graph: GraphClient, migrations: tuple[Migration, ...] = MIGRATIONS) -> int:
    """Brings the database to the newest schema, and returns its number. Does nothing if it is up to date."""
    found = schema_version(graph)
    newest = migrations[-1].to
    if found < MIGRATIONS[0].to and not graph.run("corpus/names", read=True):
        found = 0  # whatever an earlier version left, there is no corpus to lose
    refuse_others(found, newest)
    for migration in migrations:
        if migration.to > found:
            migration.run(graph)
            graph.run("schema/write_version", version=migration.to)
    return newest


def refuse_others(found: int, newest: int = MIGRATIONS[-1].to) -> None:
    """Lets only graphs pass that this version of Overstory reads; 0, an empty one, is among them."""
    if found > newest:
        raise SchemaTooNew(
            f"The graph has schema {found}; this version of Overstory knows schemas up to {newest}.",
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
    """The schema that the graph was written with, 0 if Overstory has written nothing yet."""
    return version_of(graph.run("schema/read_version", read=True))


def version_of(rows: list[Row]) -> int:
    """The schema in the rows of `schema/read_version`."""
    return int(rows[0]["version"]) if rows else 0


def await_index(graph: GraphClient, name: str, progress: Progress | None = None) -> None:
    """Returns when the index is online, however long that takes: over a million vectors half an hour and more.

    Args:
        progress: hears how much of it is there, if it is not online at once.

    Raises:
        StatementFailed: it cannot be made, or nothing was added to it for a long time.
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
    """The reason why an index is not online after so many seconds; None once it is."""
    try:
        graph.run("schema/await_index", name=name, seconds=seconds)
    except StatementFailed as error:
        return error
    return None


def create_database_indexes(graph: GraphClient) -> None:
    """Creates the indexes that all corpora share where they are missing, as in a database of an earlier version."""
    create_missing(graph, DATABASE_INDEXES)


def create_missing(
    graph: GraphClient, indexes: Mapping[str, str], labels: Mapping[str, str] | None = None, *, analyzer: str = ""
) -> None:
    """Creates the indexes that are missing, by name and statement; returns when all are online."""
    missing = _not_online(graph, indexes)
    for name in missing:
        try:
            # A statement takes what it needs.
            graph.run(indexes[name], labels[name] if labels else None, name=name, analyzer=analyzer)
        except StatementFailed:  # IF NOT EXISTS does not see what another process is about to make
            if not graph.run("schema/index_state", read=True, name=name):
                raise
    for name in missing and _not_online(graph, missing):
        await_index(graph, name)


def _not_online(graph: GraphClient, names: Iterable[str]) -> list[str]:
    """One statement instead of two for each index (`CREATE … IF NOT EXISTS`, and awaiting it)."""
    wanted = list(names)
    online = {row["name"] for row in graph.run("schema/online_indexes", read=True, names=wanted)}
    return [name for name in wanted if name not in online]


def vector_index_name(label: str, embedding_property: str) -> str:
    return f"overstory_vector_{label}" if embedding_property == PROPERTIES[0] else f"overstory_vector_alternate_{label}"


def begin_vector_index(
    graph: GraphClient, label: str, embedding_property: str, *, vectors: int, dimension: int
) -> tuple[str, bool]:
    """Creates or drops the vector index by the number of vectors, without waiting for it to grow.

    Returns:
        Its name, or "" if vectors are scanned; whether it can be asked yet.
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
    """As `begin_vector_index`, but returns when the index can be asked; its name, or "" if vectors are scanned."""
    name, online = begin_vector_index(graph, label, embedding_property, vectors=vectors, dimension=dimension)
    if not online:
        await_index(graph, name, progress)
    return name


def drop_vector_index(graph: GraphClient, label: str, embedding_property: str) -> None:
    drop_index(graph, vector_index_name(label, embedding_property))


def derived_index(label: str, kind: str, slot: Slot | None = None) -> str:
    """The name of the vector index over the nodes of one kind, which have their vectors in `embedding`.

    Args:
        kind: as the nodes' label has it: "Report" for `Corpus_…_Report`.
        slot: of the generation, for nodes that are built in generations.
    """
    return _DERIVED + derived_label(label, kind, slot)


def indexed_label(index: str) -> str:
    """The label of the nodes that a vector index of `derived_index` is over; "" for another one."""
    return index.removeprefix(_DERIVED) if index.startswith(_DERIVED) else ""


def create_derived_index(graph: GraphClient, label: str, kind: str, *, dimension: int, slot: Slot | None = None) -> str:
    """Makes the vector index over the nodes of one kind, and awaits it; its name. Fill first, and index then: an index
    that grew by many small transactions answers five times more slowly.

    One for vectors of another dimension, or whose population failed, is replaced.
    """
    name = derived_index(label, kind, slot)
    found = graph.run("schema/index_state", read=True, name=name)
    if found and (found[0]["dimension"] != dimension or found[0]["state"] == "FAILED"):
        drop_index(graph, name)
        found = []
    if not found:  # else no statement that Neo4j might take for a change of the schema, and forget all plans
        graph.run("schema/vector_index", derived_label(label, kind, slot), name=name, dimension=dimension)
    await_index(graph, name)
    return name


def sync_derived_index(graph: GraphClient, label: str, kind: str, *, dimension: int) -> str:
    """The name of the vector index over the nodes of one kind, made where there are enough of them; "" where they are
    so few that they are scanned, as the passages of a small corpus are. One that is there stays.
    """
    if not graph.run("schema/index_state", read=True, name=derived_index(label, kind)):
        (row,) = graph.run("schema/count_kind", derived_label(label, kind), read=True)
        if row["nodes"] < VECTOR_INDEX_FROM:
            return ""
    return create_derived_index(graph, label, kind, dimension=dimension)


def drop_derived_index(graph: GraphClient, label: str, kind: str, *, slot: Slot | None = None) -> None:
    """Drops the vector index over the nodes of one kind: of one slot, or of all where none is named."""
    slots: tuple[Slot | None, ...] = (None, "A", "B") if slot is None else (slot,)
    names = [derived_index(label, kind, each) for each in slots]
    for name in index_names(graph, label):
        if name in names:
            drop_index(graph, name)


def index_names(graph: GraphClient, label: str) -> list[str]:
    """The names of a corpus' own indexes, sorted."""
    return [row["name"] for row in graph.run("schema/index_names", read=True) if label in row["name"]]


def drop_indexes(graph: GraphClient, label: str) -> None:
    """Drops every index of a corpus; those that all corpora share stay."""
    for name in index_names(graph, label):
        drop_index(graph, name)


def drop_index(graph: GraphClient, name: str) -> None:
    """Drop an index, if it exists."""
    if graph.run("schema/index_state", read=True, name=name):  # else the server would forget all plans for nothing
        graph.run("schema/drop_index", name=name)


# Full-text indexes over the words of corpora: made ahead in sets, each of which one corpus has at a time.
#
# Neo4j forgets the plans of all statements when an index is created or dropped. So a new corpus creates none, but takes
# a set that is free (`corpus/create`), and gives it back, empty, when it is deleted. The chunks of the corpus carry the
# label of its set. No set serves two corpora at a time: the passages of one would change the scores of the other.

_LEAST_SETS_AT_ONCE = 4
_MOST_SETS_AT_ONCE = 16
"""In between as many are created as there are: a set takes a tenth of a second, and the first corpus waits for it."""

ANALYZER = "english"
SET_INDEXES = {"text": "schema/chunk_text_index", "words": "schema/section_word_index"}
"""The indexes of a set, and the statements that make them."""


def set_label(index_set: int) -> str:
    """The label of the chunks that a set is over."""
    return f"IndexSet_{index_set}"


def text_index(index_set: int) -> str:
    """The name of the index over titles, headings and texts of chunks."""
    return set_index_name("text", index_set)


def word_index(index_set: int) -> str:
    """The name of the index over the words of sections."""
    return set_index_name("words", index_set)


def set_index_name(kind: str, index_set: int) -> str:
    """The name of an index of a set, by its kind (`SET_INDEXES`)."""
    return f"overstory_{kind}_{index_set}"


def create_sets(graph: GraphClient) -> None:
    """Makes sets free: those that somebody began to create or gave back, or new ones, as many as there are.

    A set that was given back may lack an index, where a rebuild was killed.
    """
    rows = graph.run("schema/begin_index_sets", least=_LEAST_SETS_AT_ONCE, most=_MOST_SETS_AT_ONCE)
    numbers = [row["number"] for row in rows]
    create_set_indexes(graph, *numbers)
    graph.run("schema/finish_index_sets", numbers=numbers)


def create_set_indexes(graph: GraphClient, *index_sets: int) -> None:
    """Creates the indexes of sets that are missing; returns when all are online."""
    indexes = {
        set_index_name(kind, number): statement for number in index_sets for kind, statement in SET_INDEXES.items()
    }
    labels = {set_index_name(kind, number): set_label(number) for number in index_sets for kind in SET_INDEXES}
    create_missing(graph, indexes, labels, analyzer=ANALYZER)


def drop_set_index(graph: GraphClient, kind: str, index_set: int) -> None:
    """Drops an index of a set, to be made again from what is stored."""
    drop_index(graph, set_index_name(kind, index_set))
