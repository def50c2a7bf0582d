"""Which words say the same relation."""

from __future__ import annotations

import pytest

from overstory.answer.support import meaning_stems, same_relation
from overstory.text.words import stem


@pytest.mark.parametrize(
    ("one", "other"),
    [("leader", "led"), ("study", "studied"), ("director", "directed"), ("grew", "grow"), ("cost", "price")],
)
def test_related_words(one: str, other: str) -> None:
    assert same_relation(stem(one), stem(other))


@pytest.mark.parametrize(("one", "other"), [("salary", "led"), ("mayor", "designed"), ("port", "portable")])
def test_unrelated_words(one: str, other: str) -> None:
    assert not same_relation(stem(one), stem(other))


def test_dates_and_amounts_say_words_that_are_not_there() -> None:
    assert stem("born") in meaning_stems("Ada (1 May 1900 – 2 June 1980) was a judge.")
    assert stem("cost") in meaning_stems("The racks are 38,400 euros a year.")
    assert stem("cost") not in meaning_stems("The racks are in Ulm.")
