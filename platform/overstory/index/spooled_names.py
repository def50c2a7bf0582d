"""Temporary tables of the subjects of passages, and of the names to search for in texts. They may exceed the memory.

Rows are only appended to the tables, and sorted before they are compared. SQLite sorts parts in memory and then merges
them. Even a file that is much larger than memory is therefore read and written sequentially.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from overstory.graph import batches
from overstory.spool import Spool
from overstory.text.names.dictionary import LONGEST_NAME_WORDS, PossibleNames
from overstory.text.names.edits import EditedNames
from overstory.text.names.keys import but_one
from overstory.text.names.subject_names import short_forms
from overstory.text.names.subjects import (
    OTHER_NAMES,
    Subject,
    abbreviations_among,
    edited_subjects,
    spellings_among,
)

_SORTED_AT_ONCE = 4
"""SQLite's cache gets the memory limit divided by this number.

A statement that sorts needs several times the memory of the cache: as much again for each sorted part and the result.
"""

_NAMES_A_BATCH = 5_000

_ABOUT = "chunk TEXT, key TEXT, weight REAL, source TEXT, full INTEGER, surface TEXT, type TEXT, common INTEGER"
_TABLES = (
    f"stored ({_ABOUT})",
    f"about ({_ABOUT})",
    "read (chunk TEXT PRIMARY KEY) WITHOUT ROWID",
    "kept (chunk TEXT PRIMARY KEY, keys TEXT, found TEXT) WITHOUT ROWID",
    "originals (chunk TEXT PRIMARY KEY, found TEXT) WITHOUT ROWID",
    "parsed (key TEXT PRIMARY KEY) WITHOUT ROWID",
    "names (key TEXT PRIMARY KEY, named INTEGER, lead INTEGER, parsed INTEGER, other TEXT) WITHOUT ROWID",
    "blocks (block TEXT, key TEXT, lead INTEGER, open INTEGER)",
    "others (lead TEXT, key TEXT, PRIMARY KEY (lead, key)) WITHOUT ROWID",
    "known (key TEXT PRIMARY KEY, subject INTEGER) WITHOUT ROWID",
    "wanted (key TEXT PRIMARY KEY, subject INTEGER) WITHOUT ROWID",
    "longer (beginning TEXT, key TEXT, PRIMARY KEY (beginning, key)) WITHOUT ROWID",
)
_ADD_STORED = "INSERT INTO stored VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_ADD_ABOUT = "INSERT INTO about VALUES (?, ?, ?, ?, ?, ?, ?, ?)"

_NAMES = """
    INSERT INTO names
    SELECT key, max(named), max(lead), max(parsed), NULL
    FROM (SELECT key, 1 AS named, full AS lead, 0 AS parsed FROM about UNION ALL SELECT key, 0, 0, 1 FROM parsed)
    GROUP BY key
"""
# Terms in the statements below: "lead" is a full name that some passage is about, and "others" are its aliases. A name
# is "open", so that it may still become an alias, if a parser found it, no passage is about it, and it is no alias yet.
_SHORT_FORM = "INSERT OR IGNORE INTO others SELECT ?, key FROM names WHERE key = ?"
_ENDINGS = """
    SELECT last_word(key), key, lead, open
    FROM (SELECT key, lead, parsed AND NOT named AND other IS NULL AS open FROM names WHERE instr(key, ' '))
    WHERE lead OR open ORDER BY 1
"""
_MULTIWORD = """
    SELECT key, lead, open
    FROM (SELECT key, lead, parsed AND NOT named AND other IS NULL AS open FROM names WHERE instr(key, ' '))
    WHERE lead OR open
"""
_BLOCKS = "SELECT block, key, lead, open FROM blocks ORDER BY block"
_MARK_OTHERS = "UPDATE names SET other = ? WHERE other IS NULL AND key IN (SELECT key FROM others)"
_LED = """
    SELECT about.chunk, about.key, others.key, names.other
    FROM about LEFT JOIN others ON about.full AND others.lead = about.key LEFT JOIN names ON names.key = others.key
    ORDER BY about.chunk
"""

# A subject that is a common word is searched for in texts only if a parser also recognised the word as a name.
_WANTED = """
    INSERT INTO wanted
    SELECT key, max(plain) OR (max(about) AND max(parsed))
    FROM (SELECT key, NOT common AS plain, 1 AS about, 0 AS parsed FROM about UNION ALL SELECT key, 0, 0, 1 FROM parsed)
    GROUP BY key HAVING max(plain) OR max(parsed)
"""
_GONE = """
    SELECT known.key FROM known LEFT JOIN wanted USING (key)
    WHERE wanted.key IS NULL OR known.subject > wanted.subject ORDER BY 1
"""
_CAME = """
    SELECT wanted.key FROM wanted LEFT JOIN known USING (key)
    WHERE known.key IS NULL OR wanted.subject > known.subject ORDER BY 1
