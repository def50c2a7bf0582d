"""The type of an entity, from the types that parsers gave to its mentions, and from the words of its name."""

from __future__ import annotations

from collections.abc import Mapping

from overstory.text.function_words import word_set

_ORGANISATION_HEADS = word_set(
    "academy agency alliance association authority band bureau choir club college commission committee company "
    "confederation congress consortium corporation council department federation foundation gmbh government group inc "
    "institute institution league ltd ministry orchestra organisation organization party quartet school society "
    "university works chor orchester verein musikschule gesellschaft stiftung"
)
_FACILITY_HEADS = word_set("airport avenue boulevard cathedral road stadium station railway")
_PLACE_HEADS = word_set("bridge church court gardens hall hill house lane park place square street tower")
"""Last words of the names of places that are also last names."""

_MOST_WORDS_OF_A_PERSON = 3
_WEIGHT = 2
"""How much more a vote counts if the form of the name fits it. Parsers confuse people, places and organisations."""


def head_type(name: str) -> str:
    """Return the type that the last word of a name gives away, or the first of a German one; "" if neither does."""
    words = name.lower().split()
    if len(words) < 2:
        return ""
    if words[-1] in _ORGANISATION_HEADS or words[0] in ("musikschule", "verein", "gesellschaft", "stiftung"):
        return "ORG"
    return "FAC" if words[-1] in _FACILITY_HEADS else ""


def may_be_a_place(name: str) -> bool:
    """Return True if the last word of a name is a kind of place, such as "Hall", although it may be a last name."""
    return name.lower().split()[-1] in _PLACE_HEADS


def entity_types(key: str, votes: Mapping[str, int]) -> list[str]:
    """Return the types that mentions of an entity have, most frequent first. Votes for "" do not count.

    A vote counts double if the form of the name fits it: for a person two or three words, for a place one word, and for
    a building a last word such as "Hall".
    """
    words = key.split()
    if len(words) == 1:
        likely = {"GPE", "LOC"}
    elif may_be_a_place(key):
        likely = {"FAC"}
    else:
        likely = {"PERSON"} if len(words) <= _MOST_WORDS_OF_A_PERSON and key.replace(" ", "").isalpha() else set[str]()
    weighed = {type_: count * (_WEIGHT if type_ in likely else 1) for type_, count in votes.items() if type_}
    return sorted(weighed, key=lambda type_: (-weighed[type_], type_))
