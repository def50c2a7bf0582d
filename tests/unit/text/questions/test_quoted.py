from __future__ import annotations

import pytest

from overstory.text.questions.names import _LONGEST_QUOTED_CHARACTERS, _MOST_QUOTED_PHRASES, quoted_phrases


@pytest.mark.parametrize(
    ("question", "phrases"),
    [
        ('Which page says "do not panic"?', ["do not panic"]),
        ('"a b" and “c d”, „e f“, «g h», 「東京」', ["a b", "c d", "e f", "g h", "東京"]),
        ('"twice" or "twice"', ["twice"]),
        ("Perl's 'system()' isn't quoted", []),
        ('an open " mark', []),
        ('nothing: "" and "..."', []),
        (f'too long: "{"x" * (_LONGEST_QUOTED_CHARACTERS + 1)}"', []),
    ],
)
def test_what_stands_in_double_quotation_marks(question: str, phrases: list[str]) -> None:
    assert quoted_phrases(question) == phrases


def test_only_the_first_phrases_are_looked_for() -> None:
    assert (
        len(quoted_phrases(" ".join(f'"phrase {number}"' for number in range(_MOST_QUOTED_PHRASES + 3))))
        == _MOST_QUOTED_PHRASES
    )
