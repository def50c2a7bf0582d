"""The keys of a corpus' metadata and their values, with counts."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

from overstory.display import counted, index_command
from overstory.errors import MetadataNotFound
from overstory.graph import Corpus, GraphClient
from overstory.graph.client import Row
from overstory.graph.ids import metadata_key_id
from overstory.index.metadata_values import FINGERPRINT, LONGEST_INDEXED_TEXT_CHARACTERS
from overstory.index.status import count_documents
from overstory.index.stored_metadata import native_value
from overstory.model import MetadataScalar, ValueType

_MOST_METADATA_EXAMPLES = 3
_MOST_NEAREST_KEYS = 5
"""Keys like one that is not there, which an error names."""


@dataclass(frozen=True, slots=True)
class MetadataKey:
    """A key of metadata, for the values of one type: a key with values of two types comes twice.

    Attributes:
        documents: how many have such a value.
        values: how many distinct ones there are.
        examples: of text the first in their order, of numbers and dates the least and the greatest.
    """

    key: str
    type: ValueType
    documents: int
    values: int
    examples: tuple[MetadataScalar, ...]


@dataclass(frozen=True, slots=True)
class MetadataKeys:
    """All keys of a corpus' metadata, by key and type, and what to know of them."""

    keys: tuple[MetadataKey, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CountedValue:
    """A value of metadata.

    Attributes:
        value: a date is in UTC.
        documents: how many have it.
        is_cut: whether it is the beginning of a longer text.
    """

    value: MetadataScalar
    type: ValueType
    documents: int
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class MetadataValues:
    """The values of a key of metadata that most documents have, the most frequent first.

    Attributes:
        left_out: how many distinct values there are besides.
    """

    key: str
    values: tuple[CountedValue, ...]
    left_out: int = 0
    notes: tuple[str, ...] = ()


def metadata_keys(graph: GraphClient, corpus: Corpus) -> MetadataKeys:
    """All keys, with types, counts and examples. What it costs grows with the number of keys, not of documents."""
    rows = graph.run("corpus/metadata_keys", corpus.label, read=True)
    examples = _examples(graph, corpus, rows)
    keys = tuple(
        MetadataKey(
            row["key"], row["type"], row["documents"], row["values"], examples.get((row["key"], row["type"]), ())
        )
        for row in rows
    )
    return MetadataKeys(keys, (*_notes_on_types(rows), *_notes_on_version(graph, corpus)))


def metadata_values(graph: GraphClient, corpus: Corpus, key: str, *, limit: int) -> MetadataValues:
    """The values of a key. What it costs grows with the number of its distinct values, not of documents."""
    rows = graph.run("corpus/metadata_keys", corpus.label, read=True)
    own = [row for row in rows if row["key"] == key]
    notes = _notes_on_version(graph, corpus)
    if not own:
        raise no_such_key(key, {str(row["key"]) for row in rows}, notes)
    found: list[CountedValue] = []
    for row in own:
        type_: ValueType = row["type"]
        id_ = metadata_key_id(corpus.label, key, type_)
        found += [
            CountedValue(native_value(value[type_]), type_, value["documents"], value["cut"])
            for value in graph.run("corpus/metadata_values", corpus.label, read=True, key=id_, limit=limit)
        ]
    best = sorted(found, key=lambda value: -value.documents)[:limit]
    left_out = sum(row["values"] for row in own) - len(best)
    return MetadataValues(key, tuple(best), left_out, (*_notes_on_types(own), *_notes_on_cut(best), *notes))


def _examples(
    graph: GraphClient, corpus: Corpus, rows: Iterable[Row]
) -> dict[tuple[str, str], tuple[MetadataScalar, ...]]:
    keys: dict[str, list[str]] = {}
    for row in rows:
        keys.setdefault(row["type"], []).append(row["key"])
    found: dict[tuple[str, str], tuple[MetadataScalar, ...]] = {
        (key, "boolean"): _booleans(graph, corpus, key) for key in keys.get("boolean", ())
    }
    for type_, statement, least in (
        ("text", "corpus/metadata_first_texts", _MOST_METADATA_EXAMPLES),
        ("number", "corpus/metadata_first_numbers", 1),
        ("date", "corpus/metadata_first_dates", 1),
    ):
        if type_ in keys:
            for row in graph.run(statement, corpus.label, read=True, keys=keys[type_], limit=least):
                values = row["first"] if type_ == "text" else [*row["first"], *row["last"]]
                found[row["key"], type_] = tuple(dict.fromkeys(map(native_value, values)))
    return found


def _booleans(graph: GraphClient, corpus: Corpus, key: str) -> tuple[MetadataScalar, ...]:
    id_ = metadata_key_id(corpus.label, key, "boolean")
    rows = graph.run("corpus/metadata_values", corpus.label, read=True, key=id_, limit=2)
    return tuple(sorted((bool(row["boolean"]) for row in rows), reverse=True))


def _notes_on_types(rows: Iterable[Row]) -> list[str]:
    types: dict[str, list[Row]] = {}
    for row in rows:
        types.setdefault(row["key"], []).append(row)
    return [
        f"{key} has values of {len(several)} types: "
        + ", ".join(f"{row['type']} in {counted(row['documents'], 'document')}" for row in several)
        + ". They are told apart: a number is not the text with its digits."
        for key, several in types.items()
        if len(several) > 1
    ]


def _notes_on_cut(values: Iterable[CountedValue]) -> list[str]:
    if not any(value.is_cut for value in values):
        return []
    return [f"Of texts of more than {LONGEST_INDEXED_TEXT_CHARACTERS:,} characters the beginning is shown."]


def _notes_on_version(graph: GraphClient, corpus: Corpus) -> list[str]:
    if corpus.metadata_by == FINGERPRINT or not count_documents(graph, corpus):
        return []
    run = f"Run: {index_command(corpus.name)}"
    return [f"Documents that an earlier version of Overstory loaded are missing here, or some of them. {run}"]


def no_such_key(key: str, keys: Set[str], notes: Sequence[str]) -> MetadataNotFound:
    """The error that no document has metadata by this key, with those that are most like it."""
    folded = {each.casefold(): each for each in sorted(keys)}
    near = difflib.get_close_matches(key.casefold(), folded, n=_MOST_NEAREST_KEYS, cutoff=0.6)
    nearest = tuple(folded[each] for each in near)
    like = f"Did you mean {' or '.join(nearest)}? " if nearest else ""
    every = "`overstory metadata` lists all keys, Knowledge.metadata() in Python."
    return MetadataNotFound(
        f"No document has metadata {key!r}.", nearest=nearest, remedy=" ".join([f"{like}{every}", *notes])
    )
