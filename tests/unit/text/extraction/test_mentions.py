from __future__ import annotations

import pytest

from overstory.text.extraction.mentions import likely_type, mention, plausible, shaped_names, surroundings
from overstory.text.sentences import sentence_starts


@pytest.mark.parametrize(
    ("found", "name"),
    [
        ("the Beatles", "Beatles"),
        ("The\nBeatles's", "Beatles"),
        ("“Foo Fighters”,", "Foo Fighters"),
        (' "Albela"', "Albela"),
        ("Anna ’s", "Anna"),
        ("U.S.", "U.S."),
        ("$5", "$5"),
        ("Theodore", "Theodore"),
        ("an Oscar", "Oscar"),
        ("Paris)", "Paris"),
        ("Paris (Texas)", "Paris (Texas)"),
        ("British\n Museum", "British Museum"),
        ("C++", "C++"),
        ("北京", "北京"),
        ("the", "the"),
    ],
)
def test_what_is_around_a_name_comes_off(found: str, name: str) -> None:
    text = f"x {found} y"
    trimmed = mention(text, 2, 2 + len(found), type_="X", sentence=0)
    assert trimmed is not None
    assert trimmed.surface == name
    assert " ".join(text[trimmed.start : trimmed.end].split()) == name


@pytest.mark.parametrize("nothing", ["''", " \n", "—", "…", "_"])
def test_what_has_neither_letter_nor_digit_is_none(nothing: str) -> None:
    assert mention(nothing, 0, len(nothing), type_="X", sentence=0) is None


def named(text: str, words: str, type_: str = "ORG", *, verb: bool = False) -> tuple[str, str] | None:
    """Return surface and type of a pipeline's finding after filtering, or None."""
    start = text.index(words)
    found = mention(text, start, start + len(words), type_=type_, sentence=0)
    assert found is not None
    left = plausible(found, surroundings(text, sentence_starts(text)), verb=verb)
    assert left is None or " ".join(text[left.start : left.end].split()) == left.surface
    return None if left is None else (left.surface, left.type)


MANUAL = "Sieves\n\nSift reads --mesh and calls grains.sift. Print the size. See Bash for what Sift does.\n"
LICENCE = (
    "Terms\n\nTHERE IS NO WARRANTY FOR THE PROGRAM, WITHOUT ANY KIND OF IT.\n\nG. Preserve the notice of Ada Byron1.\n"
)


@pytest.mark.parametrize(
    ("text", "words", "type_", "left"),
    [
        (MANUAL, "Bash", "PERSON", ("Bash", "")),  # of one word in technical text no type is believed
        (MANUAL, "Print", "ORG", None),
        (MANUAL, "Sift", "PERSON", ("Sift", "")),  # begins a line, but has its capital in a sentence as well
        ("Use os.walk, says Ada Byron.", "Ada Byron", "PERSON", ("Ada Byron", "PERSON")),
        ("os.walk of license 3+ here", "license 3+", "PRODUCT", None),
        ("Call Sieve(prog='PROG', x_y=1)", "Sieve(prog='PROG", "ORG", None),
        (LICENCE, "WITHOUT ANY", "ORG", None),
        (LICENCE, "G. Preserve", "PERSON", None),
        (LICENCE, "Ada Byron1", "PERSON", ("Ada Byron", "PERSON")),
        ("GNU GENERAL PUBLIC LICENSE", "GNU GENERAL PUBLIC LICENSE", "ORG", ("GNU GENERAL PUBLIC LICENSE", "ORG")),
        ("A.3. Linux Mint\n\nIt is free.", "A.3. Linux Mint", "ORG", ("Linux Mint", "ORG")),
        ("Heading Words\n\nLinux Mint is free.", "Words\n\nLinux Mint", "ORG", None),
        ("by Copyright (C) 2007 Ada Byron, Ltd", "Copyright (C) 2007 Ada Byron", "ORG", ("Ada Byron", "ORG")),
        ("in 429 passages", "429", "ORG", None),
        ("is True here", "True", "PERSON", None),
        ("since 1984 there", "1984", "DATE", ("1984", "DATE")),  # a fact keeps it as text; it makes no entity
        ("the `Ada` of", "the `Ada", "ORG", None),
        ("U2 and 3 Doors Down in Paris", "3 Doors Down", "ORG", ("3 Doors Down", "ORG")),
        ("Paris is in France.", "Paris", "GPE", ("Paris", "GPE")),
    ],
)
def test_what_the_pipeline_takes_for_a_name_must_look_like_one(
    text: str, words: str, type_: str, left: tuple[str, str] | None
) -> None:
    assert named(text, words, type_) == left


