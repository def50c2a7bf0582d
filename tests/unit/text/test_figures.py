"""Numbers and dates of a text, by what they mean."""

from __future__ import annotations

import pytest

from overstory.text.figures import Day, Figures, figures


def numbers(text: str) -> list[list[str]]:
    return [sorted(figure.numbers) for figure in figures(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1,234", [["1.234", "1234"]]),
        ("1,234,567.80", [["1234567.8"]]),
        ("1.234.567,80", [["1234567.8"]]),
        ("1'234'567", [["1234567"]]),
        ("1 234", [["1", "1234", "234"]]),
        ("3.14", [["3.14"]]),
        ("1.2.3", [["1.2.3"]]),
        ("1912,1913", [["1912"], ["1913"]]),
        ("007", [["7"]]),
        ("2 million", [["2000000"]]),
        ("2.5 Mrd.", [["2500000000"]]),
        ("5 m", [["5", "5000000"]]),
        ("1914–18", [["1914"], ["18", "1918"]]),
        ("٣٤", [["34"]]),
        ("7" * 5_000, [["7" * 5_000]]),
        ("", []),
    ],
)
def test_numbers_have_the_values_that_they_may_mean(text: str, found: list[list[str]]) -> None:
    assert numbers(text) == found


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("14 March 1879", {Day(1879, 3, 14)}),
        ("March 14th, 1879", {Day(1879, 3, 14)}),
        ("14. März 1879", {Day(1879, 3, 14)}),
        ("14 марта 1879", {Day(1879, 3, 14)}),
        ("1879-03-14", {Day(1879, 3, 14)}),
        ("03/04/1879", {Day(1879, 3, 4), Day(1879, 4, 3)}),
        ("31/02/1879", set[Day]()),
        ("10.0.0.12", set[Day]()),
        ("1879年3月14日", {Day(1879, 3, 14)}),
        ("1879年3月", {Day(1879, 3, 0)}),
        ("March 1879", {Day(1879, 3, 0)}),
        ("he may 14 times", {Day(0, 5, 14)}),
        ("he may go", set[Day]()),
    ],
)
def test_dates_are_read_in_many_forms(text: str, days: set[Day]) -> None:
    assert set[Day]().union(*(figure.days for figure in figures(text))) == days


def test_a_year_of_two_digits_is_any_with_them() -> None:
    there = Figures()
    there.add("on 14.03.79")
    [day] = figures("14 March 1979")
    [other] = figures("14 March 1978")
    assert there.have(day)
    assert not there.have(other)


def test_a_year_may_stand_beside_its_day() -> None:
    there = Figures()
    there.add("In 1879: on 14 March he was born.")
    [day] = figures("14 March 1879")
    assert there.have(day)
