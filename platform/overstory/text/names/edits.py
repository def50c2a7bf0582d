"""Manual edits of entity names, and the effect of an edit log on each name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Literal

from overstory.text.names.keys import entity_key
from overstory.text.names.shapes import TERM
from overstory.text.names.vocabulary import VocabularyName

_LONGEST_EDITED_NAME_CHARACTERS = 1_000
"""Maximum length of a name in an edit."""

EditKind = Literal["hide", "merge", "rename"]
_KINDS: dict[str, EditKind] = {"hide": "hide", "merge": "merge", "rename": "rename"}


@dataclass(frozen=True, slots=True)
class NameEdit:
    """One edit: a name is hidden, merged into the name `to`, or renamed to `to`.

    Names are compared by key: "the Linux kernel" and "Linux Kernel" are the same name.
    """

    kind: EditKind
    name: str
    to: str = ""

    def __str__(self) -> str:
        """Return the edit as in a command: "merge 'Big Blue' into 'IBM'"."""
        if self.kind == "hide":
            return f"hide {self.name!r}"
        return f"{self.kind} {self.name!r} {'into' if self.kind == 'merge' else 'to'} {self.to!r}"


def checked_edit(kind: str, name: str, to: str = "") -> NameEdit:
    """Return a validated edit; raises ValueError for an unknown kind or an unusable name."""
    known = _KINDS.get(kind)
    if known is None:
        raise ValueError(f"{kind!r:.40} is not a kind of edit")
    for each in (name,) if kind == "hide" else (name, to):
        if not entity_key(each):
            raise ValueError(f"{each!r:.40} is not a name")
        if len(each) > _LONGEST_EDITED_NAME_CHARACTERS:
            raise ValueError(f"a name has at most {_LONGEST_EDITED_NAME_CHARACTERS:,} characters, got {len(each):,}")
    if kind == "hide" and to:
        raise ValueError("a name cannot be hidden and merged into another at once")
    return NameEdit(known, name, to)


class EditedNames:
    """The effect of an edit log on the keys of names. Every log has a deterministic result.

    Later edits win. Merging a name also moves the names that were merged into it before. If a merge would create a
    cycle, the earlier merge of the target is undone. Hiding a name also hides the names merged into it; merging or
    renaming a hidden name shows it again. Renaming to another key also merges the old name into the new one.

    Aliases in vocabularies count as merges before the first edit. If vocabularies disagree, the later one wins.
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
        """Return True if some edit or vocabulary has an effect."""
        return bool(self._resolved or self._names or self._given)

    @property
    def given(self) -> Mapping[str, str]:
        """The type that vocabularies give to each name, by key; "" if they give none."""
        return self._given

    @property
    def resolved(self) -> Mapping[str, str]:
        """Target key of each merged name, and "" for hidden names; see `resolve`."""
        return self._resolved

    @property
    def called(self) -> Mapping[str, tuple[str, str]]:
        """(name given by hand, spelling in an edit) of each target of an edit, by key; either may be ""."""
        return self._called

    def resolve(self, key: str) -> str:
        """Return the key of the name that a key stands for: the key itself if it was not edited, "" if hidden."""
        return self._resolved.get(key, key)

    def target(self, key: str) -> str:
        """Return the target of a key's merges, whether or not it is hidden."""
        while key in self._into:
            key = self._into[key]
        return key

    def aliases(self, key: str) -> Sequence[str]:
        """Return the keys of all names merged into a name."""
        return self._aliases.get(key, ())

    def with_aliases(self, keys: Set[str]) -> Set[str]:
        """Return the keys together with the keys of all names merged into them."""
        if not self._aliases:
            return keys
        return {*keys, *(alias for key, aliases in self._aliases.items() if key in keys for alias in aliases)}

    def type_of(self, key: str, types: Sequence[str]) -> str:
        """Return the vocabulary's type of a name, else the first of `types`, else TERM for names in a vocabulary."""
        return self._given.get(key, "") or (types[0] if types else TERM if key in self._given else "")

    def name_first(self, key: str, surfaces: Sequence[str]) -> list[str]:
        """Return the spellings of a name with its display name first.

        The display name is the one given by hand or, if other names were merged into it, its own first spelling.
        """
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