def test_a_verb_is_no_name_where_a_text_has_lines() -> None:
    assert named("Usage notes\n\nAlways Remove it.", "Remove", verb=True) is None
    assert named("She sang Waiting in 1999.", "Waiting", verb=True) == ("Waiting", "ORG")


def test_packages_and_commands_of_command_lines_are_names() -> None:
    text = "Run `sudo apt install --yes sieve-tools libgrain1`, or pip install grains and go.\n\n$ sift heap.txt"
    found = [(text[s.start : s.end], s.type) for s in shaped_names(surroundings(text, [0]))]
    assert found == [
        ("apt", "COMMAND"),
        ("--yes", "OPTION"),
        ("sieve-tools", "PACKAGE"),
        ("libgrain1", "PACKAGE"),
        ("grains", "PACKAGE"),
        ("sift", "COMMAND"),
        ("heap.txt", "FILE"),
    ]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Subject: Fees\nOwner: Ann\nThe rest.", "Subject"),
        ("Owner: Ann\nColour: blue\n", "Colour"),
        ("Lamp = blue\nWidth = 40\n", "Width"),
        ("2024-03-02 10:15:02 AUDIT login\n", "AUDIT"),
        ("Some INFO about it", "INFO"),
        ("the width of it", "width"),
    ],
)
def test_fields_log_levels_and_words_in_lower_case_are_no_names(text: str, name: str) -> None:
    start = text.index(name)
    found = mention(text, start, start + len(name), type_="ORG", sentence=0)
    assert found is not None
    assert plausible(found, surroundings(text, sentence_starts(text))) is None


@pytest.mark.parametrize(
    ("text", "name", "type_", "likely"),
    [
        ("Dear Ms Okafor, hello", "Okafor", "GPE", "PERSON"),
        ("He lives in Rotenfleth today", "Rotenfleth", "PERSON", "GPE"),
        ("It is at Kestrel Hall today", "Kestrel Hall", "PERSON", "FAC"),
        ("with Monty Hall today", "Monty Hall", "PERSON", "PERSON"),
        ("by the Kestrel Orchestra", "Kestrel Orchestra", "PERSON", "ORG"),
        ("asked Ewan Pryce, who left", "Ewan Pryce", "ORG", "PERSON"),
        ("members in NATO", "NATO", "ORG", "ORG"),
    ],
)
def test_the_words_around_a_name_correct_its_type(text: str, name: str, type_: str, likely: str) -> None:
    start = text.index(name)
    found = mention(text, start, start + len(name), type_=type_, sentence=0)
    assert found is not None
    assert likely_type(found, text, None, None) == likely


def test_a_name_among_people_is_one_of_them() -> None:
    text = "Present: Dora Whelan, Ewan Pryce and Olav Brandt"
    dora, ewan, olav = (
        mention(text, text.index(name), text.index(name) + len(name), type_=type_, sentence=0)
        for name, type_ in (("Dora Whelan", "PERSON"), ("Ewan Pryce", "ORG"), ("Olav Brandt", "PERSON"))
    )
    assert ewan is not None
    assert likely_type(ewan, text, dora, olav) == "PERSON"


def test_a_name_ends_before_the_field_on_the_next_line() -> None:
    text = "Author: Jane Poe\nStatus: Draft\n"
    found = mention(text, 8, 23, type_="PERSON", sentence=0)
    assert found is not None
    kept = plausible(found, surroundings(text, [0]))
    assert kept is not None
    assert (kept.surface, kept.start, kept.end) == ("Jane Poe", 8, 16)
