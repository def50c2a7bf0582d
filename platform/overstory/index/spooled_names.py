"""Subjects of passages and names to find in texts, in temporary tables, for corpora of any size.

Tables are only appended to, and data is sorted before it is compared (SQLite merges runs sorted in memory), so that
files much larger than memory are accessed sequentially.
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
"""The cache gets this fraction of the memory, because a sorting statement takes as much for each run and its result."""

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
# A name is "open" if a parser found it, no passage is about it, and it is not yet an alternative name.
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

# Common words that are subjects are searched for only if a parser also recognises them as names.
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
    """Keys of names to find in texts (`all`), and those of them that are subjects of chunks (`subjects`)."""

    all: Set[str]
    subjects: Set[str]


class PassageNames(Spool):
    """Old and new subjects of passages. Passages that are not stored here keep their subjects.

    Attributes:
        touched: None if all names were processed. Otherwise the keys of affected names; passages of unchanged documents
            are stored only with their changes.
    """

    def __init__(self, megabytes: float) -> None:
        super().__init__(*_TABLES, megabytes=megabytes / _SORTED_AT_ONCE)
        self._table.create_function("last_word", 1, _last_word, deterministic=True)
        self.touched: Set[str] | None = None

    def add_stored(self, chunk: str, names: Mapping[str, Subject]) -> None:
        """Add the subjects of a passage in the graph."""
        self._table.executemany(_ADD_STORED, _rows(chunk, names))

    def add_about(self, chunk: str, names: Mapping[str, Subject]) -> None:
        """Add the new subjects of a passage, with edits applied."""
        self._table.executemany(_ADD_ABOUT, _rows(chunk, names))

    def add_original(self, chunk: str, found: Mapping[str, Subject]) -> None:
        """Add the stored subjects before edits of a passage with edited names."""
        self._table.execute("INSERT OR REPLACE INTO originals VALUES (?, ?)", (chunk, _packed(found)))

    def add_found(self, chunk: str, found: Mapping[str, Subject], edits: EditedNames) -> None:
        """Add the new subjects of a passage, to which edits are applied."""
        self.add_about(chunk, edited_subjects(found, edits))
        if keys := found.keys() & edits.resolved.keys():
            self._table.execute("INSERT INTO kept VALUES (?, ?, ?)", (chunk, json.dumps(sorted(keys)), _packed(found)))

    def note_read(self, chunks: Iterable[str]) -> None:
        """Record passages that were read, whose stored subjects are ignored."""
        self._table.executemany("INSERT INTO read VALUES (?)", [(chunk,) for chunk in chunks])

    def read_among(self, chunks: Iterable[str]) -> set[str]:
        found = self._table.execute(
            "SELECT chunk FROM read WHERE chunk IN (SELECT value FROM json_each(?))", (json.dumps(list(chunks)),)
        )
        return {chunk for (chunk,) in found}

    def add_parsed(self, keys: Iterable[str]) -> None:
        """Add names that a parser found and that are searched for; duplicates are allowed."""
        self._table.executemany("INSERT OR IGNORE INTO parsed VALUES (?)", [(key,) for key in keys])

    def add_known(self, names: Iterable[tuple[str, bool]]) -> None:
        """Add the names that the last finished run searched for, each with True if it was a subject."""
        self._table.executemany("INSERT INTO known VALUES (?, ?)", names)

    def add_wanted(self, names: NameKeys) -> None:
        rows = [(key, key in names.subjects) for key in names.all]
        self._table.executemany("INSERT OR REPLACE INTO wanted VALUES (?, ?)", rows)

    def find_others(self) -> None:
        """Add alternative names of subjects, after all subjects and parsed names were added.

        Applies the rules of `names_of_leads` to names that share at least one word.
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
        """Determine the names to find in texts by the rule of `looked_for`, after all subjects were added.

        Args:
            given: names to find in any case.
        """
        self._table.execute(_WANTED)
        self._table.executemany("INSERT OR REPLACE INTO wanted VALUES (?, TRUE)", [(key,) for key in given])
        rows = self._table.execute(_LONG, (LONGEST_NAME_WORDS,))
        longer = [(" ".join(key.split(" ")[:LONGEST_NAME_WORDS]) + " ", key) for (key,) in rows]
        self._table.executemany("INSERT INTO longer VALUES (?, ?)", longer)

    def gone(self) -> Iterator[str]:
        """Yield the names that are no longer searched for, or no longer subjects, in order."""
        return (key for (key,) in self._table.execute(_GONE))

    def came(self) -> Iterator[str]:
        """Yield the names that were not searched for, or not subjects, before, in order."""
        return (key for (key,) in self._table.execute(_CAME))

    def to_keep(self) -> Iterator[tuple[str, list[str], str]]:
        """Yield passages with the keys of edited names, and with their subjects before edits as JSON, to be stored."""
        return ((chunk, json.loads(keys), found) for chunk, keys, found in self._table.execute(_TO_KEEP))

    def to_forget(self) -> Iterator[str]:
        """Yield passages whose stored subjects before edits are no longer needed."""
        return (chunk for (chunk,) in self._table.execute(_TO_FORGET))

    def no_longer_about(self) -> Iterator[tuple[str, str]]:
        """Yield passages and the subjects they lost."""
        return iter(self._table.execute(_NO_LONGER_ABOUT))

    def newly_about(self) -> Iterator[tuple[str, str, Subject]]:
        """Yield passages and their new or changed subjects."""
        for chunk, key, weight, source, full, surface, type_, common in self._table.execute(_NEWLY_ABOUT):
            yield chunk, key, Subject(weight, source, bool(full), surface, type_, bool(common))

    def wanted_number(self) -> int:
        (number,) = self._table.execute("SELECT count(*) FROM wanted").fetchone()
        return int(number)

    def wanted(self) -> NameKeys:
        return _keys(self._table.execute("SELECT key, subject FROM wanted"))

    def wanted_among(self, names: PossibleNames) -> NameKeys:
        """Return the names to find that may occur in given texts."""
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
    """Return the full names, and the possible alternatives of them, among names that share words."""
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
