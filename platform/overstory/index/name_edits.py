"""Manual edits of entities. They are stored as a log in the graph; the stages `entities` and `mentions` apply them.

Chunks store mentions to which the edits have been applied. While an edit affects a chunk, a node next to it
(`OriginalNames`) keeps its original mentions, so that every edit can be undone.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from overstory.graph import Corpus, GraphClient, Transaction, Writer, batches
from overstory.graph.client import Row
from overstory.graph.ids import content_id, entity_id
from overstory.model.entity_kinds import LISTED_LATER
from overstory.text.names.edits import EditedNames, NameEdit, checked_edit
from overstory.text.names.keys import entity_key
from overstory.text.names.subjects import name_start
from overstory.text.names.vocabulary import VocabularyName

PARSER = "ner"
"""Kind of the mentions to which the names of a document are applied."""


@dataclass(frozen=True, slots=True)
class DismissedMerge:
    """Two names that a user declared to be different entities, with the time of that decision (UTC)."""

    name: str
    into: str
    at: datetime.datetime


def dismiss_merge(writer: Writer, name: str, into: str) -> None:
    """Record that two names are different entities. The order of the names does not matter.

    If documents use one for the other, the next run of the index stages separates them.
    """
    label = writer.corpus.label
    first, second = sorted((entity_key(name), entity_key(into)))
    _mark_documents(writer, first, second)

    def work(tx: Transaction) -> None:
        tx.run(
            "corpus/dismiss_merge",
            label,
            id=_id(label, first, second),
            first=first,
            second=second,
            name=name,
            into=into,
        )

    writer.commit("names", work)


def undo_dismissed_merge(writer: Writer, name: str, into: str) -> bool:
    """Delete the record that two names are different entities. Return True if there was such a record."""
    label = writer.corpus.label
    first, second = sorted((entity_key(name), entity_key(into)))
    _mark_documents(writer, first, second)
    id_ = _id(label, first, second)

    def work(tx: Transaction) -> bool:
        (row,) = tx.run("corpus/undo_dismissed_merge", label, id=id_)
        return bool(row["deleted"])

    return writer.commit("names", work)


def _mark_documents(writer: Writer, first: str, second: str) -> None:
    label = writer.corpus.label
    ids = [entity_id(label, first), entity_id(label, second)]
    writer.graph.run_in_batches("ingest/mark_parsed_mentions", label, ids=ids, by=PARSER)


def dismissed_merges(graph: GraphClient, corpus: Corpus) -> dict[tuple[str, str], DismissedMerge]:
    """Return the pairs of names that were recorded as different entities, latest first.

    The key of each item is the pair of normalised names, in alphabetical order.
    """
    return {
        (row["first"], row["second"]): DismissedMerge(row["name"], row["into"], row["at"].to_native())
        for row in graph.run("corpus/dismissed_merges", corpus.label, read=True)
    }


def _id(label: str, first: str, second: str) -> str:
    return content_id("dismissed-merge", label, first, second)


_Write = Callable[[Transaction], None]

_EDITED_KEYS_A_STATEMENT = 500
_EDITED_NAMES_A_STATEMENT = 5_000
MOST_NAMES_LOOKED_UP = 5_000
"""Maximum number of names for which the chunks that may contain them are looked up. With more, all are processed."""


@dataclass(frozen=True, slots=True)
class StoredEntityEdit:
    """An edit in the corpus's log, with its number in the log and the time at which it was made (UTC)."""

    number: int
    edit: NameEdit
    at: datetime.datetime


@dataclass(frozen=True, slots=True)
class StoredVocabulary:
    """A vocabulary of a corpus, with the path of its file and the numbers of its names and aliases."""

    source: str
    names: int
    aliases: int


@dataclass(frozen=True, slots=True)
class VocabularyChange:
    """The result of loading a vocabulary.

    Attributes:
        source: path of the file.
        added: names that were not in the vocabulary before.
        changed: names whose spelling, type or aliases changed.
        removed: names that the file no longer contains.
    """

    source: str
    names: int
    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ListedEntity:
    """An entity of the corpus.

    Attributes:
        key: normalised name.
        name: name chosen by a manual edit; without one, the most frequent spelling.
        type: entity type; "" if unknown.
        passages: number of passages that mention the entity.
    """

    key: str
    name: str
    type: str
    aliases: tuple[str, ...]
    passages: int


