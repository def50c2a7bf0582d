"""What passages are about, and which names are looked for in texts: found for all, or where something changed.

Both ways apply the same functions of `text/names/subjects.py`: the first to everything, the second to documents with
changed passages and to the names that these touch: those of which a mention or a subject changed, and their other names
or full names, which are found by their beginnings and ends (`text/names/neighbours.py`).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import groupby

from overstory.graph import GraphClient, batches
from overstory.graph.client import Row
from overstory.graph.ids import entity_id
from overstory.model.boilerplate import without_boilerplate
from overstory.text.names.dictionary import NameDictionary, is_looked_for, possible_names, types_left_out
from overstory.text.names.edits import EditedNames
from overstory.text.names.neighbours import Seek, Seeks, other_names_among, seek_leads, seek_others
from overstory.text.names.subject_names import short_forms
from overstory.text.names.subjects import (
    OWN,
    About,
    Subject,
    SubjectPassage,
    edited_subjects,
    looked_for,
    names_of_leads,
    other_names,
    own_subjects,
)
from overstory.text.names.tokens import Tokens

PARSED = ("ner",)
"""Kinds of mentions whose names are looked for in all texts."""

PASSAGE_NAMES_A_STATEMENT = 5_000


@dataclass(frozen=True, slots=True)
class NameKeys:
    """Keys: all that are looked for in texts, and those of them that some chunk is about."""

    all: Set[str]
    subjects: Set[str]


@dataclass(frozen=True, slots=True)
class PassageNames:
    """What passages are about, and were. Passages that are not here are about what they were.

    Attributes:
        stored, about: as the graph has it, and as it should be. Where only changes were looked at, a passage of an
            unchanged document has no more than what changed for it.
        found: what passages of the documents that were read are about by themselves, without edits of names.
        originals: the same as the graph has it, of those whose names were edited.
        known, wanted: the names that the last finished run looked for, and those to look for now; where only changes
            were looked at, of the names `touched`.
        touched: None where all names were looked at.
    """

    stored: About
    about: About
    found: About
    originals: About
    known: NameKeys
    wanted: NameKeys
    touched: Set[str] | None = None


def find_all(graph: GraphClient, label: str, log: EditedNames | None, edits: EditedNames) -> PassageNames:
    """Looks at all passages. In memory: what they are about, some 1 KB each.

    Args:
        log: the edits of names, None where the corpus never had any.
        edits: the same, empty then.
    """
    stored = _about(graph.stream("ingest/stored_about", label))
    originals = {} if log is None else _originals(graph.stream("ingest/original_subjects", label))
    found = {
        chunk: {key: subject for key, subject in names.items() if subject.source in OWN}
        for chunk, names in stored.items()
    }
    found |= originals
    found |= _changed_documents(graph, label)
    own = {chunk: edited_subjects(names, edits) for chunk, names in found.items()}
    rows = graph.stream("ingest/parsed_names", label, kinds=list(PARSED))
    parsed = {key for row in rows for key in row["keys"] if any(is_looked_for(key, type_) for type_ in row["types"])}
    about = {chunk: dict(names) for chunk, names in own.items()}
    for chunk, names in other_names(own, parsed).items():
        about[chunk] |= names
    everywhere, subjects = looked_for(about, parsed)
    subject_of = {row["key"]: row["subject"] for row in graph.stream("ingest/known_names", label)}
    return PassageNames(
        stored,
        about,
        found,
        originals,
        known=NameKeys(subject_of.keys(), {key for key, subject in subject_of.items() if subject}),
        wanted=NameKeys(everywhere | edits.given.keys(), subjects | edits.given.keys()),
    )


def find_changed(graph: GraphClient, label: str, log: EditedNames | None, edits: EditedNames) -> PassageNames:
    """Looks at the documents with changed passages, and at the names that they touch.

    Args:
        log, edits: as for `find_all`. Passages that are about a name which an edit concerns must be marked as changed.
    """
    found = _changed_documents(graph, label)
    own = {chunk: edited_subjects(names, edits) for chunk, names in found.items()}
    chunks = list(own)
    stored = _about(_of_ids(graph, label, "ingest/stored_about_of", chunks))
    originals = {} if log is None else _originals(_of_ids(graph, label, "ingest/original_subjects_of", chunks))

    touched = {row["key"] for row in graph.stream("ingest/changed_names", label)}
    touched.update(key for about in (stored, own) for names in about.values() for key in names)
    longer = [key for key in touched if " " in key]
    similar = _sought(graph, label, seek_others(longer))
    keys = touched.union(*(short_forms(key) for key in longer), (key for _, key in other_names_among(longer, similar)))
    full = _sought(graph, label, seek_leads(keys))
    leads = {lead for lead, _ in other_names_among(full, keys)}.union(longer)
    states = _states(graph, label, keys | leads, chunks)
    now = {key: subject for names in own.values() for key, subject in names.items() if subject.full}

    others = names_of_leads(
        sorted(lead for lead in leads if lead in now or (lead in states and states[lead]["lead"])),
        {key for key in keys if key in states and states[key]["named"]}.union(*own.values()),
        {key for key in keys if key in states and states[key]["parsed"]},
    )
    about = {chunk: dict(names) for chunk, names in own.items()}
    for chunk, names in own.items():
        for lead, subject in names.items():
            if subject.full:
                about[chunk] |= {key: other for key, other in others.get(lead, {}).items() if key not in names}
    elsewhere = _other_subjects(graph, label, others, keys, chunks)
    for row in _of_ids(graph, label, "ingest/other_about", _ids(label, keys), chunks=chunks, own=list(OWN)):
        stored.setdefault(row["chunk"], {})[row["key"]] = _subject(row)
        elsewhere.setdefault(row["chunk"], {})
    about |= elsewhere
    return PassageNames(
        stored,
        about,
        found,
        originals,
        known=NameKeys(
            {key for key in keys if key in states and states[key]["known"]},
            {key for key in keys if key in states and states[key]["known"] and states[key]["known_subject"]},
        ),
        wanted=_wanted(keys, about, states, edits),
        touched=keys,
    )


class Dictionaries:
    """The names to look for in texts, and those of them that some passage is about: all, or those texts may have."""

    def __init__(self, graph: GraphClient, label: str, names: PassageNames, edits: EditedNames) -> None:
        self._graph, self._label, self._names, self._edits = graph, label, names, edits
        self._all: tuple[NameDictionary, NameDictionary] | None = None
        if names.touched is None:
            self._all = self._dictionaries(names.wanted)

    def of(self, texts: Iterable[Tokens]) -> tuple[NameDictionary, NameDictionary]:
        """What to look for in these texts."""
        return self._all or self._dictionaries(self._looked_up(texts))

    def _dictionaries(self, names: NameKeys) -> tuple[NameDictionary, NameDictionary]:
        with_aliases = self._edits.with_aliases
        return NameDictionary(with_aliases(names.all)), NameDictionary(with_aliases(names.subjects))

    def _looked_up(self, texts: Iterable[Tokens]) -> NameKeys:
        keys: set[str] = set()
        beginnings: set[str] = set()
        for tokens in texts:
            possible = possible_names(tokens)
            keys |= possible.keys
            beginnings |= possible.beginnings
        seeks = Seeks({Seek(beginning) for beginning in beginnings}, set())
        keys |= _sought(self._graph, self._label, seeks)
        keys |= {self._edits.resolve(key) for key in keys}
        wanted, touched = self._names.wanted, self._names.touched or frozenset()
        ids = _ids(self._label, keys - touched)
        rows = list(_of_ids(self._graph, self._label, "ingest/dictionary_names", ids))
        given = keys & self._edits.given.keys()
        return NameKeys(
            {row["key"] for row in rows} | (wanted.all & keys) | given,
            {row["key"] for row in rows if row["subject"]} | (wanted.subjects & keys) | given,
        )


def _changed_documents(graph: GraphClient, label: str) -> About:
    """The subjects of every passage of documents with changed ones; those of boilerplate alone are about nothing."""
    found: About = {}
    for _, rows in groupby(graph.stream("ingest/changed_passages", label), key=lambda row: row["document"]):
        passages = {row["id"]: None if row["only"] else _passage(row) for row in rows}
        about = own_subjects([passage for passage in passages.values() if passage])
        found |= {id_: about.get(id_, {}) for id_ in passages}
    return found


def _passage(row: Row) -> SubjectPassage:
    text = without_boilerplate(row["text"], row["boilerplate"])
    return SubjectPassage(row["id"], row["document"], row["title"], row["heading"], text, row["language"] or "")


def _about(rows: Iterable[Row]) -> About:
    about: About = {}
    for row in rows:
        about.setdefault(row["chunk"], {})[row["key"]] = _subject(row)
    return about


def _subject(row: Row) -> Subject:
    return Subject(row["weight"], row["source"], row["full"], row["surface"], row["type"], row["common"])


def _originals(rows: Iterable[Row]) -> About:
    """What chunks whose names were edited are about by themselves, without the edits."""
    return {row["chunk"]: {key: Subject(*fields) for key, *fields in json.loads(row["found"])} for row in rows}


def _sought(graph: GraphClient, label: str, seeks: Seeks) -> set[str]:
    found: set[str] = set()
    for statement, some in (("ingest/names_beginning", seeks.beginning), ("ingest/names_ending", seeks.ending)):
        for part in batches(sorted(some), PASSAGE_NAMES_A_STATEMENT):
            found |= {row["key"] for row in graph.run(statement, label, read=True, rows=[s._asdict() for s in part])}
    return found


def _states(graph: GraphClient, label: str, keys: Collection[str], chunks: Sequence[str]) -> dict[str, Row]:
    rows: list[Row] = [
        {"id": entity_id(label, key), "except": None if left_out is None else sorted(left_out)}
        for key in sorted(keys)
        for left_out in (types_left_out(key),)
    ]
    return {
        row["key"]: row
        for part in batches(rows, PASSAGE_NAMES_A_STATEMENT)
        for row in graph.run(
            "ingest/name_states", label, read=True, rows=part, chunks=chunks, own=list(OWN), kinds=list(PARSED)
        )
    }


def _other_subjects(
    graph: GraphClient, label: str, others: dict[str, dict[str, Subject]], keys: Set[str], chunks: Sequence[str]
) -> About:
    """What passages other than these are about as other names of their subjects, as far as it is one of the keys."""
    subjects = {key: subject for names in others.values() for key, subject in names.items()}
    rows: list[Row] = [
        {"lead": entity_id(label, lead), "other": entity_id(label, key), "key": key}
        for lead, names in others.items()
        for key in names
        if key in keys
    ]
    about: About = {}
    for part in batches(rows, PASSAGE_NAMES_A_STATEMENT):
        for row in graph.run("ingest/passages_of_leads", label, read=True, rows=part, chunks=chunks, own=list(OWN)):
            about.setdefault(row["chunk"], {})[row["key"]] = subjects[row["key"]]
    return about


def _wanted(keys: Set[str], about: About, states: dict[str, Row], edits: EditedNames) -> NameKeys:
    """Those of the keys that are to be looked for; the rule is that of `looked_for`."""
    here = {chunk: {key: names[key] for key in names.keys() & keys} for chunk, names in about.items()}
    parsed = {key for key in keys if key in states and states[key]["parsed"]}
    everywhere, subjects = looked_for(here, parsed)
    for key in keys & states.keys():
        if states[key]["plain"] or (states[key]["named"] and states[key]["parsed"]):
            subjects.add(key)
    given = keys & edits.given.keys()
    return NameKeys(everywhere | subjects | given, subjects | given)


def _of_ids(graph: GraphClient, label: str, statement: str, ids: Iterable[str], **parameters: object) -> Iterator[Row]:
    for some in batches(ids, PASSAGE_NAMES_A_STATEMENT):
        yield from graph.run(statement, label, read=True, ids=some, **parameters)


def _ids(label: str, keys: Iterable[str]) -> list[str]:
    return [entity_id(label, key) for key in sorted(keys)]
