from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.sources import load, odf_of, write

from overstory.model.metadata import PAGE_STARTS
from overstory_loaders import OdfLoader
from overstory_loaders.odf import _MOST_REPEATED_CELLS
from overstory_loaders.xlsx import HIDDEN_SHEETS

TEXT = """<office:text>
<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes>
<text:p text:style-name="P1">The Report</text:p>
<text:table-of-content><text:p>Contents</text:p></text:table-of-content>
<text:h text:outline-level="2">Salt<text:note><text:note-citation>1</text:note-citation>
<text:note-body><text:p>a note</text:p></text:note-body></text:note></text:h>
<text:p>a<text:s text:c="2"/>b<text:tab/>c<text:line-break/>d <text:span>in a span</text:span><draw:frame>
<draw:text-box><text:p>in a box</text:p></draw:text-box></draw:frame></text:p>
<text:list><text:list-item><text:p>one</text:p></text:list-item><text:list-item><text:p>two</text:p>
<text:list><text:list-item><text:p>deeper</text:p></text:list-item></text:list></text:list-item></text:list>
<table:table><table:table-header-rows><table:table-row><table:table-cell><text:p>Kind</text:p></table:table-cell>
<table:table-cell><text:p>Home</text:p></table:table-cell></table:table-row></table:table-header-rows>
<table:table-row><table:table-cell><text:p>sea</text:p><text:p>salt</text:p></table:table-cell>
<table:table-cell><text:p>Oslo</text:p></table:table-cell></table:table-row></table:table>
</office:text>"""


def test_a_text_has_its_headings_lists_and_tables_and_notes(tmp_path: Path) -> None:
    styles = '<style:style style:name="P1" style:parent-style-name="Title"/>'
    meta = (
        "<dc:title/><meta:initial-creator>Ada</meta:initial-creator><dc:date>2024-02-29T12:00:00.123456789</dc:date>"
        "<meta:keyword>salt</meta:keyword><meta:keyword>sea, food</meta:keyword><dc:language>en-GB</dc:language>"
        '<meta:user-defined meta:name="Pages" meta:value-type="float">12</meta:user-defined>'
    )
    document = load(OdfLoader(), write(tmp_path / "a.odt", odf_of(TEXT, styles=styles, meta=meta))).document
    assert document.text == (
        "The Report\n\nSalt\nNote: a note\n\na  b\tc\nd in a span\n\nin a box\n\n"
        "one\ntwo\n    deeper\n\nKind: sea salt | Home: Oslo"
    )
    assert [(heading.level, heading.text) for heading in document.headings] == [(1, "The Report"), (2, "Salt")]
    assert document.title == "The Report"
    assert document.metadata == {
        "author": "Ada",
        "modified": datetime(2024, 2, 29, 12, 0, 0, 123456, tzinfo=UTC),
        "keywords": ["salt", "sea", "food"],
        "language": "en-GB",
        "Pages": 12,
    }


def test_notes_stand_below_the_paragraph_the_item_or_the_table_that_refers_to_them(tmp_path: Path) -> None:
    def note(text: str) -> str:
        body = f"<text:note-body><text:p>{text}</text:p></text:note-body>"
        return f"<text:span><text:note><text:note-citation>1</text:note-citation>{body}</text:note></text:span>"

    def cells(*texts: str) -> str:
        inside = "".join(f"<table:table-cell><text:p>{each}</text:p></table:table-cell>" for each in texts)
        return f"<table:table-row>{inside}</table:table-row>"

    table = f"<table:table>{cells('Kind', 'Price')}{cells('sea' + note('Of Brell.'), '2.5')}</table:table>"
    items = "".join(f"<text:list-item><text:p>{each}</text:p></text:list-item>" for each in ("one" + note("a"), "two"))
    body = f"<text:p>Salt{note('Mined.')} was sold.{note('Dear.')}</text:p>{table}<text:list>{items}</text:list>"
    content = odf_of(f"<office:text>{body}</office:text>")
    assert load(OdfLoader(), write(tmp_path / "a.odt", content)).document.text == (
        "Salt was sold.\nNote: Mined.\nNote: Dear.\n\nKind: sea | Price: 2.5\nNote: Of Brell.\n\none\nNote: a\ntwo"
    )


def test_items_of_lists_in_lists_are_indented_below_theirs(tmp_path: Path) -> None:
    def items(*inside: str) -> str:
        return f"<text:list>{''.join(f'<text:list-item>{each}</text:list-item>' for each in inside)}</text:list>"

    salt = "<text:p>salt</text:p>" + items("<text:p>sea</text:p>" + items("<text:p>of Brell</text:p>"), "rock")
    text = items(salt.replace("rock", "<text:p>rock</text:p>"), "<text:p>pepper</text:p>", "<text:h>Oils</text:h>")
    lone = items(items("<text:p>alone</text:p>"))
    content = odf_of(f"<office:text>{text}<text:p>End.</text:p>{lone}</office:text>")
    document = load(OdfLoader(), write(tmp_path / "a.odt", content)).document
    assert document.text == ("salt\n    sea\n        of Brell\n    rock\npepper\nOils\n\nEnd.\n\nalone")
    assert [heading.text for heading in document.headings] == ["Oils"]