def stored_edits(graph: GraphClient | Transaction, corpus: Corpus) -> list[StoredEntityEdit]:
    if not corpus.name_edits:
        return []
    if isinstance(graph, Transaction):
        rows = graph.run("corpus/name_edits", corpus.label)
    else:
        rows = graph.run("corpus/name_edits", corpus.label, read=True)
    return [
        StoredEntityEdit(row["number"], checked_edit(row["kind"], row["name"], row["to"]), row["at"].to_native())
        for row in rows
    ]


def edited_names(graph: GraphClient | Transaction, corpus: Corpus) -> EditedNames:
    """Return the combined effect that a corpus's vocabularies and manual edits have on its entities."""
    log = (stored.edit for stored in stored_edits(graph, corpus))
    return EditedNames(log, names_in(stored_vocabularies(graph, corpus)))


def names_of(writer: Writer) -> EditedNames | None:
    """Return the combined effect of vocabularies and edits; None if the corpus never contained any."""
    corpus = writer.corpus
    return edited_names(writer.graph, corpus) if corpus.edits_names else None


def add_edits(writer: Writer, edits: Sequence[NameEdit]) -> list[StoredEntityEdit]:
    """Append edits to the log, and return them with their numbers. The next run of the index stages applies them."""
    label = writer.corpus.label
    corpus = writer.corpus
    known = stored_edits(writer.graph, corpus)
    first = corpus.name_edits + 1
    rows: list[Row] = [
        {
            "id": _edit_id(label, number),
            "number": number,
            "kind": edit.kind,
            "name": edit.name,
            "to": edit.to,
        }
        for number, edit in enumerate(edits, start=first)
    ]
    listed = names_in(stored_vocabularies(writer.graph, corpus))
    before = [stored.edit for stored in known]

    def write(tx: Transaction) -> None:
        tx.run("corpus/write_name_edits", label, rows=rows, last=corpus.name_edits + len(rows))

    _change(writer, EditedNames(before, listed), EditedNames([*before, *edits], listed), write)
    made = stored_edits(writer.graph, writer.corpus)
    return [stored for stored in made if stored.number >= first]


def remove_edit(writer: Writer, number: int) -> None:
    """Remove an existing edit from the log. The next run of the index stages undoes it."""
    label = writer.corpus.label
    corpus = writer.corpus
    known = stored_edits(writer.graph, corpus)
    listed = names_in(stored_vocabularies(writer.graph, corpus))

    def write(tx: Transaction) -> None:
        tx.run("corpus/remove_name_edit", label, id=_edit_id(label, number))

    before = [stored.edit for stored in known]
    after = [stored.edit for stored in known if stored.number != number]
    _change(writer, EditedNames(before, listed), EditedNames(after, listed), write)


def stored_vocabularies(graph: GraphClient | Transaction, corpus: Corpus) -> dict[str, dict[str, VocabularyName]]:
    """Return a map from the path of each vocabulary to its names, and in each a map from key to name.

    The vocabularies are in the order in which they are applied.
    """
    if not corpus.vocabularies:
        return {}
    if isinstance(graph, Transaction):
        rows = graph.run("corpus/vocabulary_names", corpus.label)
    else:
        rows = graph.run("corpus/vocabulary_names", corpus.label, read=True)
    found: dict[str, dict[str, VocabularyName]] = {}
    for row in rows:
        found.setdefault(row["source"], {})[row["key"]] = VocabularyName(
            row["name"], row["type"], tuple(row["aliases"])
        )
    return found


def names_in(vocabularies: Mapping[str, Mapping[str, VocabularyName]]) -> list[VocabularyName]:
    """Return the names of all vocabularies as one list, in the order in which they are applied."""
    return [name for source in sorted(vocabularies) for name in vocabularies[source].values()]


def vocabulary_change(
    source: str, known: Mapping[str, VocabularyName], wanted: Mapping[str, VocabularyName]
) -> VocabularyChange:
    """Compare two versions of a vocabulary; each is a map from key to name."""
    return VocabularyChange(
        source,
        names=len(wanted),
        added=tuple(sorted(name.name for key, name in wanted.items() if key not in known)),
        changed=tuple(sorted(name.name for key, name in wanted.items() if key in known and known[key] != name)),
        removed=tuple(sorted(name.name for key, name in known.items() if key not in wanted)),
    )


