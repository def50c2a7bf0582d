from __future__ import annotations

import io
import zipfile
from datetime import UTC, date, datetime, time
from pathlib import Path

import openpyxl
import pytest
from tests.sources import load, parts_of, write, xlsx_of, zip_of

from overstory_loaders import XlsxLoader
from overstory_loaders.xlsx import _MOST_SHEET_CELLS, _MOST_SHEET_ROWS, HIDDEN_SHEETS


def test_sheets_are_headings_and_rows_name_their_columns(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    prices = book.active
    assert prices
    prices.title = "Prices"
    for row in [
        ["Price list"],
        [],
        ["Kind", "Price", "Since", "At", "Seen"],
        ["sea salt", 2.5, date(2024, 2, 29), datetime(2024, 2, 29, 12, 30), True],  # noqa: DTZ001
        ["rock salt", 3, date(1905, 1, 1), time(8), False],
    ]:
        prices.append(row)
    hidden = book.create_sheet("Secret")
    hidden["A1"] = "in a hidden sheet"
    hidden.sheet_state = "hidden"
    book.properties.title, book.properties.creator, book.properties.keywords = "The prices", "Ada", "salt, food"
    book.properties.created = datetime(2024, 2, 29)  # noqa: DTZ001 # as openpyxl has it
    stream = io.BytesIO()
    book.save(stream)
    document = load(XlsxLoader(), write(tmp_path / "a.xlsx", stream.getvalue())).document
    assert document.text == (
        "Prices\n\nPrice list\n\n"
        "Kind: sea salt | Price: 2.5 | Since: 2024-02-29 | At: 2024-02-29T12:30:00 | Seen: true\n"
        "Kind: rock salt | Price: 3 | Since: 1905-01-01 | At: 08:00:00 | Seen: false\n\n"
        "Secret\n\nin a hidden sheet"
    )
    assert [(heading.level, heading.text) for heading in document.headings] == [(1, "Prices"), (1, "Secret")]
    assert document.title == "The prices"
    assert document.metadata["created"] == datetime(2024, 2, 29, tzinfo=UTC)
    assert (document.metadata["author"], document.metadata["keywords"]) == ("Ada", ["salt", "food"])
    assert document.metadata[HIDDEN_SHEETS] == ["Secret"]


def test_formulas_give_the_value_that_was_stored(tmp_path: Path) -> None:
    content = _with_sheet("<row r='1'><c r='A1'><f>SUM(B1:B9)</f><v>42</v></c><c r='B1'><f>1+1</f></c></row>")
    outcome = load(XlsxLoader(), write(tmp_path / "a.xlsx", content))
    assert [document.text for document in outcome.documents] == ["S\n\n42"]
    assert outcome.messages == ["sheet 'S' stores no value for 1 formula: B1"]


def test_an_empty_text_is_a_stored_value_and_only_the_first_formulas_without_one_are_shown(tmp_path: Path) -> None:
    row = "".join(f"<c r='{letter}2'><f>1+1</f><v></v></c>" for letter in "ABCDEF")
    content = _with_sheet(f"<row r='1'><c r='A1' t='str'><f>A9&amp;B9</f><v></v></c></row><row r='2'>{row}</row>")
    outcome = load(XlsxLoader(), write(tmp_path / "a.xlsx", content))
    assert outcome.messages[0] == "sheet 'S' stores no value for 6 formulas: A2, B2, C2, D2, E2, …"


def test_merged_cells_are_repeated_and_a_heading_over_several_columns_is_part_of_each_name(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet
    for row in [
        ["Region", "Sales", None],
        [None, 2023, 2024],
        ["North", 5, 6],
        [None, 7, 8],
        [],
        ["Kind", "Sold", "Left"],
        ["salt", 1, 2],
    ]:
        sheet.append(row)
    for merged in ("A1:A2", "B1:C1", "A3:A5"):
        sheet.merge_cells(merged)
    stream = io.BytesIO()
    book.save(stream)
    document = load(XlsxLoader(), write(tmp_path / "a.xlsx", stream.getvalue())).document
    assert document.text.split("\n\n")[1:] == [
        "Region: North | Sales 2023: 5 | Sales 2024: 6\nRegion: North | Sales 2023: 7 | Sales 2024: 8",
        "Kind: salt | Sold: 1 | Left: 2",
    ]


def test_styles_that_openpyxl_refuses_do_not_matter_and_dates_stay_dates(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet
    for row in [["Kind", "Since", "Left"], ["sea salt", date(2024, 2, 29), 7]]:
        sheet.append(row)
    sheet["B2"].number_format = "[Red]yyyy-mm-dd"
    stream = io.BytesIO()
    book.save(stream)
    parts = parts_of(stream.getvalue())
    styles = parts["xl/styles.xml"].replace(b"<fill>", b"<fill/><fill>", 1)
    content = zip_of({**parts, "xl/styles.xml": styles, "xl/media/image1.png": b"\x89PNG"})
    with pytest.raises(TypeError, match="Fill"):
        openpyxl.load_workbook(io.BytesIO(content), read_only=True)
    loaded = load(XlsxLoader(), write(tmp_path / "a.xlsx", content))
    assert loaded.document.text == "Sheet\n\nKind: sea salt | Since: 2024-02-29 | Left: 7"
    assert not loaded.broken


@pytest.mark.parametrize(
    "row",
    [f"<row r='{_MOST_SHEET_ROWS}000'><c r='A1'><v>1</v></c></row>", "<row><c r='ZZZ1'><v>1</v></c></row>" * 1_200],
)
def test_a_sheet_that_would_never_end_is_refused(tmp_path: Path, row: str) -> None:
    outcome = load(XlsxLoader(), write(tmp_path / "a.xlsx", _with_sheet(row)))
    assert outcome.messages == [
        f"has more than {_MOST_SHEET_ROWS:,} rows in its sheet 'S', or {_MOST_SHEET_CELLS:,} cells in all"
    ]


def test_a_sheet_that_breaks_off_is_reported_and_the_others_are_kept(tmp_path: Path) -> None:
    content = _with_sheet("<row><c><v>1</v></c></row>" * 9_000 + "<row", and_after=[["kept", "too"]])
    outcome = load(XlsxLoader(), write(tmp_path / "a.xlsx", content))
    (document,) = outcome.documents
    assert document.text.startswith("S\n\n1\n1\n")
    assert document.text.endswith("\n\nT\n\nkept: too")
    assert len(outcome.messages) == 1
    assert outcome.messages[0].startswith("sheet 'S' cannot be read further: ParseError")


def _with_sheet(rows: str, *, and_after: list[list[str]] | None = None) -> bytes:
    """A workbook whose first sheet is replaced with these rows."""
    whole = io.BytesIO(xlsx_of(S=[["x"]], **({} if and_after is None else {"T": and_after})))
    stream = io.BytesIO()
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in old.namelist():
            markup = old.read(name)
            if name.endswith("sheet1.xml"):
                main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
                markup = (
                    f'<worksheet xmlns="{main}"><dimension ref="A1"/><sheetData>{rows}</sheetData></worksheet>'.encode()
                )
            archive.writestr(name, markup)
    return stream.getvalue()
