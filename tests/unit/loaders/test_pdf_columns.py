"""Pages with two columns that are drawn row by row."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import pypdf
import pytest
from pypdf.generic import DictionaryObject, NameObject, StreamObject
from tests.sources import load, write

from overstory_loaders import PdfLoader

LEFT = [
    "The kiln in Aarhus was built in",
    "eighteen ninety by two brothers",
    "who had learned their trade in",
    "the north. It burned beech wood",
    "until the war, and coal later.",
    "After the fire of nineteen ten",
    "the tower was raised by a third",
    "and the town bought both houses",
    "of the brothers.",
]
RIGHT = [
    "The harbour master kept a diary",
    "of every ship that brought clay",
    "or took bricks away. It names a",
    "hundred captains, and tells who",
    "of them paid late. The last line",
    "was written in the winter that",
    "closed the port for ever, when",
    "the ice stood as high as a man",
    "and nobody came.",
]
ROWS = list(zip(LEFT, RIGHT, strict=True))


def page_of(pieces: Sequence[tuple[float, float, str]]) -> bytes:
    """A PDF with texts at positions, drawn in this order."""
    writer = pypdf.PdfWriter()
    page = writer.add_blank_page(600, 800)
    font = DictionaryObject(
        {NameObject(key): NameObject(f"/{value}") for key, value in (("/Type", "Font"), ("/Subtype", "Type1"))}
    )
    font[NameObject("/BaseFont")] = NameObject("/Helvetica")
    fonts = DictionaryObject({NameObject("/F1"): font})
    page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
    contents = StreamObject()
    contents.set_data(
        ("BT /F1 10 Tf\n" + "\n".join(f"1 0 0 1 {x} {y} Tm ({text}) Tj" for x, y, text in pieces) + "\nET").encode()
    )
    page[NameObject("/Contents")] = contents
    stream = io.BytesIO()
    writer.write(stream)
    return stream.getvalue()


def read(folder: Path, pieces: Sequence[tuple[float, float, str]]) -> str:
    return load(PdfLoader(), write(folder / "a.pdf", page_of(pieces))).document.text


def by_rows(rows: Sequence[tuple[str, str]], right: float = 320) -> list[tuple[float, float, str]]:
    return [
        (x, 700 - 14 * number, text)
        for number, row in enumerate(rows)
        for x, text in zip((50, right), row, strict=True)
        if text
    ]


def test_two_columns_are_read_one_after_the_other(tmp_path: Path) -> None:
    assert read(tmp_path, by_rows(ROWS)) == "\n".join([*LEFT, *RIGHT])


def test_lines_across_both_columns_stay_between_them(tmp_path: Path) -> None:
    title = "A short history of the kiln in Aarhus and of the harbour, from the beginning to the end"
    rows = [(title, ""), *ROWS, (title.replace("short", "long"), ""), *ROWS[:-1], (LEFT[-1], "")]
    assert read(tmp_path, by_rows(rows)).split("\n") == [
        title, *LEFT, *RIGHT, title.replace("short", "long"), *LEFT, *RIGHT[:-1]
    ]  # fmt: skip


def test_columns_may_be_drawn_word_by_word(tmp_path: Path) -> None:
    pieces: list[tuple[float, float, str]] = []
    for x, y, line in by_rows(ROWS, right=301):
        for word in line.split():
            pieces.append((x, y, f"{word} "))
            x += 6 * len(word)
    assert read(tmp_path, pieces) == "\n".join([*LEFT, *RIGHT])


@pytest.mark.parametrize(
    "rows",
    [
        [(f"Item number {n} of the long list", f"It costs {n} euro a month in Aarhus") for n in range(12)],
        [(f"a{n}", line) for n, line in enumerate(RIGHT)],
        ROWS[:5],
    ],
    ids=["table", "short cells", "few rows"],
)
def test_tables_are_read_row_by_row(tmp_path: Path, rows: list[tuple[str, str]]) -> None:
    assert read(tmp_path, by_rows(rows)) == "\n".join(f"{left} {right}" for left, right in rows)
