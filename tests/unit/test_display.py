"""Display of parts of texts."""

from __future__ import annotations

import pytest

from overstory.display import Html, about, around, html_pieces, html_table, pieces

LICENCE = "This program is free software and you can redistribute it. " * 10


@pytest.mark.parametrize(
    ("text", "phrase", "width", "expected"),
    [
        ("Born in\nUlm.", "ulm", 40, "Born in Ulm."),
        ("one two three four five six", "four", 16, "… three four five …"),
        ("one two three four five six", "one", 12, "one two …"),
        ("one two three four five six", "six", 12, "… five six"),
        ("one two three four five six", "none", 12, "one two …"),
        ("x" * 50, "y", 10, "x" * 10 + " …"),
        ("", "y", 10, ""),
        ("x" * 50 + "four" + "x" * 50, "four", 10, "x" * 50 + "four …"),
    ],
)
def test_a_sentence_is_cut_around_a_name(text: str, phrase: str, width: int, expected: str) -> None:
    assert around(text, phrase, width) == expected


def test_a_licence_that_runs_on_is_cut_to_a_line_or_two() -> None:
    assert len(around(LICENCE * 1_000, "redistribute")) < 170


def test_a_text_is_cut_where_marks_begin_and_end() -> None:
    text = "Ulm? Einstein was born."
    spans = ((0, 3), (5, 13), (18, 22))
    cut = pieces(text, spans, (5, 23), stop=23)
    assert "".join(piece.text for piece in cut) == text
    assert [piece.text for piece in cut if piece.word] == ["Ulm", "Einstein", "born"]
    assert "".join(piece.text for piece in cut if piece.sentence) == "Einstein was born."
    middle = pieces(text, spans, (5, 23), start=8, stop=20)
    assert [(piece.text, piece.word) for piece in middle] == [("stein", True), (" was ", False), ("bo", True)]
    assert pieces("", (), None, stop=0) == []


def test_a_notebook_gets_marks_and_everything_else_escaped() -> None:
    text = "<b>Ulm</b> & \x1bBern."
    shown = html_pieces(pieces(text, ((3, 6),), (0, len(text)), stop=len(text)))
    assert shown == "<u>&lt;b&gt;<mark>Ulm</mark>&lt;/b&gt; &amp; Bern.</u>"
    table = html_table("<q>", ["<h>"], [["<i>\x1b"], [Html("<mark>x</mark>")]], ["<n>"])
    assert table.count("<mark>") == 1
    for escaped in ("&lt;q&gt;", "&lt;h&gt;", "&lt;i&gt;</td>", "&lt;n&gt;"):
        assert escaped in table


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.2, "5 s"),
        (22, "20 s"),
        (57, "55 s"),
        (58, "1 min"),
        (239, "4 min"),
        (570, "10 min"),
        (1_330, "20 min"),
        (3_400, "55 min"),
        (3_500, "1 h"),
        (4_300, "1 h 10 min"),
        (35_900, "10 h"),
        (360_000, "100 h"),
    ],
)
def test_an_estimate_is_rounded(seconds: float, said: str) -> None:
    assert about(seconds) == said
