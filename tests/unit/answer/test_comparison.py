"""Dates and places of lives in parentheses."""

from __future__ import annotations

import pytest

from overstory.answer.comparison import Life, life_in, order_of


@pytest.mark.parametrize(
    ("text", "life"),
    [
        ("Ada (28 December 1888 – 11 March 1931) was", Life("28 December 1888", "", "11 March 1931", "")),
        (
            "Max (May 30, 1907 in Paris – October 17, 1979 in Rome) was",
            Life("May 30, 1907", "Paris", "October 17, 1979", "Rome"),
        ),
        ("Cleo (born 27 June 1974) is", Life("27 June 1974", "", "", "")),
        ("Ledger (version 2 of 2019) is", Life("2019", "", "", "")),
        ("Ulm (Bavaria) is a city.", Life()),
        ("Nothing here.", Life()),
    ],
)
def test_a_life_is_read_from_its_parenthesis(text: str, life: Life) -> None:
    assert life_in(text) == life


def test_dates_are_ordered_by_year_month_and_day() -> None:
    assert order_of("28 December 1888") == (1888, 12, 28)
    assert order_of("May 30, 1907") == (1907, 5, 30)
    assert order_of("1907") == (1907, 0, 0)
    assert order_of("soon") is None
