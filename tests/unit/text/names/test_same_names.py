"""Pairs of names that may be one by how they are written, and pairs that never are."""

from __future__ import annotations

import pytest

from overstory.text import entity_key
from overstory.text.names.same_names import REASONS, WrittenName, blocks_of, same_name


def named(text: str, type_: str = "", passages: int = 1) -> WrittenName:
    return WrittenName(entity_key(text), text, type_, passages)


def form_of(one: WrittenName, other: WrittenName) -> str | None:
    """The form of two names; found in both orders, and only where they share a block."""
    found, turned = same_name(one, other), same_name(other, one)
    assert found == turned
    assert found is None or set(blocks_of(one)) & set(blocks_of(other))
    return None if found is None else found.form


@pytest.mark.parametrize(
    ("one", "other", "type_", "form"),
    [
        ("MS-DOS", "MSDOS", "", "joined"),
        ("Huang You-di", "Huang Youdi", "PERSON", "joined"),
        ("Python 2", "Python2", "", "joined"),
        ("Müller", "Mueller", "PERSON", "umlaut"),
        ("Kernel Module", "Kernel Modules", "ORG", "plural"),
        ("Star Brewery", "Star Breweries", "ORG", "plural"),
        ("Norwegian", "Norwegians", "NORP", "plural"),
        ("Recieved Texts", "Received Texts", "WORK_OF_ART", "swapped"),
        ("Bahram Bayzai", "Bahram Beyzai", "PERSON", "letter"),
        ("Mikhail Gorbachev", "Mikhail Gorbatchev", "PERSON", "letter"),
        ("Nicholas Rey", "Nicolas Rey", "PERSON", "letter"),
        ("Nantung", "Nantong", "GPE", "letter"),
        ("IBM", "International Business Machines", "ORG", "acronym"),
        ("MIT", "Massachusetts Institute of Technology", "ORG", "acronym"),
        ("J. K. Rowling", "Joanne Rowling", "PERSON", "initial"),
        ("R. G. Springsteen", "Robert G. Springsteen", "PERSON", "initial"),
        ("Chris Nolan", "Christopher Nolan", "PERSON", "initial"),
        ("Robert G. Springsteen", "Robert Springsteen", "PERSON", "left out"),
        ("Rowling", "Joanne Rowling", "PERSON", "last name"),
        ("Obama", "Barack Obama", "PERSON", "last name"),
        ("Google", "Google Inc.", "ORG", "legal"),
        ("Forbes", "Forbes & Co.", "ORG", "legal"),
    ],
)
def test_names_that_may_be_one(one: str, other: str, type_: str, form: str) -> None:
    assert form_of(named(one, type_), named(other, type_)) == form


@pytest.mark.parametrize(
    ("one", "other", "type_"),
    [
        ("Python 2", "Python 3", "PRODUCT"),
        ("2.6.1", "2.6.2", ""),
        ("Linux 2.6.1", "Linux 2.6.2", "PRODUCT"),
        ("Linux 26.1", "Linux 2.61", "PRODUCT"),
        ("Model 3", "Model S", "PRODUCT"),
        ("Elizabeth I", "Elizabeth II", "PERSON"),
        ("World War I", "World War II", "EVENT"),
        ("setuid", "setgid", "ORG"),
        ("setuid bit", "setgid bit", "ORG"),
        ("setuid()", "setgid()", "CODE"),
        ("getenv", "setenv", "TERM"),
        ("startChar", "start CHAR", "CODE"),
        ("--max-depth", "--max-depths", "OPTION"),
        ("Robert Smith", "Roberta Smith", "PERSON"),
        ("Christian Smith", "Christina Smith", "PERSON"),
        ("Nigel Lawson", "Nigella Lawson", "PERSON"),
        ("Ann Lee", "Anna Lee", "PERSON"),
        ("Robert William", "Robert Williams", "PERSON"),
        ("Island", "Islands", "GPE"),
        ("John A. Smith", "John B. Smith", "PERSON"),
        ("John Smith", "Mary Smith", "PERSON"),
        ("Smith", "John Smith Jr.", "PERSON"),
        ("Washington", "Denzel Washington", "GPE"),
        ("Oxford", "Oxford University", "ORG"),
        ("US", "US Senate", "ORG"),
        ("ibm", "International Business Machines", "TERM"),
    ],
)
def test_names_that_are_not(one: str, other: str, type_: str) -> None:
    assert form_of(named(one, type_), named(other, type_)) is None


def test_the_rarer_spelling_leads_to_the_other_one_and_a_part_to_the_whole() -> None:
    found = same_name(named("Nantong", "GPE", 5), named("Nantung", "GPE", 2))
    assert found is not None
    assert (found.name.name, found.into.name) == ("Nantung", "Nantong")
    found = same_name(named("IBM", "ORG", 90), named("International Business Machines", "ORG", 2))
    assert found is not None
    assert found.into.name == "International Business Machines"
    assert REASONS[found.form] == "abbreviation"


def test_a_name_that_no_text_writes_is_in_no_block() -> None:
    assert not set(blocks_of(WrittenName("elwyn white", "elwyn white", "", 3)))
    assert set(blocks_of(WrittenName("elwyn white", "Elwyn White", "", 3)))
