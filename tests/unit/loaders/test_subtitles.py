from __future__ import annotations

from pathlib import Path

import pytest
from tests.sources import load, write

from overstory_loaders import SubtitleLoader

SRT = """\ufeff1
00:00:01,000 --> 00:00:03,500 X1:1
<i>Salt</i> is
{\\an8}good.

2
00:00:04,000 --> 00:00:06,000
It is <font color="red">old</font>, too.

3
01:02:03,000 --> 01:02:05,000
Later.
"""

VTT = """WEBVTT - A talk

STYLE
::cue { color: red }

NOTE nobody reads
this

intro
00:01.000 --> 00:03.000 align:start
<v.loud Ada>Salt &amp; pepper <00:02.000><c>rise</c>

00:03.000 --> 00:05.000
Salt &amp; pepper rise
in price
"""


@pytest.mark.parametrize(
    ("name", "content", "text", "metadata"),
    [
        (
            "film.en.srt",
            SRT,
            "[00:00:01] Salt is good. It is old, too.\n\n[01:02:03] Later.",
            {"language": "en", "seconds": 3725.0},
        ),
        ("film.pt-BR.srt", SRT.replace("\n", "\r\n"), None, {"language": "pt-BR", "seconds": 3725.0}),
        ("film.vtt", VTT, "[00:00:01] Ada: Salt & pepper rise Salt & pepper rise in price", {"seconds": 5.0}),
    ],
)
def test_what_is_said_stands_in_paragraphs_with_their_times(
    tmp_path: Path, name: str, content: str, text: str | None, metadata: dict[str, object]
) -> None:
    document = load(SubtitleLoader(), write(tmp_path / name, content)).document
    assert text in (None, document.text)
    assert document.title == "film"
    assert document.metadata == metadata


def test_lines_that_scroll_are_said_once_and_long_talk_is_parted_at_sentences(tmp_path: Path) -> None:
    lines = [f"This is the sentence number {number}." for number in range(60)]
    cues = [
        f"{number // 60:02}:{number % 60:02}.000 --> {number // 60:02}:{number % 60:02}.900\n{before}\n{line}"
        for number, (before, line) in enumerate(zip(["", *lines], lines, strict=False))
    ]
    outcome = load(SubtitleLoader(), write(tmp_path / "a.vtt", "WEBVTT\n\n" + "\n\n".join(cues)))
    (document,) = outcome.documents
    assert outcome.messages == ["1 block left out for lack of a time; the first one: 'This is the sentence number 0.'"]
    paragraphs = document.text.split("\n\n")
    assert len(paragraphs) == 5
    assert all(each.endswith(".") for each in paragraphs)
    assert " ".join(each.partition("] ")[2] for each in paragraphs) == " ".join(lines)