def replace_vocabulary(writer: Writer, source: str, wanted: Mapping[str, VocabularyName]) -> VocabularyChange:
    """Replace the vocabulary that was loaded from this path. The next run of the index stages applies it.

    Args:
        wanted: new names by key. If there are none, the vocabulary is removed.
    """
    label = writer.corpus.label
    corpus = writer.corpus
    stored = stored_vocabularies(writer.graph, corpus)
    known = stored.get(source, {})
    change = vocabulary_change(source, known, wanted)
    if not (change.added or change.changed or change.removed):
        return change
    gone = [_vocabulary_id(label, source, key) for key in known if key not in wanted]
    rows: list[Row] = [
        {
            "id": _vocabulary_id(label, source, key),
            "source": source,
            "key": key,
            "name": name.name,
            "type": name.type,
            "aliases": list(name.aliases),
        }
        for key, name in wanted.items()
        if known.get(key) != name
    ]

    def write(tx: Transaction) -> None:
        for ids in batches(gone, _EDITED_NAMES_A_STATEMENT):
            tx.run("corpus/remove_vocabulary_names", label, ids=ids)
        for some in batches(rows, _EDITED_NAMES_A_STATEMENT):
            tx.run("corpus/write_vocabulary_names", label, rows=some)
        tx.run("corpus/count_vocabulary", label, loads=corpus.vocabularies + 1)

    log = [each.edit for each in stored_edits(writer.graph, corpus)]
    after = EditedNames(log, names_in(stored | {source: wanted}))
    _change(writer, EditedNames(log, names_in(stored)), after, write)
    return change


def most_mentioned(
    graph: GraphClient, corpus: Corpus, *, limit: int, type_: str = "", prefix: str = ""
) -> list[ListedEntity]:
    """Return the entities in the order of `Knowledge.entities`. Every entity of the corpus is read once.

    Args:
        type_: return only entities of this type; "" for all types.
        prefix: return only entities whose key starts with this text, and entities into which such an entity was merged.
    """
    resolved = edited_names(graph, corpus).resolved if prefix else {}
    others = sorted({name for key, name in resolved.items() if name and key.startswith(prefix)})
    rows = graph.run(
        "corpus/most_mentioned",
        corpus.label,
        read=True,
        type=type_,
        prefix=prefix,
        others=others,
        later=dict(LISTED_LATER),
        limit=limit,
    )
    return listed_names(rows)


def listed_names(rows: Iterable[Row]) -> list[ListedEntity]:
    return [ListedEntity(row["key"], row["name"], row["type"], tuple(row["aliases"]), row["passages"]) for row in rows]


def _edit_id(label: str, number: int) -> str:
    return content_id("name-edit", label, str(number))


def _vocabulary_id(label: str, source: str, key: str) -> str:
    return content_id("vocabulary-name", label, source, key)


def _change(writer: Writer, old: EditedNames, new: EditedNames, write: _Write) -> None:
    """Mark all nodes for which the old and the new edits have different effects, and then write the change."""
    label = writer.corpus.label
    moved = sorted(key for key in old.resolved.keys() | new.resolved.keys() if old.resolve(key) != new.resolve(key))
    for keys in batches(moved, _EDITED_KEYS_A_STATEMENT):
        writer.renew()
        writer.graph.run_in_batches("ingest/mark_edited_mentions", label, ids=[entity_id(label, key) for key in keys])
    if moved:
        writer.graph.run_in_batches("ingest/mark_original_names", label, keys=moved)
    listed = old.given.keys() ^ new.given.keys()
    _mark_texts(writer, sorted({*new.with_aliases(old.with_aliases(listed)), *moved}))
    before, after = old.called, new.called
    called = {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
    typed = {key for key in old.given.keys() & new.given.keys() if old.given[key] != new.given[key]}
    concerned = called.union(listed, typed, moved, map(old.resolve, moved), map(new.resolve, moved)) - {""}

    def work(tx: Transaction) -> None:
        for keys in batches(sorted(concerned), _EDITED_KEYS_A_STATEMENT):
            tx.run("ingest/mark_edited_entities", label, ids=[entity_id(label, key) for key in keys])
        write(tx)

    writer.commit("names", work)


def _mark_texts(writer: Writer, keys: Sequence[str]) -> None:
    """Mark the chunks whose texts may contain one of these names, so that the stage `mentions` processes them."""
    label = writer.corpus.label
    if len(keys) > MOST_NAMES_LOOKED_UP:
        writer.graph.run_in_batches("ingest/mark_all_changed", label)
        return
    for starts in batches(sorted({name_start(key) for key in keys}), _EDITED_KEYS_A_STATEMENT):
        query = " ".join(f'"{start}"' for start in starts)

        def mark(tx: Transaction, query: str = query) -> None:
            tx.run("ingest/mark_starting", label, query=query)

        writer.commit("names", mark)
