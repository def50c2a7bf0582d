"""Manual edits of entity names, and the combined effect of all edits on each name."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Literal, Protocol

from overstory.text.names.keys import entity_key
from overstory.text.names.shapes import TERM
from overstory.text.names.vocabulary import VocabularyName

_LONGEST_EDITED_NAME_CHARACTERS = 1_000

EditKind = Literal["hide", "merge", "rename"]
_KINDS: dict[str, EditKind] = {"hide": "hide", "merge": "merge", "rename": "rename"}


@dataclass(frozen=True, slots=True)
class NameEdit:
    """An edit that hides a name, merges it into the name `to`, or renames it to `to`.

    Names are compared by key: "the Linux kernel" and "Linux Kernel" are the same name.
    """

    kind: EditKind
    name: str
    to: str = ""

    def __str__(self) -> str:
        """Return the edit as a command: "merge 'Big Blue' into 'IBM'"."""
        if self.kind == "hide":
            return f"hide {self.name!r}"
        return f"{self.kind} {self.name!r} {'into' if self.kind == 'merge' else 'to'} {self.to!r}"


def checked_edit(kind: str, name: str, to: str = "") -> NameEdit:
    """Return an edit, or raise ValueError if its kind is unknown or a name cannot be used."""
    known = _KINDS.get(kind)
    if known is None:
        raise ValueError(f"{kind!r:.40} is not a kind of edit")
    for each in (name,) if kind == "hide" else (name, to):
        if not entity_key(each):
            raise ValueError(f"{each!r:.40} is not a name")
        if len(each) > _LONGEST_EDITED_NAME_CHARACTERS:
            raise ValueError(f"a name has at most {_LONGEST_EDITED_NAME_CHARACTERS:,} characters, got {len(each):,}")
    if kind == "hide" and to:
        raise ValueError("a name cannot be both hidden and merged into another name")
    return NameEdit(known, name, to)


class ResolvesNames(Protocol):
    """Something that replaces or hides names, by their keys."""

    @property
    def resolved(self) -> Mapping[str, str]:
        """The result of `resolve` for each name that is replaced or hidden."""
        ...

    def resolve(self, key: str) -> str:
        """Return the key of the name that replaces a name; the key itself if none does, and "" if it is hidden."""
        ...

    def hides_facts(self, key: str) -> bool:
        """Return True if facts about a name are hidden with it."""
        ...


class EditedNames:
    """The combined effect of a list of edits on the keys of names.

    Every list of edits has a well-defined result, because later edits override earlier ones:

    - If a name is merged, the names that were merged into it before are merged along with it.
    - If a merge would create a cycle, the earlier merge of its target is undone.
    - If a name is hidden, the names that were merged into it are hidden, too.
    - If a hidden name is merged or renamed, it is shown again.
    - If a name is renamed to a name with another key, the old name is also merged into the new one.

    An alias in a vocabulary counts as a merge before the first edit. If vocabularies disagree, the last one counts.
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
        """Return True if any edit or vocabulary has an effect."""
        return bool(self._resolved or self._names or self._given)

    @property
    def given(self) -> Mapping[str, str]:
        """The type of each name in the vocabularies, by key; "" if they state no type."""
        return self._given

    @property
    def resolved(self) -> Mapping[str, str]:
        """The result of `resolve` for each name that was merged or hidden, by key."""
        return self._resolved

    @property
    def merged_or_hidden(self) -> dict[str, str]:
        """`resolved` as a dictionary, which must not be changed."""
        return self._resolved

    @property
    def called(self) -> Mapping[str, tuple[str, str]]:
        """(new name from a rename, spelling in a merge) for each target of an edit, by key. Either may be ""."""
        return self._called

    def resolve(self, key: str) -> str:
        """Return the key of the name into which a name was merged.

        It is the key itself if the name was not merged, and "" if the name is hidden.
        """
        return self._resolved.get(key, key)

    def hides_facts(self, key: str) -> bool:
        return key in self._resolved and not self._resolved[key]

    def target(self, key: str) -> str:
        """Return the key of the name into which a name was merged, even if that name is hidden."""
        while key in self._into:
            key = self._into[key]
        return key

    def aliases(self, key: str) -> Sequence[str]:
        """Return the keys of all names that were merged into a name."""
        return self._aliases.get(key, ())

    def with_aliases(self, keys: Set[str]) -> Set[str]:
        """Return these keys and the keys of all names that were merged into them."""
        if not self._aliases:
            return keys
        return {*keys, *(alias for key, aliases in self._aliases.items() if key in keys for alias in aliases)}

    def type_of(self, key: str, types: Sequence[str]) -> str:
        """Return the type of a name.

        It is the type in a vocabulary, else the first of `types`, else TERM if the name is in a vocabulary, else "".
        """
        return self._given.get(key, "") or (types[0] if types else TERM if key in self._given else "")

    def name_first(self, key: str, surfaces: Sequence[str]) -> list[str]:
        """Return the spellings of a name, with its display name first.

        The display name is the new name from a rename. Without a rename, it is the first of the name's own spellings if
        other names were merged into it, and otherwise the first of all spellings.
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


class NamesInDocument:
    """The effect of manual edits together with that of the names that a document uses for the same entity.

    Manual edits override what the document shows.
    """

    def __init__(self, edits: EditedNames, same: Mapping[str, str]) -> None:
        """Combine edits with a result of `same_in_document`."""
        self._edits = edits
        own = {key: edits.resolve(into) if into else "" for key, into in same.items()}
        self._resolved: Mapping[str, str] = ChainMap(edits.merged_or_hidden, own) if edits else own

    @property
    def resolved(self) -> Mapping[str, str]:
        return self._resolved

    def resolve(self, key: str) -> str:
        return self._resolved.get(key, key)

    def hides_facts(self, key: str) -> bool:
        return self._edits.hides_facts(key)
