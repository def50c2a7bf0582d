"""Edits of names by hand: what a log of them makes of each name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Literal

from overstory.text.names.keys import entity_key
from overstory.text.names.shapes import TERM
from overstory.text.names.vocabulary import VocabularyName

_LONGEST_EDITED_NAME_CHARACTERS = 1_000
"""Characters of a name in an edit."""

EditKind = Literal["hide", "merge", "rename"]
_KINDS: dict[str, EditKind] = {"hide": "hide", "merge": "merge", "rename": "rename"}


@dataclass(frozen=True, slots=True)
class NameEdit:
    """One edit: a name is hidden, merged into the name `to`, or called `to` from now on.

    Names are compared by their keys: "the Linux kernel" and "Linux Kernel" are one name.
    """

    kind: EditKind
    name: str
    to: str = ""

    def __str__(self) -> str:
        """As a command would have it: "merge 'Big Blue' into 'IBM'"."""
        if self.kind == "hide":
            return f"hide {self.name!r}"
        return f"{self.kind} {self.name!r} {'into' if self.kind == 'merge' else 'to'} {self.to!r}"


def checked_edit(kind: str, name: str, to: str = "") -> NameEdit:
    """An edit with a known kind and names that can be names."""
    known = _KINDS.get(kind)
    if known is None:
        raise ValueError(f"{kind!r:.40} is no kind of edit")
    for each in (name,) if kind == "hide" else (name, to):
        if not entity_key(each):
            raise ValueError(f"{each!r:.40} is no name")
        if len(each) > _LONGEST_EDITED_NAME_CHARACTERS:
            raise ValueError(f"a name has {len(each):,} characters, more than {_LONGEST_EDITED_NAME_CHARACTERS:,}")
    if kind == "hide" and to:
        raise ValueError("a hidden name leads to no other")
    return NameEdit(known, name, to)


class EditedNames:
    """What a log of edits makes of the keys of names. Every log gives a result, the same each time.

    Later edits win. A name that is merged takes those along that were merged into it. Where an edit would lead back
    to the name it begins with, the name that it leads to is a name of its own again. A hidden name hides what was
    merged into it; merging or renaming it shows it again. A new name with another key is also a merge: the old name
    leads to it.

    The aliases of vocabularies lead to their names as if they had been merged before the first edit; where vocabularies
    differ, the later one wins.
    """

    def __init__(self, edits: Iterable[NameEdit] = (), vocabulary: Iterable[VocabularyName] = ()) -> None:
        self._into: dict[str, str] = {}
        self._hidden: set[str] = set()
        self._names: dict[str, str] = {}
        self._spelt: dict[str, str] = {}
        listed: dict[str, str] = {}
        for name in vocabulary:
            listed[entity_key(name.name)] = name.type
            for alias in name.aliases:
                self._apply(NameEdit("merge", alias, name.name))
        for edit in edits:
            self._apply(edit)
        keys = self._hidden | self._into.keys()
        self._resolved = {key: self._resolve(key) for key in keys}
        spelt = self._names.keys() | self._spelt.keys()
        self._called = {key: (self._names.get(key, ""), self._spelt.get(key, "")) for key in spelt}
        self._aliases: dict[str, list[str]] = {}
        for key in sorted(keys):
            if self._resolved[key]:
                self._aliases.setdefault(self._resolved[key], []).append(key)
        self._given: dict[str, str] = {}
        for key in sorted(listed, key=lambda key: (self.resolve(key) == key, key)):
            if self.resolve(key):
                self._given[self.resolve(key)] = listed[key] or self._given.get(self.resolve(key), "")

    def __bool__(self) -> bool:
        """Whether there is any edit that has an effect."""
        return bool(self._resolved or self._names or self._given)

    @property
    def given(self) -> Mapping[str, str]:
        """The keys of the names that vocabularies have, with the types that these give them, or ""."""
        return self._given

    @property
    def resolved(self) -> Mapping[str, str]:
        """The keys that stand for another name or for none, with what `resolve` makes of them."""
        return self._resolved

    @property
    def called(self) -> Mapping[str, tuple[str, str]]:
        """For the keys that edits lead to: the name given by hand, and how edits spell it; either may be ""."""
        return self._called

    def resolve(self, key: str) -> str:
        """The key of the name that a name stands for: its own if no edit concerns it, "" if it is hidden."""
        return self._resolved.get(key, key)

    def target(self, key: str) -> str:
        """As `resolve`, hidden or not."""
        while key in self._into:
            key = self._into[key]
        return key

    def aliases(self, key: str) -> Sequence[str]:
        """The other keys that stand for a name."""
        return self._aliases.get(key, ())

    def with_aliases(self, keys: Set[str]) -> Set[str]:
        """These keys and those that stand for one of them."""
        if not self._aliases:
            return keys
        return {*keys, *(alias for key, aliases in self._aliases.items() if key in keys for alias in aliases)}

    def type_of(self, key: str, types: Sequence[str]) -> str:
        """What a vocabulary says, else the first of `types`; without either, TERM for a name of a vocabulary."""
        return self._given.get(key, "") or (types[0] if types else TERM if key in self._given else "")

    def name_first(self, key: str, surfaces: Sequence[str]) -> list[str]:
        """The spellings of a name in their order, but the one that it is called by first: the name given by hand, or
        else, where others were merged into it, the first spelling of its own."""
        name = self._names.get(key, "")
        if not name and key in self._aliases:
            name = next((surface for surface in surfaces if entity_key(surface) == key), self._spelt.get(key, ""))
        if not name:
            return list(surfaces)
        return [name, *(surface for surface in surfaces if surface != name)]

    def _apply(self, edit: NameEdit) -> None:
        key, to = entity_key(edit.name), entity_key(edit.to)
        if not key or (edit.kind != "hide" and not to):
            return
        if edit.kind == "hide":
            self._hidden.add(key)
        elif edit.kind == "merge":
            self._merge(key, to)
            self._spelt[to] = edit.to
        else:
            end = self.target(key)
            self._into.pop(to, None)
            self._hidden.discard(to)
            self._merge(end, to)
            self._names[to] = edit.to

    def _merge(self, key: str, into: str) -> None:
        if key == into:
            return
        if self._leads_to(into, key):
            del self._into[into]
        self._into[key] = into
        self._hidden.discard(key)

    def _leads_to(self, key: str, other: str) -> bool:
        while key in self._into:
            key = self._into[key]
            if key == other:
                return True
        return False

    def _resolve(self, key: str) -> str:
        while key not in self._hidden:
            if key not in self._into:
                return key
            key = self._into[key]
        return ""


NO_EDITS = EditedNames()
