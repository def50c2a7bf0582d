"""When a text repeats itself."""

from __future__ import annotations

import pytest

from overstory.answer.generative import _LONGEST_PERIOD_LETTERS, Found, Repetition, before_repetition

LINE = "A.8. Zali Linux\n"
TEXT = (
    "The Danube rises in the Black Forest and flows through ten countries. It passes Ulm, where Einstein was born in"
    " 1879, and Vienna, where he never lived long. Budapest lies on both of its banks, Belgrade where the Sava joins"
    " it. Ships go from Kelheim to the Black Sea, and by a canal to the Main and to the Rhine."
)


@pytest.mark.parametrize(
    ("text", "found", "kept"),
    [
        (LINE * 50, "repeated", "A.8. Zali Linux"),
        ("It is Ulm [1].\n" + "1. Bern\n2. Bern\n3. Bern\n" * 60, "repeated", "It is Ulm [1].\n1. Bern"),
        (f"{TEXT} " * 4, "repeated", TEXT),
        ("I say Ulm. " + "He was born in Ulm. " * 30, "repeated", "I say Ulm. He was born in Ulm."),
        ("no " * 200, "repeated", "no"),
        ("烏爾姆在多瑙河畔。" * 40, "repeated", "烏爾姆在多瑙河畔。"),
        ("In Ulm. " + "0 1 " * 200, "repeated", "In Ulm. 0 1"),
        ("In Ulm." + "\n" * 2_000, "blank", "In Ulm."),
        ("\n " * 1_000, "blank", ""),
    ],
)
def test_a_repetition_is_found_and_what_came_before_is_kept(text: str, found: Found, kept: str) -> None:
    assert Repetition().take(text) == found
    assert before_repetition(text) == kept


@pytest.mark.parametrize(
    "text",
    [
        "",
        TEXT,
        f"{TEXT}\n\n{TEXT}",
        LINE * 10,
        "| --- | --- |\n" * 40,
        "".join(f"- {name} was born in Ulm [1].\n" for name in ("Ada", "Bert", "Cleo", "Dora", "Emil", "Fritz")),
        "".join(
            f"Chapter {number} was written in {1900 + number * 7} by {'ABCDEFGHIJ'[number]}. " for number in range(9)
        ),
    ],
)
def test_other_texts_are_none(text: str) -> None:
    assert Repetition().take(text) is None
    assert before_repetition(text) == text


def test_it_is_the_same_in_pieces_and_whole() -> None:
    text = f"{TEXT} " + LINE * 40
    pieces, whole = Repetition(), Repetition()
    whole.take(text)
    for at in range(0, len(text), 3):
        pieces.take(text[at : at + 3])
    assert (pieces.found, pieces.end) == (whole.found, whole.end) == ("repeated", text.index(LINE, len(TEXT) + 2))


def test_what_it_remembers_does_not_grow_with_the_text() -> None:
    repetition = Repetition()
    for number in range(20_000):
        repetition.take(f"{hash((number, 7)):x}".translate({digit: chr(97 + digit % 26) for digit in range(48, 58)}))
    loop = repetition._letters  # pyright: ignore[reportPrivateUsage]
    assert repetition.found is None
    assert len(loop._recent) + len(loop._older) <= 2 * _LONGEST_PERIOD_LETTERS  # pyright: ignore[reportPrivateUsage]
