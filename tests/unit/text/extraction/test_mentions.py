from __future__ import annotations

import pytest

from overstory.text.extraction.mentions import mention


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
