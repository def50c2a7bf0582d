"""Finding the subjects of passages (the entities that they are about), and the names to search for in texts.

`find_all` processes all passages. `find_changed` processes only documents with changed passages, and the names affected
by the changes: names whose mentions or subjects changed, and their short and full forms, which are found by their first
and last words (`text/names/neighbours.py`). Both apply the rules in `text/names/subjects.py`.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from itertools import groupby

from overstory.graph import GraphClient, batches
from overstory.graph.client import Row
from overstory.graph.ids import entity_id
from overstory.index.document_names import same_names
from overstory.index.spooled_names import NameKeys, PassageNames
from overstory.model.passage_text import without_boilerplate
from overstory.text.names.dictionary import NameDictionary, PossibleNames, is_looked_for, possible_names, types_left_out
from overstory.text.names.edits import NO_EDITS, EditedNames, NamesInDocument
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
    own_subjects,
)
from overstory.text.names.tokens import Tokens

PARSED = ("ner",)
"""Kinds of mentions. A name that is mentioned in one of these ways is then searched for in all texts."""

_PASSAGE_NAMES_A_STATEMENT = 5_000
_PASSAGES_A_PAGE = 2_000
_BYTES_A_NAME = 250
"""Approximate memory, in bytes, that a name takes in the dictionaries."""


def find_all(names: PassageNames, graph: GraphClient, label: str, log: EditedNames | None, edits: EditedNames) -> None:
    """Find the subjects of all passages and the names to search for. Passages are read in batches.

    Args:
        names: empty store, which is filled with the results.
        log: edits of entities; None if the corpus never contained any.
        edits: the same edits, but an empty object instead of None.
    """
    for document in _changed_documents(graph, label, edits):
        names.note_read(document)
        for chunk, found in document.items():
            names.add_found(chunk, found, edits)
    pages = graph.pages("ingest/passage_names", label, size=_PASSAGES_A_PAGE, kinds=list(PARSED))
    for page in pages:
        read = names.read_among(row["id"] for row in page)
        for row in page:
            chunk = row["id"]
            stored = {key: Subject(*fields) for key, *fields in row["about"]}
            names.add_stored(chunk, stored)
            found = {key: subject for key, subject in stored.items() if subject.source in OWN}
            if log is not None and row["original"] is not None:
                found = _original(row["original"])
                names.add_original(chunk, found)
            if chunk not in read:
                names.add_found(chunk, found, edits)
        names.add_parsed(_parsed(page))
    names.find_others()
    names.find_wanted(edits.given)
    names.add_known((row["key"], row["subject"]) for row in graph.stream("ingest/known_names", label))


def find_changed(
    names: PassageNames, graph: GraphClient, label: str, log: EditedNames | None, edits: EditedNames
) -> None:
    """Find the subjects in documents with changed passages, and update the names affected. All of this is in memory.

    Args:
        names, log, edits: as for `find_all`. Each passage about an edited entity must be marked as changed beforehand.
    """
    found: About = {}
    for some in _changed_documents(graph, label, edits):
        found |= some
    own = {chunk: edited_subjects(subjects, edits) for chunk, subjects in found.items()}
    chunks = list(own)
    stored = _about(_of_ids(graph, label, "ingest/stored_about_of", chunks))
    if log is not None:
        for row in _of_ids(graph, label, "ingest/original_subjects_of", chunks):
            names.add_original(row["chunk"], _original(row["found"]))

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
    about: About = {}
    for chunk, subjects in own.items():
        about[chunk] = {}
        for lead, subject in subjects.items():
            if subject.full:
                about[chunk] |= {key: other for key, other in others.get(lead, {}).items() if key not in subjects}
    elsewhere = _other_subjects(graph, label, others, keys, chunks)
    for row in _of_ids(graph, label, "ingest/other_about", _ids(label, keys), chunks=chunks, own=list(OWN)):
        stored.setdefault(row["chunk"], {})[row["key"]] = _subject(row)
    about |= elsewhere
    for chunk, subjects in stored.items():
        names.add_stored(chunk, subjects)
    for chunk, subjects in found.items():
        names.add_found(chunk, subjects, edits)
    for chunk, subjects in about.items():
        names.add_about(chunk, subjects)
    known = [state for key, state in states.items() if key in keys and state["known"]]
    names.add_known((state["key"], state["known_subject"]) for state in known)
    names.add_wanted(_wanted(keys, [*own.values(), *about.values()], states, edits))
    names.touched = keys


class Dictionaries:
    """Two dictionaries: the names to search for in texts, and those of them that are subjects of passages.

    If all names fit in memory, the dictionaries contain all of them. Otherwise, they are built for some texts at a
    time, with the names that may occur in these texts.
    """

    def __init__(
        self, graph: GraphClient, label: str, names: PassageNames, edits: EditedNames, *, megabytes: float
    ) -> None:
        """Build dictionaries of all names if they fit in memory.

        Args:
            megabytes: memory limit. If the names exceed it, they are looked up when `of` is called.
        """
        self._graph, self._label, self._names, self._edits = graph, label, names, edits
        self._all: tuple[NameDictionary, NameDictionary] | None = None
        if names.touched is None and names.wanted_number() * _BYTES_A_NAME <= megabytes * 1_000_000:
            self._all = self._dictionaries(names.wanted())

    def of(self, texts: Iterable[Tokens]) -> tuple[NameDictionary, NameDictionary]:
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
        touched = self._names.touched
        if touched is not None:
            seeks = Seeks({Seek(beginning) for beginning in beginnings}, set())
            keys |= _sought(self._graph, self._label, seeks)
        keys |= {self._edits.resolve(key) for key in keys}
        wanted = self._names.wanted_among(PossibleNames(keys, beginnings))
        rows: list[Row] = []
        if touched is not None:
            ids = _ids(self._label, keys - touched)
            rows = list(_of_ids(self._graph, self._label, "ingest/dictionary_names", ids))
        given = keys & self._edits.given.keys()
        return NameKeys(
            {row["key"] for row in rows} | wanted.all | given,
            {row["key"] for row in rows if row["subject"]} | wanted.subjects | given,
        )


def _changed_documents(graph: GraphClient, label: str, edits: EditedNames) -> Iterator[About]:
    """For each document with a changed passage, yield a map from the id of each of its passages to its subjects.

    A passage that consists of boilerplate has no subjects. Names that stand for others in the document are replaced,
    except those that an edit merges or hides.
    """
    for _, grouped in groupby(graph.stream("ingest/changed_passages", label, by=""), key=lambda row: row["document"]):
        rows = list(grouped)
        passages = {row["id"]: None if row["only"] else _passage(row) for row in rows}
        about = own_subjects([passage for passage in passages.values() if passage])
        same = {key: into for key, into in same_names(rows[0]["same"]).items() if key not in edits.resolved}
        standing = NamesInDocument(NO_EDITS, same)
        yield {id_: edited_subjects(about.get(id_, {}), standing) for id_ in passages}


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


def _original(found: str) -> dict[str, Subject]:
    return {key: Subject(*fields) for key, *fields in json.loads(found)}


def _parsed(rows: Iterable[Row]) -> set[str]:
    taken = {(key, type_) for row in rows for key, types in row["parsed"] for type_ in types}
    return {key for key, type_ in taken if is_looked_for(key, type_)}


def _sought(graph: GraphClient, label: str, seeks: Seeks) -> set[str]:
    found: set[str] = set()
    for statement, some in (("ingest/names_beginning", seeks.beginning), ("ingest/names_ending", seeks.ending)):
        for part in batches(sorted(some), _PASSAGE_NAMES_A_STATEMENT):
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
        for part in batches(rows, _PASSAGE_NAMES_A_STATEMENT)
        for row in graph.run(
            "ingest/name_states", label, read=True, rows=part, chunks=chunks, own=list(OWN), kinds=list(PARSED)
        )
    }


def _other_subjects(
    graph: GraphClient, label: str, others: dict[str, dict[str, Subject]], keys: Set[str], chunks: Sequence[str]
) -> About:
    """Return, for each passage that is not in `chunks`, those aliases of its subjects that are in `keys`.

    Args:
        others: aliases of each full name, as `names_of_leads` returns them.
    """
    subjects = {key: subject for names in others.values() for key, subject in names.items()}
    rows: list[Row] = [
        {"lead": entity_id(label, lead), "other": entity_id(label, key), "key": key}
        for lead, names in others.items()
        for key in names
        if key in keys
    ]
    about: About = {}
    for part in batches(rows, _PASSAGE_NAMES_A_STATEMENT):
        for row in graph.run("ingest/passages_of_leads", label, read=True, rows=part, chunks=chunks, own=list(OWN)):
            about.setdefault(row["chunk"], {})[row["key"]] = subjects[row["key"]]
    return about


def _wanted(
    keys: Set[str], about: Iterable[Mapping[str, Subject]], states: Mapping[str, Row], edits: EditedNames
) -> NameKeys:
    here = [{key: names[key] for key in names.keys() & keys} for names in about]
    parsed = {key for key in keys if key in states and states[key]["parsed"]}
    everywhere, subjects = looked_for(here, parsed)
    for key in keys & states.keys():
        if states[key]["plain"] or (states[key]["named"] and states[key]["parsed"]):
            subjects.add(key)
    given = keys & edits.given.keys()
    return NameKeys(everywhere | subjects | given, subjects | given)


def _of_ids(graph: GraphClient, label: str, statement: str, ids: Iterable[str], **parameters: object) -> Iterator[Row]:
    for some in batches(ids, _PASSAGE_NAMES_A_STATEMENT):
        yield from graph.run(statement, label, read=True, ids=some, **parameters)


def _ids(label: str, keys: Iterable[str]) -> list[str]:
    return [entity_id(label, key) for key in sorted(keys)]
