"""Find the documents that match a filter on metadata.

For each comparison in a filter, every distinct value of the metadata key is compared once, in Python. Then the
documents that hold a matching value are read, and their sets are combined as the filter expression requires. Results
are cached until the corpus changes.
"""

from __future__ import annotations

import datetime
import threading
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

from overstory.display import counted, index_command
from overstory.errors import IndexMissing, MetadataNotFound
from overstory.filters import Expression
from overstory.filters import expression as kinds
from overstory.graph import Corpus, Transaction, batches
from overstory.graph.ids import metadata_key_id
from overstory.index.metadata_values import FINGERPRINT, native_value
from overstory.index.status import no_such_key
from overstory.model import MetadataScalar, ValueType
from overstory.model.metadata import VALUE_TYPES

_MOST_DOCUMENTS_SENT = 1_000
"""If at most this many documents match, their ids are sent with a statement, and the vectors of all their passages are
compared, in 30 ms for 1,000 documents. If more documents match, an index is searched and its results are filtered."""
_FILTER_VALUES_A_STATEMENT = 5_000
_MOST_MATCHING_DOCUMENTS_KEPT = 2_000_000
"""Maximum number of document ids in the cache, at about 90 bytes each. The latest result is always kept."""


NONE_MATCHES = "no document matches the filter: `overstory metadata` lists keys and values"
NONE_LEFT = "there are no documents to search"


def disabled_note(disabled: int) -> str:
    """Return a note that this number of documents is disabled."""
    are, of = ("is", "it") if disabled == 1 else ("are", "them")
    return f"{counted(disabled, 'document')} {are} disabled, so results exclude {of}"


@dataclass(frozen=True, slots=True)
class Matching:
    """The documents that match a filter.

    Attributes:
        documents: ids of the matching documents.
        total: number of documents in the corpus.
        notes: warnings about disabled documents, and about comparisons that do not fit the types of the key's values.
        none: the note to show if no document matches.
        restricted: True if nothing about other documents may be shown to the caller.
    """

    documents: frozenset[str]
    total: int
    notes: tuple[str, ...] = ()
    none: str = NONE_MATCHES
    restricted: bool = False

    @property
    def all_notes(self) -> tuple[str, ...]:
        """The notes, and `none` if no document matches."""
        return self.notes if self.documents else (*self.notes, self.none)

    @property
    def by_rights(self) -> bool:
        """True if the caller has no right to see other documents; False if the others are only disabled."""
        return self.restricted and not self.notes

    @property
    def are_few(self) -> bool:
        """True if there are so few documents that their ids are sent with a statement."""
        return len(self.documents) <= _MOST_DOCUMENTS_SENT

    @property
    def share(self) -> float:
        """The fraction of the corpus' documents that match; never 0, so that it can be a divisor."""
        return max(1, len(self.documents)) / max(1, self.total)


