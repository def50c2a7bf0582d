"""Windows of sentences for a language model."""

from __future__ import annotations

from overstory.text.windows import WINDOW_SENTENCES, sentences_of, windows


def test_windows_hold_all_sentences_in_order_and_one_at_least() -> None:
    text = "Ulm is a city. " * 40 + "x" * 9_000 + ". The end."
    sentences = sentences_of([("c", text)])
    found = list(windows(sentences))
    assert [sentence for window in found for sentence in window] == sentences
    assert max(map(len, found)) == WINDOW_SENTENCES
    assert all(window for window in found)


def test_blank_sentences_are_left_out_and_count() -> None:
    assert sentences_of([("a", "One. Two."), ("b", ""), ("c", "   \n\nThree.")]) == [
        ("a", 0, "One."),
        ("a", 1, "Two."),
        ("c", 1, "Three."),
    ]
