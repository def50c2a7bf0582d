from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from itertools import chain, repeat

import pytest

from overstory.model import Document
from overstory.text.chunks import split
from overstory_loaders.blocks import join_blocks
from overstory_loaders.table_text import _ROWS_SEEN_FOR_A_HEADER, Covered, cell_text, row_line, table_blocks

HEADER = ("Kind", "Price", "Since")


def text_of(rows: Sequence[Sequence[object]], *, header_rows: int | None = None) -> str:
    return join_blocks(table_blocks(rows, header_rows=header_rows)).text


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ([HEADER, ("salt", 2, None), ("", 3, "May")], "Kind: salt | Price: 2\nPrice: 3 | Since: May"),
        # captions above, and a part below a blank row that goes on
        (
            [("Prices",), (), HEADER, ("salt", 2, 1905), (None, ""), ("rock", 3, 1906)],
            "Prices\n\nKind: salt | Price: 2 | Since: 1905\n\nKind: rock | Price: 3 | Since: 1906",
        ),
        # rows of words above: the header is what numbers stand right below
        ([("a", "b", "c"), HEADER, ("salt", 2, 3)], "a, b, c\nKind: salt | Price: 2 | Since: 3"),
        # a corner: the first row names the columns, though it has numbers or the values are words
        ([("", "Owner"), ("salt", "Ada"), ("iron", "Bob")], "salt | Owner: Ada\niron | Owner: Bob"),
        ([(None, 2023, 2024), ("salt", 2, 3), ("iron", 4, 5)], "salt | 2023: 2 | 2024: 3\niron | 2023: 4 | 2024: 5"),
        # names and values: no header
        ([("Name", "Ada"), ("Born", 1815), ("City", "London")], "Name: Ada\nBorn: 1815\nCity: London"),
        ([("Name", "Age"), ("Ada", 36), ("Bob", 5)], "Name: Ada | Age: 36\nName: Bob | Age: 5"),
        # a caption within the table, and a column without a name
        (
            [("Kind", "", "Since", "Sold"), ("salt", "x", 1, 2), ("Others",), ("rock", "", 3, 4)],
            "Kind: salt | x | Since: 1 | Sold: 2\nOthers\nKind: rock | Since: 3 | Sold: 4",
        ),
        # two columns of one name
        ([("a", "a", "b"), (1, 2, 3)], "a (A): 1 | a (B): 2 | b: 3"),
        # equal names below a row that tells them apart, or below a cell over several columns
        (
            [("", "North", "", "South", ""), ("Kind", "Sold", "Left", "Sold", "Left"), ("salt", 1, 2, 3, 4)],
            "Kind: salt | North Sold: 1 | North Left: 2 | South Sold: 3 | South Left: 4",
        ),
        (
            [("Land", "Sold", Covered("Sold")), ("", "Plan", "Fact"), ("Oslo", "a", "b"), ("Wien", "c", "d")],
            "Land: Oslo | Sold Plan: a | Sold Fact: b\nLand: Wien | Sold Plan: c | Sold Fact: d",
        ),
        # names of empty columns, and of rows that are captions
        ([HEADER, ("salt", 2, ""), ("rock", 3, None)], "Since\nKind: salt | Price: 2\nKind: rock | Price: 3"),
        ([HEADER, ("Sea",), ("Rock",)], "Kind | Price | Since\nSea\nRock"),
        # a cell alone in its row keeps its column; without names, letters do
        ([HEADER, ("salt", 2, 3), ("", "", 9)], "Kind: salt | Price: 2 | Since: 3\nSince: 9"),
        ([(1, 2, None, 4), (5, None, None, 8)], "A: 1 | B: 2 | D: 4\nA: 5 | D: 8"),
        ([(None, 1, 2, 3), (None, 4, 5, 6)], "1, 2, 3\n4, 5, 6"),
        # a column of colons, names with colons above their values, and an empty row below the names
        ([("Net", ":", 500), ("Paid", ":", "no")], "Net: 500\nPaid: no"),
        ([("No.:", "Doc.:", "Rev."), (7, 8, "A")], "No.: 7 | Doc.: 8 | Rev.: A"),
        (
            [HEADER, (), ("salt", 2, 3), ("rock", 4, 5)],
            "Kind, Price, Since\n\nKind: salt | Price: 2 | Since: 3\nKind: rock | Price: 4 | Since: 5",
        ),
        ([("Year", "Sea Salt"), (2019, 120), (2020, 135)], "Year: 2019 | Sea Salt: 120\nYear: 2020 | Sea Salt: 135"),
        # sums below a table, and pairs above it
        (
            [("Item", "Price", "Sum"), ("salt", 2, 4), ("rock", 1, 3), (), ("", "Net", 7), ("", "VAT", 1)],
            "Item: salt | Price: 2 | Sum: 4\nItem: rock | Price: 1 | Sum: 3\n\nNet: 7\nVAT: 1",
        ),
        ([("To", "Ada Byron"), HEADER, ("salt", 2, 3)], "To: Ada Byron\nKind: salt | Price: 2 | Since: 3"),
        ([("To:", "Ada", "From:", "Bo"), ("At:", "Oslo", "On:", 3)], "To: Ada, From: Bo\nAt: Oslo, On: 3"),
        # numbers, no rows below: no header
        ([(1, 2, 3), (4, 5, 6)], "1, 2, 3\n4, 5, 6"),
        ([HEADER], "Kind, Price, Since"),
        ([("x" * 101, "b", "c"), (1, 2, 3)], f"{'x' * 101}, b, c\n1, 2, 3"),
        # a wider part has no use for the names
        ([HEADER, ("a", 1, 2), (), (1, 2, 3, 4)], "Kind: a | Price: 1 | Since: 2\n\n1, 2, 3, 4"),
        ([], ""),
        ([(None, ""), ()], ""),
    ],
)
def test_each_cell_has_the_name_of_its_column_if_there_is_one(rows: list[tuple[object, ...]], text: str) -> None:
    assert text_of(rows) == text


