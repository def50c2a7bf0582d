"""The same tables in each format: names and values become pairs, and no name of a column is lost."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

import docx
import pptx
import pytest
from pptx.util import Inches
from tests.sources import load, odf_of, write, xlsx_of

from overstory.sources.loader_catalogue import catalogue

Rows = Sequence[Sequence[object]]


def _csv(rows: Rows) -> str:
    return "".join(";".join(map(str, row)) + "\n" for row in rows)


def _docx(rows: Rows) -> bytes:
    word = docx.Document()
    table = word.add_table(rows=len(rows), cols=len(rows[0]))
    for number, row in enumerate(rows):
        for place, cell in enumerate(row):
            table.cell(number, place).text = str(cell)
    stream = io.BytesIO()
    word.save(stream)
    return stream.getvalue()


def _pptx(rows: Rows) -> bytes:
    show = pptx.Presentation()
    shapes = show.slides.add_slide(show.slide_layouts[6]).shapes
    table = shapes.add_table(len(rows), len(rows[0]), *[Inches(1)] * 4).table
    for number, row in enumerate(rows):
        for place, cell in enumerate(row):
            table.cell(number, place).text = str(cell)
    stream = io.BytesIO()
    show.save(stream)
    return stream.getvalue()


def _odf_table(rows: Rows) -> str:
    lines = (
        "".join(f"<table:table-cell><text:p>{cell}</text:p></table:table-cell>" for cell in map(escape, map(str, row)))
        for row in rows
    )
    return f"<table:table>{''.join(f'<table:table-row>{line}</table:table-row>' for line in lines)}</table:table>"


def _odt(rows: Rows) -> bytes:
    return odf_of(f"<office:text>{_odf_table(rows)}</office:text>")


def _ods(rows: Rows) -> bytes:
    return odf_of(f"<office:spreadsheet>{_odf_table(rows)}</office:spreadsheet>", kind="spreadsheet")


def _html(rows: Rows) -> str:
    lines = ("".join(f"<td>{cell}</td>" for cell in row) for row in rows)
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


def _rst(rows: Rows) -> str:
    items = ("".join(f"   {'  ' if place else '* '}- {cell}\n" for place, cell in enumerate(row)) for row in rows)
    return f".. list-table::\n\n{''.join(items)}"


WRITERS: dict[str, Callable[[Rows], str | bytes]] = {
    "csv": _csv,
    "docx": _docx,
    "html": _html,
    "ods": _ods,
    "odt": _odt,
    "pptx": _pptx,
    "rst": _rst,
    "xlsx": lambda rows: xlsx_of(Sheet=rows),
}
PAIRS = [
    [("Customer", "Ada Byron"), ("Net", 500), ("VAT", 95), ("Total", 595)],
    [("Tenant", "Mira Toft"), ("Rent", 840), ("Deposit", 1680)],
    [("Weight", "12 kg"), ("Voltage", "230 V"), ("Maker", "Rivet & Sons")],
    [("Kunde:", "Weiß"), ("Netto:", 500), ("MwSt.:", 95)],
    [(f"Setting {number}", ("on", 7, "2024-02-29")[number % 3]) for number in range(20)],
]


def _text(kind: str, rows: Rows, folder: Path) -> str:
    path = write(folder / f"table.{kind}", WRITERS[kind](rows))
    loader = catalogue().recognising(str(path))
    assert loader
    return load(loader, path).document.text


@pytest.mark.parametrize("rows", PAIRS, ids=lambda rows: str(rows[0][0]))
@pytest.mark.parametrize("kind", sorted(WRITERS))
def test_names_and_values_become_pairs(kind: str, rows: Rows, tmp_path: Path) -> None:
    lines = [f"{str(name).rstrip(':')}: {value}" for name, value in rows]
    assert _text(kind, rows, tmp_path).split("\n")[-len(rows) :] == lines


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        ([("Product", "Price"), ("Brick", 2.5), ("Tile", 1.5)], "Product: Tile | Price: 1.5"),
        ([("Year", "Event"), (1990, "Founding"), (1995, "Fire")], "Year: 1995 | Event: Fire"),
        ([("name", "role"), ("Ada", "Clerk"), ("Bo", "Baker")], "name: Bo | role: Baker"),
        ([("", "Owner"), ("salt", "Ada"), ("iron", "Bo")], "iron | Owner: Bo"),
        ([("Kind", "Sold", "Left"), ("salt", 4, 2), ("iron", 3, 5)], "Kind: iron | Sold: 3 | Left: 5"),
    ],
)
@pytest.mark.parametrize("kind", sorted(WRITERS.keys() - {"html", "rst"}))  # in these, only a marked header is one
def test_a_real_header_and_a_matrix_stay_what_they_are(kind: str, rows: Rows, line: str, tmp_path: Path) -> None:
    assert _text(kind, rows, tmp_path).split("\n")[-1] == line


@pytest.mark.parametrize("kind", sorted(WRITERS))
def test_no_name_of_a_column_is_lost(kind: str, tmp_path: Path) -> None:
    text = _text(kind, [("Kind", "Sold", "Remarks"), ("salt", 4, ""), ("iron", 3, "")], tmp_path)
    assert text.count("Remarks") == 1
    text = _text(kind, [("Goal", "Owner", "Due"), ("Status open", "", ""), ("Plan drawn", "", "")], tmp_path)
    assert all(word in text for word in ("Goal", "Owner", "Due", "Status open", "Plan drawn"))


@pytest.mark.parametrize("kind", sorted(WRITERS.keys() - {"html", "rst"}))
def test_columns_with_equal_names_are_told_apart_by_their_letters(kind: str, tmp_path: Path) -> None:
    text = _text(kind, [("Item", "Units", "Price", "Units"), ("Brick", 5, 2.5, 7), ("Slab", "", "", 4)], tmp_path)
    assert text.endswith("Item: Brick | Units (B): 5 | Price: 2.5 | Units (D): 7\nItem: Slab | Units (D): 4")
