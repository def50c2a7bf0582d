from __future__ import annotations

import pytest

from overstory.text.names.stop_names import is_stop_name, without_number


@pytest.mark.parametrize(
    "surface",
    ["1", "0x1F", "3.11.2", "v1.2rc1", "2.", "(3)", "True", "None", "Note", "See also", "Table of Contents", "C", "—"],
)
def test_numbers_literals_and_labels_name_nothing(surface: str) -> None:
    assert is_stop_name(surface)


@pytest.mark.parametrize("surface", ["U2", "F1", "3D", "9/11", "C++", "Linux", "N14", "Notes on Sifting", "-v", "x86"])
def test_short_names_with_digits_are_names(surface: str) -> None:
    assert not is_stop_name(surface)


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("A.3. Linux Mint", "Linux Mint"),
        ("3.2.1. Files", "Files"),
        ("Chapter 4. Installation of Sieves", "Installation of Sieves"),
        ("Appendix B: Grains", "Grains"),
        ("§ 7 Grains", "Grains"),
        ("1. FC Köln", "1. FC Köln"),
        ("94.3 FM", "94.3 FM"),
        ("J. R. Smith", "J. R. Smith"),
        ("2001: A Space Odyssey", "2001: A Space Odyssey"),
        ("3 Doors Down", "3 Doors Down"),
    ],
)
def test_the_number_of_a_title_is_no_part_of_it(heading: str, name: str) -> None:
    assert without_number(heading) == name


@pytest.mark.parametrize(
    ("heading", "name"), [("1. Introduction to Sieves", "Introduction to Sieves"), ("3.2 Files", "Files")]
)
def test_a_heading_may_have_a_number_without_a_second_dot(heading: str, name: str) -> None:
    assert without_number(heading, in_line=True) == name
    assert without_number(name, in_line=True) == name