SHEETS = """<office:spreadsheet><table:table table:name="Prices"><table:table-column/>
<table:table-row><table:table-cell><text:p>Kind</text:p></table:table-cell><table:table-cell><text:p>Price</text:p>
<office:annotation><text:p>a comment</text:p></office:annotation></table:table-cell>
<table:table-cell><text:p>Since</text:p></table:table-cell><table:table-cell><text:p>Time</text:p></table:table-cell>
</table:table-row>
<table:table-row table:number-rows-repeated="2"><table:table-cell><text:p>salt</text:p></table:table-cell>
<table:table-cell office:value-type="float" office:value="2.50"><text:p>2,50</text:p></table:table-cell>
<table:table-cell office:value-type="date" office:date-value="2024-02-29"><text:p>29.02.24</text:p></table:table-cell>
<table:table-cell office:value-type="time" office:time-value="PT08H30M00S"><text:p>8:30</text:p></table:table-cell>
<table:table-cell table:number-columns-repeated="16380"/></table:table-row>
<table:table-row table:number-rows-repeated="1048573"><table:table-cell table:number-columns-repeated="16384"/>
</table:table-row></table:table>
<table:table table:name="Secret" table:style-name="ta2"><table:table-row>
<table:table-cell office:value-type="boolean" office:boolean-value="true"/></table:table-row></table:table>
</office:spreadsheet>"""


def test_a_spreadsheet_has_a_heading_per_sheet_and_values_not_their_looks(tmp_path: Path) -> None:
    styles = '<style:style style:name="ta2"><style:table-properties table:display="false"/></style:style>'
    document = load(OdfLoader(), write(tmp_path / "a.ods", odf_of(SHEETS, styles=styles))).document
    row = "Kind: salt | Price: 2.5 | Since: 2024-02-29 | Time: 8:30:00"
    assert document.text == f"Prices\n\n{row}\n{row}\n\nSecret\n\ntrue"
    assert [heading.text for heading in document.headings] == ["Prices", "Secret"]
    assert document.metadata == {HIDDEN_SHEETS: ["Secret"]}
    assert document.title == "a"


SLIDES = """<office:presentation><draw:page>
<draw:frame presentation:class="title"><draw:text-box><text:p>Salt</text:p></draw:text-box></draw:frame>
<draw:frame><draw:text-box><text:p>from the sea</text:p></draw:text-box></draw:frame><presentation:notes>
<draw:frame presentation:class="page-number"><draw:text-box><text:p>1</text:p></draw:text-box></draw:frame>
<draw:frame><draw:text-box><text:p>Say hello.</text:p></draw:text-box></draw:frame></presentation:notes></draw:page>
<draw:page><draw:g><draw:frame><draw:text-box><text:p>in a group</text:p></draw:text-box></draw:frame></draw:g>
</draw:page></office:presentation>"""


def test_a_presentation_has_a_page_per_slide(tmp_path: Path) -> None:
    document = load(OdfLoader(), write(tmp_path / "a.odp", odf_of(SLIDES))).document
    assert document.text == "Salt\n\nfrom the sea\n\nNotes: Say hello.\n\nSlide 2\n\nin a group"
    assert document.metadata == {"pages": 2, PAGE_STARTS: [0, document.text.index("Slide 2")]}
    assert document.title == "Salt"


def _sheet(row: str, cell: str, text: str) -> str:
    cells = f"<table:table-cell {cell}><text:p>{text}</text:p></table:table-cell>"
    table = f"<table:table><table:table-row {row}>{cells}</table:table-row></table:table>"
    return f"<office:spreadsheet>{table}</office:spreadsheet>"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            _sheet("", "table:number-columns-repeated='999999999'", "x"),
            f"has a row of more than {_MOST_REPEATED_CELLS:,} cells",
        ),
        (
            _sheet("table:number-rows-repeated='999999999'", "", "x" * 9_999),
            "has more than 64 MiB of text, too much to read at once",
        ),
        ("<office:text>" + "<text:section>" * 300, "content.xml: nests elements more than 250 deep"),
    ],
)
def test_what_a_file_repeats_for_ever_is_refused(tmp_path: Path, body: str, message: str) -> None:
    assert load(OdfLoader(), write(tmp_path / "a.ods", odf_of(body))).messages == [message]
