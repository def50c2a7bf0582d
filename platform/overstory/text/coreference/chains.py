"""Rule-based coreference resolution within a document: short names, pronouns, and phrases such as "the company".

Between documents, only equal names are taken to refer to the same entity.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from overstory.text.coreference.references import NO_ANTECEDENT, Reference, References
from overstory.text.names.abbreviations import FullNames, compatible
from overstory.text.names.keys import entity_key, key_words

By = Literal["text", "alias", "coreference"]

_MOST_SENTENCES_BACK = 4
"""Maximum distance, in sentences, between the last mention of an entity and "it" or "the company" referring to it."""

_QUALIFIER = re.compile(r"(?<!\s)\s*+\([^()]*+\)\s*+$")
_THINGS = frozenset({"ORG", "GPE", "LOC", "FAC", "WORK_OF_ART", "PRODUCT", "EVENT", "LAW", "LANGUAGE"})
_GROUPS = frozenset({"ORG", "NORP", "GPE"})

_CALLED = """
PERSON: man woman boy girl actor actress singer musician composer writer author poet novelist politician president
PERSON: king queen prince princess emperor director painter artist scientist physicist player footballer
ORG: company firm corporation organization organisation institution university college school club team band group
ORG: party agency bank airline label studio magazine newspaper publisher association society union
GPE LOC: city town village municipality country nation state province region district county island river mountain
GPE LOC: lake area
FAC ORG: building bridge airport station stadium church castle museum
WORK_OF_ART PRODUCT: film movie book novel album song single series show play opera poem painting game
EVENT: war battle tournament festival election championship
"""
CLASSES = {
    noun: frozenset(types.split())
    for types, _, nouns in (line.partition(":") for line in _CALLED.strip().splitlines())
    for noun in nouns.split()
}
"""Entity types of the things that a noun can refer to: GPE and LOC for "city"."""


class Resolved(NamedTuple):
    """An expression in a sentence, and the entity to which it refers.

    Attributes:
        name: the fullest name of the entity in the document.
        surface: the expression as written.
        by: "text" if the expression is the fullest name, "alias" if it is a shorter name, "coreference" if it is a
            pronoun or a phrase.
    """

    name: str
    surface: str
    by: By


@dataclass(slots=True)
class _Referent:
    """An entity that is mentioned in the document.

    Attributes:
        name: name of the entity at its first mention.
        type: entity type; "" if only the title names the entity.
        last: number of the last sentence so far that mentions the entity.
        place: index of the first reference to the entity in that sentence.
        gender: "he" or "she" once such a pronoun has referred to the entity, otherwise "".
        classes: nouns that the document uses to describe the entity, such as "film".
    """

    name: str
    type: str
    last: int
    place: int
    gender: str = ""

    def mentioned_in(self, sentence: int, place: int) -> None:
        if sentence != self.last:
            self.last, self.place = sentence, place

    classes: set[str] = field(default_factory=set[str])


def as_written(text: References) -> list[list[Resolved]]:
    """Return the names and the phrases of several words in each sentence, without resolving coreference."""
    found: list[list[Resolved]] = [[] for _ in text.sentences]
    for reference in text.references:
        if reference.salient:
            found[reference.sentence].append(Resolved(reference.surface, reference.surface, "text"))
    return found


def resolved(text: References, title: str = "") -> list[list[Resolved]]:
    """Return the references in each sentence, each with the fullest name so far of the entity to which it refers.

    A last name refers to the person with that name, and an acronym to the name that it abbreviates. A pronoun or a
    phrase such as "the film" refers to the most recently mentioned entity that fits. Pronouns without such an entity
    are left out.

    Args:
        title: title of the document. It counts as a mention before the first sentence.
    """
    entities: dict[str, _Referent] = {}
    canonical = _canonical_keys(_name_references(text), title)
    bare = _QUALIFIER.sub("", title)
    if entity_key(bare):
        entities[canonical(bare)] = _Referent(bare, "", 0, -1)
    found: list[list[Resolved]] = [[] for _ in text.sentences]
    places: dict[int, _Referent] = {}
    for place, reference in enumerate(text.references):
        if reference.kind == "name":
            found_entity = _named(reference, place, canonical(reference.surface), entities)
            places[place] = found_entity
            is_full = entity_key(reference.surface) == entity_key(found_entity.name)
            found[reference.sentence].append(
                Resolved(found_entity.name, reference.surface, "text" if is_full else "alias")
            )
            continue
        meant = _antecedent(reference, entities.values())
        if meant is not None:
            meant.mentioned_in(reference.sentence, place)
            found[reference.sentence].append(Resolved(meant.name, reference.surface, "coreference"))
        elif reference.salient:
            found[reference.sentence].append(Resolved(reference.surface, reference.surface, "text"))
        if reference.describes != NO_ANTECEDENT and reference.describes in places:
            places[reference.describes].classes.add(reference.type)
    return found


def _named(reference: Reference, place: int, key: str, entities: dict[str, _Referent]) -> _Referent:
    """Return the entity with this name, after adding it to `entities` if it is new."""
    entity = entities.setdefault(key, _Referent(reference.surface, reference.type, reference.sentence, place))
    entity.type = entity.type or reference.type
    entity.mentioned_in(reference.sentence, place)
    return entity


def _antecedent(reference: Reference, entities: Iterable[_Referent]) -> _Referent | None:
    fitting = [entity for entity in entities if _fits(reference, entity)]
    best = max(fitting, key=lambda entity: (entity.last, -entity.place), default=None)
    if best is not None and reference.type in {"he", "she"}:
        best.gender = reference.type
    return best


def _fits(reference: Reference, entity: _Referent) -> bool:
    match reference.type if reference.kind == "pronoun" else "":
        case "he" | "she":
            return entity.type in {"PERSON", ""} and entity.gender in {"", reference.type}
        case "it":
            return entity.type in _THINGS | {""} and not entity.gender and _near(reference, entity)
        case "they":
            return entity.type in _GROUPS | {""} and not entity.gender and _near(reference, entity)
        case _:
            if not reference.definite or " " in reference.surface:
                return False
            if entity.classes:
                return reference.type in entity.classes
            if entity.name.lower().endswith(f" {reference.type}"):
                return True
            return entity.type in CLASSES.get(reference.type, frozenset()) and _near(reference, entity)


def _near(reference: Reference, entity: _Referent) -> bool:
    return reference.sentence - entity.last <= _MOST_SENTENCES_BACK


def _name_references(text: References) -> list[Reference]:
    return [reference for reference in text.references if reference.kind == "name"]


class _canonical_keys:  # noqa: N801 # called like a function
    """Maps a name to the key of its full form, if this occurs earlier: "Obama" to "barack obama"."""

    def __init__(self, names: list[Reference], title: str) -> None:
        self._fullest: dict[str, str] = {}
        people = FullNames()
        by_last: dict[str, str] = {}
        initials: dict[str, str] = {}
        bare = _QUALIFIER.sub("", title)
        titled = entity_key(bare)
        for key, surface, is_person in [
            (titled, title, True),
            *((entity_key(name.surface), name.surface, name.type == "PERSON") for name in names),
        ]:
            if not key or key in self._fullest:
                continue
            words = key.split()
            if titled and key != titled and _is_titled(key, bare, is_person=is_person):
                meant: str | None = titled
            elif len(words) == 1:
                meant = by_last.get(key) or (initials.get(key) if surface.isupper() else None)
            else:
                meant = next((full for full in people.of(key) if len(full) > len(key)), None) if is_person else None
            self._fullest[key] = meant or key
            if meant is None and len(words) > 1:
                if is_person:
                    people.add(key)
                    by_last[words[-1]] = key
                initials["".join(word[0] for word in key_words(surface) if word not in _SMALL)] = key

    def __call__(self, surface: str) -> str:
        key = entity_key(surface)
        return self._fullest.get(key, key)


def _is_titled(key: str, title: str, *, is_person: bool) -> bool:
    """Return True if a name is a short form of the title: "Leland" in a document on "Leland, North Carolina"."""
    place, comma, _ = title.partition(",")
    if comma and key == entity_key(place):
        return True
    *firsts, last = entity_key(title).split()
    *words, of_name = key.split()
    return is_person and bool(firsts) and last == of_name and compatible(firsts, words)


_SMALL = frozenset({"of", "the", "and", "for", "in", "on", "de", "la"})