"""
_NO_LONGER_ABOUT = "SELECT chunk, key FROM stored EXCEPT SELECT chunk, key FROM about ORDER BY 1, 2"
_NEWLY_ABOUT = "SELECT * FROM about EXCEPT SELECT * FROM stored ORDER BY 1, 2"
_TO_KEEP = """
    SELECT kept.chunk, kept.keys, kept.found FROM kept LEFT JOIN originals USING (chunk)
    WHERE originals.found IS NOT kept.found
"""
_TO_FORGET = "SELECT chunk FROM originals WHERE chunk NOT IN (SELECT chunk FROM kept)"
_AMONG = "SELECT key, subject FROM wanted WHERE key IN (SELECT value FROM json_each(?))"
_LONG = "SELECT key FROM wanted WHERE length(key) - length(replace(key, ' ', '')) >= ?"
_LONGER = """
    SELECT key, subject FROM wanted
    WHERE key IN (SELECT key FROM longer WHERE beginning IN (SELECT value FROM json_each(?)))
"""


@dataclass(frozen=True, slots=True)
class NameKeys:
    """Keys of the names to search for in texts.

    Attributes:
        subjects: keys of those names that some passage is about.
    """

    all: Set[str]
    subjects: Set[str]


class PassageNames(Spool):
    """The old and the new subjects of passages, in temporary tables. A passage that is not added keeps its subjects.

    Attributes:
        touched: None if all names were processed. Otherwise, the keys of the names that changes affect; for passages of
            unchanged documents, only subjects with these keys are stored.
    """

    def __init__(self, megabytes: float) -> None:
        super().__init__(*_TABLES, megabytes=megabytes / _SORTED_AT_ONCE)
        self._table.create_function("last_word", 1, _last_word, deterministic=True)
        self.touched: Set[str] | None = None

    def add_stored(self, chunk: str, names: Mapping[str, Subject]) -> None:
        """Add the old subjects of a passage, as the graph stores them."""
        self._table.executemany(_ADD_STORED, _rows(chunk, names))

    def add_about(self, chunk: str, names: Mapping[str, Subject]) -> None:
        """Add new subjects of a passage. Edits must already be applied to them."""
        self._table.executemany(_ADD_ABOUT, _rows(chunk, names))

    def add_original(self, chunk: str, found: Mapping[str, Subject]) -> None:
        """For a passage with edited names, add the subjects before edits that the graph stores."""
        self._table.execute("INSERT OR REPLACE INTO originals VALUES (?, ?)", (chunk, _packed(found)))

    def add_found(self, chunk: str, found: Mapping[str, Subject], edits: EditedNames) -> None:
        """Apply edits to the new subjects of a passage, and add them. If edits affect them, also keep the originals."""
        self.add_about(chunk, edited_subjects(found, edits))
        if keys := found.keys() & edits.resolved.keys():
            self._table.execute("INSERT INTO kept VALUES (?, ?, ?)", (chunk, json.dumps(sorted(keys)), _packed(found)))

    def note_read(self, chunks: Iterable[str]) -> None:
        """Record passages whose texts were read again, so that the subjects stored for them are not used."""
        self._table.executemany("INSERT INTO read VALUES (?)", [(chunk,) for chunk in chunks])

    def read_among(self, chunks: Iterable[str]) -> set[str]:
        found = self._table.execute(
            "SELECT chunk FROM read WHERE chunk IN (SELECT value FROM json_each(?))", (json.dumps(list(chunks)),)
        )
        return {chunk for (chunk,) in found}

    def add_parsed(self, keys: Iterable[str]) -> None:
        """Add names that a parser found, and that must be searched for. Duplicates are ignored."""
        self._table.executemany("INSERT OR IGNORE INTO parsed VALUES (?)", [(key,) for key in keys])

    def add_known(self, names: Iterable[tuple[str, bool]]) -> None:
        """Add the names that the last complete run searched for. Each is paired with True if it was a subject."""
        self._table.executemany("INSERT INTO known VALUES (?, ?)", names)

    def add_wanted(self, names: NameKeys) -> None:
        rows = [(key, key in names.subjects) for key in names.all]
        self._table.executemany("INSERT OR REPLACE INTO wanted VALUES (?, ?)", rows)

    def find_others(self) -> None:
        """Add the aliases of subjects to the passages' subjects, by the rules in `names_of_leads`.

        All subjects and all names from parsers must have been added before. Only names that share a word are compared.
        """
        execute = self._table.execute
        execute(_NAMES)
        leads = (key for (key,) in execute("SELECT key FROM names WHERE lead"))
        for some in batches(leads, _NAMES_A_BATCH):
            self._table.executemany(_SHORT_FORM, [(lead, short) for lead in some for short in short_forms(lead)])
        execute(_MARK_OTHERS, ("short form",))
        for _, rows in groupby(execute(_ENDINGS), key=itemgetter(0)):
            full, left = _leads_and_open(rows)
            self._add_others(abbreviations_among(full, left))
        execute(_MARK_OTHERS, ("abbreviation",))
        for some in batches(execute(_MULTIWORD), _NAMES_A_BATCH):
            blocks = [
                (" ".join(others), key, lead, is_open) for key, lead, is_open in some for _, others in but_one(key)
            ]
            self._table.executemany("INSERT INTO blocks VALUES (?, ?, ?, ?)", blocks)
        for _, rows in groupby(execute(_BLOCKS), key=itemgetter(0)):
            full, left = _leads_and_open(rows)
            if full and left:
                self._add_others(spellings_among(full, left))
        execute(_MARK_OTHERS, ("spelling",))
        execute("DELETE FROM blocks")
        for chunk, group in groupby(execute(_LED), key=itemgetter(0)):
            led = list(group)
            own = {key for _, key, _, _ in led}
            self.add_about(chunk, {key: OTHER_NAMES[kind] for _, _, key, kind in led if key and key not in own})

    def find_wanted(self, given: Iterable[str]) -> None:
        """Determine the names to search for in texts, by the rule in `looked_for`. Add all subjects before.

        Args:
            given: names from vocabularies and edits, which are always searched for.
        """
        self._table.execute(_WANTED)
        self._table.executemany("INSERT OR REPLACE INTO wanted VALUES (?, TRUE)", [(key,) for key in given])
        rows = self._table.execute(_LONG, (LONGEST_NAME_WORDS,))
        longer = [(" ".join(key.split(" ")[:LONGEST_NAME_WORDS]) + " ", key) for (key,) in rows]
        self._table.executemany("INSERT INTO longer VALUES (?, ?)", longer)

    def gone(self) -> Iterator[str]:
        """Yield, in sorted order, the names that are no longer searched for, or that are no longer subjects."""
        return (key for (key,) in self._table.execute(_GONE))

    def came(self) -> Iterator[str]:
        """Yield, in sorted order, the names that are now searched for, or are now subjects, but were not before."""
        return (key for (key,) in self._table.execute(_CAME))

    def to_keep(self) -> Iterator[tuple[str, list[str], str]]:
        """Yield the passages with edited names for which the subjects found before the edits must be stored.

        Each item consists of the passage id, the keys of its edited names, and the subjects before the edits as JSON.
        """
        return ((chunk, json.loads(keys), found) for chunk, keys, found in self._table.execute(_TO_KEEP))

    def to_forget(self) -> Iterator[str]:
        """Yield the ids of passages for which the subjects found before edits need not be stored any more."""
        return (chunk for (chunk,) in self._table.execute(_TO_FORGET))

    def no_longer_about(self) -> Iterator[tuple[str, str]]:
        """Yield each pair of a passage and the key of an entity that is no longer its subject."""
        return iter(self._table.execute(_NO_LONGER_ABOUT))

    def newly_about(self) -> Iterator[tuple[str, str, Subject]]:
        """Yield each new or changed subject of a passage: the passage id, the subject's key, and the subject."""
        for chunk, key, weight, source, full, surface, type_, common in self._table.execute(_NEWLY_ABOUT):
            yield chunk, key, Subject(weight, source, bool(full), surface, type_, bool(common))

    def wanted_number(self) -> int:
        (number,) = self._table.execute("SELECT count(*) FROM wanted").fetchone()
        return int(number)

    def wanted(self) -> NameKeys:
        return _keys(self._table.execute("SELECT key, subject FROM wanted"))

    def wanted_among(self, names: PossibleNames) -> NameKeys:
        """Return the names to search for that may occur in the texts from which `names` was computed."""
        found = _keys(self._table.execute(_AMONG, (json.dumps(list(names.keys)),)))
        longer = _keys(self._table.execute(_LONGER, (json.dumps(list(names.beginnings)),)))
        return NameKeys(found.all | longer.all, found.subjects | longer.subjects)

    def _add_others(self, pairs: Iterable[tuple[str, str]]) -> None:
        self._table.executemany("INSERT OR IGNORE INTO others VALUES (?, ?)", pairs)


def _rows(chunk: str, names: Mapping[str, Subject]) -> list[tuple[object, ...]]:
    return [(chunk, key, *subject) for key, subject in names.items()]


def _packed(found: Mapping[str, Subject]) -> str:
    return json.dumps([(key, *found[key]) for key in sorted(found)], ensure_ascii=False)


def _leads_and_open(rows: Iterable[tuple[str, str, int, int]]) -> tuple[list[str], list[str]]:
    """Split names that share words into full names (leads) and names that may still become aliases (open)."""
    full: list[str] = []
    left: list[str] = []
    for _, key, lead, is_open in rows:
        if lead:
            full.append(key)
        if is_open:
            left.append(key)
    return full, left


def _keys(rows: Iterable[tuple[str, int]]) -> NameKeys:
    found = dict(rows)
    return NameKeys(found.keys(), {key for key, subject in found.items() if subject})


def _last_word(key: str) -> str:
    return key.split()[-1]
