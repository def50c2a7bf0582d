"""The keys of a source's records: unique, and independent of the position of a record."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from overstory.spool import Spool
from overstory_loaders.cleaning import is_storable
from overstory_loaders.place import Place

KEY_CHARACTER_LIMIT = 1000
"""Longer ids are refused: indexes of Neo4j take keys of up to about 8 kB."""

_KEYS = "keys (namespace TEXT, key TEXT, line INTEGER, repeats INTEGER, PRIMARY KEY (namespace, key)) WITHOUT ROWID"
_INSERT = "INSERT OR IGNORE INTO keys VALUES (?, ?, ?, 1)"
_FIRST = "SELECT line FROM keys WHERE namespace = ? AND key = ?"
_REPEAT = "UPDATE keys SET repeats = repeats + 1 WHERE namespace = ? AND key = ?"
_REPEATS = "SELECT repeats FROM keys WHERE namespace = ? AND key = ?"


def content_key(values: Mapping[str, object]) -> str:
    """The key of a record without an id: 32 hexadecimal digits of the SHA-256 of its content."""
    canonical = json.dumps(values, ensure_ascii=False, sort_keys=True, default=str)
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()[:32]


class KeyRegister(Spool):
    """Records the keys of one source in constant memory.

    The loader may be advanced in another thread than the one that created it, but never in two at once.
    """

    def __init__(self) -> None:
        super().__init__(_KEYS)

    def claim(self, key: str, place: Place, *, namespace: str = "") -> None:
        """Register the key of the record at `place`."""
        if len(key) > KEY_CHARACTER_LIMIT:
            raise place.broken(
                f"its id has {len(key)} characters",
                remedy=f"Ids may have {KEY_CHARACTER_LIMIT}; name another field id.",
            )
        if not is_storable(key):
            raise place.broken(
                f"its id {key!a} has a control character, or half of a surrogate pair", remedy="Correct the id."
            )
        if not self._insert(namespace, key, place):
            word = "record" if place.line is None else "line"
            (first,) = self._table.execute(_FIRST, (namespace, key)).fetchone()
            raise place.broken(
                f"has the id {key!r} of {word} {first}, which was loaded",
                remedy="Give each record an id of its own.",
            )

    def holds(self, key: str) -> bool:
        """Whether a record has this key."""
        return self._table.execute(_FIRST, ("", key)).fetchone() is not None if is_storable(key) else False

    def claim_content(self, key: str, place: Place, *, namespace: str = "") -> str:
        """Register a key made from content; identical records get the suffixes "-2", "-3", …"""
        if self._insert(namespace, key, place):
            return key
        self._table.execute(_REPEAT, (namespace, key))
        (repeats,) = self._table.execute(_REPEATS, (namespace, key)).fetchone()
        return f"{key}-{repeats}"

    def _insert(self, namespace: str, key: str, place: Place) -> bool:
        number = place.record if place.line is None else place.line
        return self._table.execute(_INSERT, (namespace, key, number)).rowcount == 1
