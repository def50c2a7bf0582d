"""Words for the types of entities, and the order in which lists show them."""

from __future__ import annotations

from collections.abc import Mapping

KIND_WORDS: Mapping[str, str] = {
    "PERSON": "Person",
    "ORG": "Organisation",
    "GPE": "Country or city",
    "LOC": "Place",
    "FAC": "Building",
    "WORK_OF_ART": "Work",
    "PRODUCT": "Product",
    "EVENT": "Event",
    "LAW": "Law",
    "NORP": "Group of people",
    "LANGUAGE": "Language",
    "TERM": "Term",
    "CODE": "Code",
    "COMMAND": "Command",
    "OPTION": "Option",
    "FILE": "File",
    "PACKAGE": "Package",
}
"""The word for each type. The page shows the same words (`words.js`)."""

_LATER = {1: ("NORP", "LANGUAGE", "TERM"), 2: ("",), 3: ("CODE", "COMMAND", "OPTION", "FILE", "PACKAGE")}

LISTED_LATER: Mapping[str, int] = {type_: place for place, types in _LATER.items() for type_ in types}
"""Place of a type in lists: 1 for groups, languages and terms, 2 for entities without a type, 3 for technical names.

All other types, such as people, organisations, places, works and products, come first (0)."""


def kind_word(type_: str) -> str:
    """Return the word for a type; a type of another extractor is returned unchanged."""
    return KIND_WORDS.get(type_, type_)


def type_of_kind(kind: str) -> str:
    """Return the type with this word, in any case: "ORG" for "organisation". Anything else is returned unchanged."""
    return next((type_ for type_, word in KIND_WORDS.items() if word.casefold() == kind.casefold()), kind)
