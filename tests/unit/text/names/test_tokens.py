from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overstory.text.names.keys import entity_key, is_unspaced
from overstory.text.names.tokens import tokenise


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("J. R. R. Tolkien met C.S. Lewis.", ["jrr", "tolkien", "met", "cs", "lewis"]),
        ("George H. W. Bush", ["george", "hw", "bush"]),
        ("Malcolm X. A man", ["malcolm", "x", "a", "man"]),
        ("Plan A, plan B", ["plan", "a", "plan", "b"]),
        ("AT&T and C++ or C#", ["at", "and", "t", "and", "c++", "or", "c#"]),
        ("O’Brien's Beyoncé", ["obriens", "beyonce"]),
        ("Jean-Paul (b. 1905)", ["jean", "paul", "b", "1905"]),
        ("Rock 'n' Roll", ["rock", "n", "roll"]),
        ("कि की", ["कि", "की"]),
        ("snake_case", ["snake", "case"]),
        (" \n— … ", []),
        ("", []),
    ],
)
def test_words_are_those_of_entity_keys(text: str, forms: list[str]) -> None:
    assert tokenise(text).forms == forms


def test_a_word_knows_its_place_and_whether_a_capital_began_it() -> None:
    text = "In 1912 the Émigré read."
    tokens = tokenise(text)
    assert [text[s:e] for s, e in zip(tokens.starts, tokens.ends, strict=True)] == [
        "In",
        "1912",
        "the",
        "Émigré",
        "read",
    ]
    assert tokens.capital == [True, True, False, True, False]


@pytest.mark.parametrize("word", ["हिन्दी", "ไทยที่", "caf\u00e9e\u0301", "\U00011013\U0001103c\U00011013", "\u0301a"])
def test_a_mark_belongs_to_the_word_of_its_letter(word: str) -> None:
    """Also those of scripts beyond U+FFFF, as in the fourth, which is Brahmi."""
    tokens = tokenise(f"“{word}” – {word}—{word}.")

    assert [(start, end) for start, end in zip(tokens.starts, tokens.ends, strict=True)] == [
        (1, 1 + len(word)),
        (5 + len(word), 5 + 2 * len(word)),
        (6 + 2 * len(word), 6 + 3 * len(word)),
    ]


def test_a_word_of_a_script_without_case_may_begin_a_name() -> None:
    assert tokenise("अशोक").capital == [True]


@pytest.mark.parametrize(("text", "bare"), [("Anna's cat", "anna"), ("ANNA’S cat", "anna"), ("J R's cat", "jr")])
def test_a_possessive_is_known_without_its_ending(text: str, bare: str) -> None:
    tokens = tokenise(text)
    [(form, end)] = tokens.bare.values()
    assert form == bare
    assert text[end] in ".'’"


def test_initials_are_joined_over_full_stops_but_not_over_other_marks() -> None:
    assert tokenise("J. R. Smith").forms == ["jr", "smith"]
    assert tokenise("J, R Smith").forms == ["j", "r", "smith"]


# Of a script without spaces each character is a word, which leaves single letters beside it.
SPACED = st.characters(categories=["L", "N"]).filter(lambda character: not is_unspaced(character))


@given(st.lists(st.text(SPACED, min_size=2, max_size=9), max_size=6))
def test_joined_forms_are_the_key_of_the_text(words: list[str]) -> None:
    text = "Xy " + " ".join(words)
    assert tokenise(text).key(0, len(tokenise(text).forms)) == entity_key(text)
