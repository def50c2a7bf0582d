from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overstory.text.sentences import sentence_at, sentence_starts


def sentences(text: str) -> list[str]:
    return [text[s:e] for s, e in pairwise([*sentence_starts(text), len(text)])]


@pytest.mark.parametrize(
    "expected",
    [
        ["Mr. Smith met Dr. Who. ", "He left."],
        ["He lives in the U.S. ", "The army is there."],
        ["He joined the U.S. Army in 1990. ", "She did not."],
        ["It was written by J. R. R. Tolkien in 1937. ", "It sold well."],
        ["It costs 3.50 dollars. ", "No. 5 is sold out."],
        ["He works for Apple Inc. ", "It is a firm."],
        ["Apple Inc. of Cupertino did it."],
        ['"Go!" he said. ', '"Stop." ', "She stopped."],
        ["“Who?” he asked. ", "(Nobody knew.) ", "He left."],
        ["Really?! ", "Yes… ", "Well."],
        ["Yahoo! is a firm."],
        ["He was born c. 1900 in Rome. ", "He died there."],
        ["The meeting is at 5 p.m. ", "It is long."],
        ["See Fig. 3 and pp. 4-5. ", "Then go on."],
        ["World War I. ", "The war ended."],
        ["Heading\n\n", "Text below.\n\n\n", "More."],
        ["A list:\n", "- one\n", "- two\n", "1. three"],
        ["A line that\nwas wrapped. ", "Another."],
        ["北京是首都。", "上海很大！", "是吗？"],
        ["No end"],
        [""],
    ],
)
def test_sentences(expected: list[str]) -> None:
    assert sentences("".join(expected)) == expected


@given(st.text(alphabet="Ab. !?\n\"'”。-1", max_size=60))
def test_sentences_tile_the_text(text: str) -> None:
    starts = sentence_starts(text)
    assert starts[0] == 0
    assert starts == sorted(set(starts))
    assert "".join(sentences(text)) == text
    assert all(not text[start].isspace() for start in starts[1:])


def test_a_sentence_is_taken_by_its_number_on_one_line() -> None:
    text = "It rained\nin Ulm. The end. "
    starts = sentence_starts(text)
    assert [sentence_at(text, starts, number) for number in (0, 1, 7)] == ["It rained in Ulm.", "The end.", "The end."]


def test_a_megabyte_without_an_end_is_read_in_one_go() -> None:
    assert sentence_starts("word, " * 200_000) == [0]
    assert len(sentence_starts("Hi. " * 100_000)) == 100_000
