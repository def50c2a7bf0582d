"""Windows of sentences for a language model."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from overstory.text.windows import _WINDOW_CHARACTERS, WINDOW_SENTENCES, ChunkSentence, sentences_of, windows


def test_windows_hold_all_sentences_in_order_and_one_at_least() -> None:
    text = "Ulm is a city. " * 40 + "x" * 9_000 + ". The end."
    sentences = sentences_of([("c", text)])
    found = list(windows(sentences))
    assert [sentence for window in found for sentence in window] == sentences
    assert max(map(len, found)) == WINDOW_SENTENCES
    assert all(window for window in found)


@given(st.lists(st.integers(1, 4_000), max_size=60), st.integers(0, 20))
def test_windows_that_overlap_begin_with_the_end_of_the_one_before(lengths: list[int], overlap: int) -> None:
    sentences = [ChunkSentence("c", seq, "x" * length) for seq, length in enumerate(lengths)]
    found = list(windows(sentences, overlap=overlap))
    assert [each for each, _ in itertools.groupby(sorted(each.seq for window in found for each in window))] == list(
        range(len(lengths))
    )
    for window, following in itertools.pairwise(found):
        repeated = window[-1].seq - following[0].seq + 1
        assert 0 <= repeated <= overlap
        assert following[repeated].seq == window[-1].seq + 1  # something new
        assert sum(len(each.text) for each in following[:-1]) <= _WINDOW_CHARACTERS


def test_blank_sentences_are_left_out_and_count() -> None:
    assert sentences_of([("a", "One. Two."), ("b", ""), ("c", "   \n\nThree.")]) == [
        ("a", 0, "One."),
        ("a", 1, "Two."),
        ("c", 1, "Three."),
    ]