class MatchingDocuments:
    """Finds the documents that match a filter, and caches the results. Safe to share between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[tuple[str, datetime.datetime, int, str], Matching] = OrderedDict()

    def of(self, tx: Transaction, corpus: Corpus, where: Expression) -> Matching:
        """Return the documents that match a filter.

        Raises:
            MetadataNotFound: the filter uses a metadata key that no document has.
            IndexMissing: the metadata is not indexed yet, because an earlier version loaded the documents.
        """
        key = corpus.label, corpus.created, corpus.version, str(where)
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
        found = _Filtering(tx, corpus).matching(where)
        with self._lock:
            self._known[key] = found
            while len(self._known) > 1 and sum(map(_size, self._known.values())) > _MOST_MATCHING_DOCUMENTS_KEPT:
                self._known.popitem(last=False)
        return found


@dataclass(slots=True)
class _Filtering:
    tx: Transaction
    corpus: Corpus
    values: dict[str, list[tuple[str, MetadataScalar]]] = field(
        default_factory=dict[str, list[tuple[str, MetadataScalar]]]
    )
    every: frozenset[str] | None = None

    def matching(self, where: Expression) -> Matching:
        (row,) = self.tx.run("corpus/count_documents", self.corpus.label)
        total = row["documents"]
        has_keys = kinds.as_of(where) is not None or any(True for _ in where.conditions())
        if self.corpus.metadata_by != FINGERPRINT and total and has_keys:
            raise IndexMissing(
                f"The metadata of corpus {self.corpus.name!r} cannot be filtered: an earlier version of Overstory "
                "loaded its documents.",
                remedy=f"Run `{index_command(self.corpus.name)}` once, or call Knowledge.index() in Python.",
            )
        if isinstance(where, kinds.Restricted):
            notes = self._on_disabled(where) if where.by_disabling_alone else ()
            none = NONE_LEFT if where.asked is None else NONE_MATCHES
            documents = self._within(where) if total else frozenset()
            if where.by_disabling_alone:
                notes = (*notes, *self._on_undated(where, documents))
            return Matching(documents, total, notes, none, restricted=True)
        notes = self._checked(where) if total else ()
        documents = self._documents(where)
        return Matching(documents, total, (*notes, *self._on_undated(where, documents)))

    def _on_disabled(self, where: kinds.Restricted) -> tuple[str, ...]:
        """Return the notes for a caller who may enable the disabled documents."""
        notes = () if where.asked is None else self._checked(where.asked)
        return (disabled_note(self.corpus.disabled), *notes) if self.corpus.disabled else notes

    def _on_undated(self, where: Expression, documents: frozenset[str]) -> tuple[str, ...]:
        if kinds.as_of(where) is None:
            return ()
        undated = len(documents - self._documents(kinds.Exists(kinds.SAID_AT)))
        if not undated:
            return ()
        have = "has" if undated == 1 else "have"
        return (f"{undated:,} of the {counted(len(documents), 'document')} searched {have} no date",)

    def _within(self, where: kinds.Restricted) -> frozenset[str]:
        if where.asked is None:
            return self._documents(where.fixed)
        if isinstance(where.fixed, kinds.Not):  # read the few excluded documents instead of all included ones
            out, within = self._documents(where.fixed.part), None
        else:
            out, within = frozenset[str](), self._documents(where.fixed)

        def seen(found: frozenset[str]) -> frozenset[str]:
            return found - out if within is None else found & within

        for each in where.asked.conditions():
            if not seen(self._documents(kinds.Exists(each.key))):
                raise MetadataNotFound(f"No document has metadata {each.key!r}.")
        return seen(self._documents(where.asked))

    def _checked(self, where: Expression) -> tuple[str, ...]:
        """Return notes on comparisons that do not fit the types of the key's values.

        Raises:
            MetadataNotFound: no document has one of the keys.
        """
        known: dict[str, set[ValueType]] = {}
        for row in self.tx.run("corpus/metadata_keys", self.corpus.label):
            known.setdefault(row["key"], set()).add(row["type"])
        notes: dict[str, None] = {}
        for each in where.conditions():
            if each.key not in known:
                raise no_such_key(each.key, known.keys(), ())
            if isinstance(each, kinds.Comparison) and each.types.isdisjoint(known[each.key]):
                there = " and ".join(sorted(known[each.key]))
                effect = "excludes" if each.rejects else "matches"
                notes[f"{each} {effect} no document, because the values of {each.key} have another type: {there}"] = (
                    None
                )
            elif isinstance(each, kinds.Comparison) and "date" in known[each.key] - each.types:
                for value in filter(_is_date, each.values):
                    notes[
                        f"{each} compares {kinds.written(value)} as text, but some values of {each.key} are dates: to "
                        "compare dates, leave out the quotation marks"
                    ] = None
        return tuple(notes)

    def _documents(self, where: Expression) -> frozenset[str]:
        match where:
            case kinds.All(parts):
                wanted = [part for part in parts if not isinstance(part, kinds.Not)]
                left = self._documents(wanted[0]) if wanted else self._every()
                for part in wanted[1:]:
                    left &= self._documents(part)
                for part in parts:
                    if isinstance(part, kinds.Not):
                        left -= self._documents(part.part)
                return left
            case kinds.Any(parts):
                return frozenset[str]().union(*map(self._documents, parts))
            case kinds.Not(part):
                return self._every() - self._documents(part)
            case kinds.AsOf():
                return self._every() - self._documents(where.said_later)
            case kinds.Disabled():
                (row,) = self.tx.run("retrieve/disabled_ids", self.corpus.label)
                return frozenset(row["documents"])
            case kinds.Exists(key):
                return self._having([id_ for id_, _ in self._of_key(key)])
            case kinds.Comparison(key):
                fitting = self._having([id_ for id_, value in self._of_key(key) if where.fits(value)])
                return self._documents(kinds.Exists(key)) - fitting if where.rejects else fitting
            case _:
                raise AssertionError(where)

    def _every(self) -> frozenset[str]:
        if self.every is None:
            (row,) = self.tx.run("retrieve/document_ids", self.corpus.label)
            self.every = frozenset(row["documents"])
        return self.every

    def _of_key(self, key: str) -> list[tuple[str, MetadataScalar]]:
        if key not in self.values:
            ids = [metadata_key_id(self.corpus.label, key, type_) for type_ in VALUE_TYPES]
            rows = self.tx.run("retrieve/filter_values", self.corpus.label, keys=ids)
            self.values[key] = [(value[0], each) for row in rows for value in row["values"] for each in _whole(*value)]
        return self.values[key]

    def _having(self, values: list[str]) -> frozenset[str]:
        found: set[str] = set()
        for some in batches(values, _FILTER_VALUES_A_STATEMENT):
            (row,) = self.tx.run("retrieve/filter_documents", self.corpus.label, values=some)
            found.update(row["documents"])
        return frozenset(found)


def _size(found: Matching) -> int:
    return len(found.documents)


def _is_date(value: kinds.Asked) -> bool:
    return isinstance(value, str) and kinds.asked_date(value) is not None


def _whole(id_: str, value: Any, texts: Any) -> Iterator[MetadataScalar]:  # arguments as returned by the driver
    """Yield a value. If the stored value is only the beginning of long texts, yield the complete texts instead."""
    del id_
    if texts is None:
        yield native_value(value)
    else:
        every = cast("list[object]", texts) if isinstance(texts, list) else [texts]
        yield from (text for text in every if isinstance(text, str) and text.startswith(value))
