from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overstory.text.names.dictionary import Match, NameDictionary, is_looked_for, mentioned_names
from overstory.text.names.keys import entity_key
from overstory.text.names.tokens import tokenise


def found(text: str, *names: str) -> list[str]:
    matches = NameDictionary(entity_key(name) for name in names).scan(tokenise(text))
    return [text[match.start : match.end] for match in matches]


def test_the_longest_name_wins_and_hides_those_within() -> None:
    assert found("New York City is in New York", "New York", "York City", "New York City") == [
        "New York City",
        "New York",
    ]


def test_a_name_begins_at_a_capitalised_word() -> None:
    assert found("the film The Village, in a village", "Village") == ["Village"]


@pytest.mark.parametrize(
    ("text", "name", "surface"),
    [
        ("J.R.R. Tolkien's ring", "J. R. R. Tolkien", "J.R.R. Tolkien"),
        ("in Saint John’s Wood", "Saint John's Wood", "Saint John’s Wood"),
        ("in the U.S. today", "US", "U.S"),
        ("Beyoncé sang", "Beyonce", "Beyoncé"),
        ("by Simon and Garfunkel", "Simon & Garfunkel", "Simon and Garfunkel"),
        ("the Jean-\nPaul", "Jean Paul", "Jean-\nPaul"),
    ],
)
def test_spellings_of_a_name_are_found(text: str, name: str, surface: str) -> None:
    assert found(text, name) == [surface]


def test_a_possessive_is_the_name_of_its_owner_unless_it_is_a_name_itself() -> None:
    assert found("Maurice's film", "Maurice") == ["Maurice"]
    assert found("Lloyd's Bank and Lloyd", "Lloyd's Bank", "Lloyd") == ["Lloyd's Bank", "Lloyd"]


def test_names_that_the_text_is_about_are_found_within_longer_ones() -> None:
    tokens = tokenise("Francis Ford Coppola Presents")
    names = NameDictionary(["francis ford coppola presents", "francis ford coppola"])
    about = NameDictionary(["francis ford coppola"])
    assert [match.key for match in mentioned_names(tokens, names, about)] == [
        "francis ford coppola presents",
        "francis ford coppola",
    ]


def test_a_match_names_its_words_and_characters() -> None:
    assert NameDictionary(["ada"]).scan(tokenise("Of Ada.")) == [Match("ada", 1, 2, 3, 6)]


@pytest.mark.parametrize(
    ("key", "type_", "looked_for"),
    [
        ("ada lovelace", "PERSON", True),
        ("his", "PERSON", False),
        ("the who tour", "EVENT", True),
        ("1912", "DATE", False),
        ("english", "LANGUAGE", False),
        ("1984", "WORK_OF_ART", False),
        ("b", "ORG", False),
        ("", "ORG", False),
        ("one two three four five six seven eight nine", "ORG", False),
    ],
)
def test_which_names_of_a_parser_are_looked_for(key: str, type_: str, *, looked_for: bool) -> None:
    assert is_looked_for(key, type_) is looked_for


words = st.lists(st.sampled_from(["Aa", "Bb", "Cc", "dd"]), max_size=12)
keys = st.sets(st.lists(st.sampled_from(["aa", "bb", "cc", "dd"]), min_size=1, max_size=3).map(" ".join), max_size=8)


@given(words, keys, keys)
def test_only_texts_in_which_a_changed_name_stands_are_scanned_anew(
    text: list[str], before: set[str], after: set[str]
) -> None:
    tokens = tokenise(" ".join(text))
    if not NameDictionary(before ^ after).anywhere(tokens):
        assert NameDictionary(before).scan(tokens) == NameDictionary(after).scan(tokens)


@given(words, keys)
def test_matches_are_the_longest_names_and_do_not_overlap(text: list[str], names: set[str]) -> None:
    tokens = tokenise(" ".join(text))
    after = 0
    for match in NameDictionary(names).scan(tokens):
        assert match.first >= after
        assert tokens.key(match.first, match.stop) == match.key
        longer = range(match.stop + 1, len(tokens.forms) + 1)
        assert not any(tokens.key(match.first, stop) in names for stop in longer)
        after = match.stop
