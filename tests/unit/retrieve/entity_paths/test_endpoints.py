from __future__ import annotations

from overstory.retrieve.entity_paths.endpoints import (
    _LONGEST_COMPARED_CHARACTERS,
    _MOST_SUGGESTED_NAMES,
    fuzzy_query,
    most_alike,
)

NAMES = [
    ("kirk hammett", "Kirk Hammett", 7),
    ("georg philipp telemann", "Georg Philipp Telemann", 1),
    ("metallica", "Metallica", 9),
    ("london", "London", 90),
]


def test_the_names_most_alike_come_first() -> None:
    assert most_alike("kirk hamet", NAMES) == ("Kirk Hammett",)
    assert most_alike("hammett", NAMES) == ("Kirk Hammett",)
    assert most_alike("phillip telemann", NAMES) == ("Georg Philipp Telemann",)
    assert most_alike("xyzzy", NAMES) == ()


def test_of_names_as_like_the_more_frequent_come_first_and_not_too_many() -> None:
    many = [(f"ada {letter}", f"Ada {letter.upper()}", ord(letter)) for letter in "bcdefgh"]
    assert most_alike("ada", many) == ("Ada H", "Ada G", "Ada F", "Ada E", "Ada D")
    assert len(most_alike("ada", many)) == _MOST_SUGGESTED_NAMES


def test_words_are_looked_for_as_they_are_and_nearly_so() -> None:
    assert fuzzy_query("Kirk van Hammett: AND (x)") == "kirk van hammett and x kirk~1 hammett~1"
    assert fuzzy_query("Georg Telemann") == "georg telemann georg~1 telemann~2"
    assert fuzzy_query("!?") == ""


def test_a_text_that_is_longer_than_a_name_is_neither_searched_for_nor_compared() -> None:
    assert fuzzy_query("Kirk " * _LONGEST_COMPARED_CHARACTERS) == ""
    assert most_alike("kirk hammett" * 100, [*NAMES, ("kirk hammett" * 100, "Kirk", 1)]) == ()
    assert most_alike("kirk hammett", [("kirk hammett" * 100, "Kirk", 1)]) == ()