@pytest.mark.parametrize(("header_rows", "text"), [(1, "Name: Ada | Home: London"), (0, "Name: Home\nAda: London")])
def test_a_format_that_marks_headers_is_believed(header_rows: int, text: str) -> None:
    assert text_of([("Name", "Home"), ("Ada", "London")], header_rows=header_rows) == text


def test_rows_are_read_as_they_are_needed() -> None:
    read = 0

    def rows() -> object:
        nonlocal read
        for row in chain([HEADER], repeat(("salt", 2, 3))):
            read += 1
            yield row

    blocks = table_blocks(rows())  # type: ignore[arg-type] # an iterator without end
    assert next(blocks).text == "Kind: salt | Price: 2 | Since: 3"
    assert read <= _ROWS_SEEN_FOR_A_HEADER + 2


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("sea\n salt ", "sea salt"),
        (True, "true"),
        (3.0, "3"),
        (0.1 + 0.2, "0.3"),
        (1e300, "1e+300"),
        (float("nan"), "nan"),
        (datetime(2024, 2, 29), "2024-02-29"),  # noqa: DTZ001 # spreadsheets have no time zones
        (datetime(2024, 2, 29, 12, 30), "2024-02-29T12:30:00"),  # noqa: DTZ001
        (datetime(2024, 2, 29, tzinfo=UTC), "2024-02-29T00:00:00+00:00"),
        (date(2024, 2, 29), "2024-02-29"),
        (time(12, 30), "12:30:00"),
        (timedelta(hours=26, seconds=5), "26:00:05"),
        (timedelta(hours=-1), "-1:00:00"),
    ],
)
def test_cells_are_one_line_each(cell: object, text: str) -> None:
    assert cell_text(cell) == text
    assert row_line([None, cell]) == text


def test_every_piece_of_a_long_table_has_the_names_of_its_columns() -> None:
    rows = [HEADER, *((f"salt of sea {number}", number, 1900 + number % 100) for number in range(200))]
    text = join_blocks(table_blocks(rows)).text
    pieces = split(Document("table", "", text), lambda texts: [len(each.split()) for each in texts], 60)
    assert len(pieces) > 10
    for piece in pieces:
        lines = piece.text.strip().split("\n")
        assert all(line.startswith("Kind: salt of sea ") and " | Since: 19" in line for line in lines if line)
