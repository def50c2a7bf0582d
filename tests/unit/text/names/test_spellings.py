from __future__ import annotations

import pytest

from overstory.text.names.keys import Spellings, one_edit_apart


@pytest.mark.parametrize(("a", "b"), [("bayzai", "beyzai"), ("kwai", "kwaii"), ("louis", "louise"), ("aab", "ab")])
def test_one_letter_makes_the_other_word(a: str, b: str) -> None:
    assert one_edit_apart(a, b)
    assert one_edit_apart(b, a)


@pytest.mark.parametrize(("a", "b"), [("same", "same"), ("abc", "acb"), ("ab", "abcd"), ("north", "south"), ("", "ab")])
def test_more_than_one_letter_does_not_count(a: str, b: str) -> None:
    assert not one_edit_apart(a, b)
    assert not one_edit_apart(b, a)


def test_a_name_is_found_by_another_spelling_of_one_word() -> None:
    names = Spellings(["bahram beyzai", "someone else", "bahram"])
    assert list(names.of("bahram bayzai")) == ["bahram beyzai"]


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("ann lee", "anna lee"),
        ("bahram bayzai", "behram beyzai"),
        ("world 18181", "world 18182"),
        ("beyzai", "bayzai"),
        ("bahram beyzai", "bahram beyzai"),
    ],
)
def test_short_words_numbers_and_two_differences_are_other_names(key: str, name: str) -> None:
    assert not list(Spellings([name]).of(key))
