"""Why a passage was found, in words: clauses of reasons, which go on after "It"."""

from __future__ import annotations

from collections.abc import Sequence

from overstory.display import shortened
from overstory.graph.client import Row
from overstory.text.questions.asked_words import AskedWords

NEAREST = "is among the closest in meaning to the question"
"""Of a passage that was found by meaning."""

SECTION_HAS_WORDS = "is in a section that has words of the question"
"""Of a passage that has none of them itself."""

_MOST_WORDS_OF_A_CLAUSE = 6
"""Words or names in one clause."""

LONGEST_REASON_TITLE_CHARACTERS = 60  # of a title or a name in a reason


def has_words(asked: AskedWords, row: Row) -> str:
    """Which words of the question a passage has, in its text, its title or its headings."""
    found = asked.found_in(row["title"], row["heading"], row["text"])
    return f"has words of the question: {listed(found)}" if found else SECTION_HAS_WORDS


def has_names(found: Sequence[str]) -> str:
    """Which names of the question a passage has."""
    return f"names {listed(found)}, as the question does"


def shares(name: str, source: str, *, better: bool) -> str:
    """By which name another passage led to this one; `source` as `quoted` gives it, `better` if it stands before this
    one. Two passages may lead to each other."""
    return f"shares the name {_line(name)} with {source}{', which was found first' if better else ''}"


def is_about(name: str, source: str) -> str:
    """By which name another passage led to this one, which is about it."""
    return f"is about {_line(name)}, named in {source}"


def is_linked(name: str, source: str) -> str:
    """By which link between documents another passage led to this one."""
    return f"is linked with {source} by {_line(name)}"


def two_names_away(name: str, source: str) -> str:
    """By which name a passage that was itself reached by a name led to this one."""
    return f"is two names away: by {_line(name)} from {source}"


def quoted(source: Row | None, target: Row | None) -> str:
    """A passage by its title in quotes, or else its first words; `target` is the one that it led to."""
    if source is None:
        return "a passage that is gone"
    if target is not None and source["document_id"] == target["document_id"]:
        return "another passage of this document"
    return f'"{shortened(source["title"] or source["text"], LONGEST_REASON_TITLE_CHARACTERS)}"'


def listed(words: Sequence[str]) -> str:
    """The first of these words or names, and how many more there are."""
    different = list(dict.fromkeys(_line(word) for word in words))
    more = len(different) - _MOST_WORDS_OF_A_CLAUSE
    return ", ".join(different[:_MOST_WORDS_OF_A_CLAUSE]) + (f" and {more} more" if more > 0 else "")


def _line(name: str) -> str:
    return shortened(name, LONGEST_REASON_TITLE_CHARACTERS)
