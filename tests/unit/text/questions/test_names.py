from __future__ import annotations

import pytest

from overstory.text.names.dictionary import NameDictionary
from overstory.text.names.keys import entity_key
from overstory.text.names.shapes import shapes_of_question
from overstory.text.names.tokens import tokenise
from overstory.text.questions.names import (
    longest_first,
    longest_unknown,
    may_be_name,
    possible_terms,
    question_names,
    unknown_names,
    without_names,
)

NAMES = NameDictionary(
    entity_key(name)
    for name in (
        "Which",
        "Lothair II",
        "Lothair",
        "True to the Navy",
        "The Navy",
        "Navy Blue",
        "Village",
        "Possession (1922 film)",
    )
)


@pytest.mark.parametrize(
    ("question", "names", "rest"),
    [
        ("When did Lothair Ii's mother die?", ["lothair ii"], "When did 's mother die?"),
        ("Who made True To The Navy Blue?", ["true to the navy", "navy blue"], "Who made ?"),
        ("Who made true to the Navy?", ["true to the navy"], "Who made ?"),
        ("Who lives in a village?", [], "Who lives in a village?"),
        ("Which film is longer?", [], "Which film is longer?"),
        ("Who lives in Village?", ["village"], "Who lives in ?"),
        ("", [], ""),
    ],
)
def test_known_names_are_found_and_taken_out(question: str, names: list[str], rest: str) -> None:
    found = question_names(tokenise(question), NAMES)
    assert [match.key for match in found] == names
    assert without_names(question, found) == rest


def test_other_capitalised_phrases_may_be_names_nobody_knows_yet() -> None:
    question = "When did the Philbrook Museum ever open its doors in a Village?"
    tokens = tokenise(question)
    phrases = unknown_names(tokens, question_names(tokens, NAMES))
    assert [phrase.key for phrase in phrases] == ["philbrook museum", "philbrook", "museum"]


def test_the_first_word_alone_and_function_words_are_no_unknown_names() -> None:
    assert unknown_names(tokenise("Who wrote The Iliad?"), []) == unknown_names(tokenise("who wrote the Iliad?"), [])
    assert unknown_names(tokenise("Who wrote it?"), []) == []


def test_of_unknown_phrases_the_longest_that_occurs_is_taken() -> None:
    phrases = unknown_names(tokenise("when did Admiral Twin of Tulsa open?"), [])
    assert [phrase.key for phrase in longest_first(phrases, {"admiral twin", "twin", "tulsa"})] == [
        "admiral twin",
        "tulsa",
    ]


def test_unknown_names_are_given_as_the_question_writes_them() -> None:
    question = "Did the Admiral Twin of Tulsa open before Meet Me in St. Louis was shown?"
    tokens = tokenise(question)
    assert longest_unknown(question, tokens, {"tulsa"}) == ["Admiral Twin of Tulsa", "Meet Me in St. Louis"]
    assert longest_unknown(question, tokens, {"admiral twin of tulsa"}) == ["Meet Me in St. Louis"]


TERMS = ("grain size", "sieve", "the heap", "--mesh", "grains.sift", "-m")


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Which grain size has sand?", ["grain size"]),
        ("What is a sieve?", ["sieve"]),
        ("what does sieve mean?", ["sieve"]),
        ("What is the size of a sieve?", []),
        ("How do I sieve sand?", []),
        ("What is grains.sift() for?", ["grains.sift"]),
        ("Does --mesh or -m come first?", ["--mesh", "-m"]),
        ("Does mesh come first?", []),
    ],
)
def test_terms_are_names_in_lower_case_and_shapes_anywhere(question: str, names: list[str]) -> None:
    tokens = tokenise(question, shapes_of_question)
    found = question_names(tokens, NameDictionary(TERMS), frozenset(TERMS))
    assert [match.key for match in found] == names


def test_terms_that_are_looked_up_are_few() -> None:
    tokens = tokenise("How do I sort the grain size of a heap?", shapes_of_question)
    assert list(possible_terms(tokens, 300)) == [
        "sort the grain",
        "sort the grain size",
        "grain size",
        "size of a heap",
    ]


@pytest.mark.parametrize(
    "phrase",
    ["Philbrook Museum", "J. R. R. Tolkien", "Meet Me in St. Louis", "Plan 9", "C++", "C 3 PO", "Malcolm X", "7", "U2"],
)
def test_a_phrase_within_a_sentence_may_be_a_name(phrase: str) -> None:
    assert may_be_name(phrase)


@pytest.mark.parametrize(
    "phrase",
    [
        "N",
        "X and Y",
        "A or B",
        "DFAs or NFAs",
        "Compiler. How",
        "Python? Is",
        "Python; C",
        "Ulm! The Danube",
        "The",
        "",
    ],
)
def test_phrases_of_two_sentences_and_letters_for_anything_are_no_names(phrase: str) -> None:
    assert not may_be_name(phrase)
