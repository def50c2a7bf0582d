from __future__ import annotations

import pytest

from overstory.text.names.abbreviations import FullNames


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("rg springsteen", "robert g springsteen"),
        ("jrr tolkien", "john ronald reuel tolkien"),
        ("wil smith", "william henry smith"),
        ("william smith", "w henry smith"),
        ("henry smith", "william henry smith"),
    ],
)
def test_a_shortened_name_stands_for_the_full_one(short: str, full: str) -> None:
    assert list(FullNames([full, "someone else"]).of(short)) == [full]


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("al smith", "albert smith"),
        ("henry william smith", "william henry smith"),
        ("will smith", "will jones"),
        ("smith", "will smith"),
        ("will smith", "will smith"),
        ("a b", "a c d e f g h b"),
    ],
)
def test_other_names_do_not(short: str, full: str) -> None:
    assert not list(FullNames([full]).of(short))
