"""Office formats that are one XML file: OpenDocument, and spreadsheets of Excel 2003."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.sources import ODF, load, write

from overstory.sources.loader_catalogue import catalogue
from overstory_loaders import ExcelXmlLoader, OdfLoader, XmlLoader

PREFIXES = " ".join(
    f'xmlns:{prefix}="{ODF}{name}:1.0"'
    for prefix, name in {
        "office": "office",
        "text": "text",
        "table": "table",
        "draw": "drawing",
        "meta": "meta",
    }.items()
)


def _flat_odf(kind: str, body: str) -> str:
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<office:document {PREFIXES} xmlns:dc="http://purl.org/dc/elements/1.1/"'
        f' office:mimetype="application/vnd.oasis.opendocument.{kind}"><office:meta><dc:title>Lease</dc:title>'
        "<meta:initial-creator>Ada</meta:initial-creator></office:meta><office:master-styles><text:p>A style</text:p>"
        f"</office:master-styles><office:body>{body}</office:body></office:document>"
    )


CELLS = "<table:table-cell><text:p>{}</text:p></table:table-cell>"
ROWS = "".join(
    f"<table:table-row>{''.join(map(CELLS.format, row))}</table:table-row>"
    for row in [("Net", "500"), ("VAT", "95"), ("Note", "paid")]
)


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        (
            "a.fodt",
            _flat_odf(
                "text",
                "<office:text><text:p>The tenant is Mira Toft.<draw:frame><draw:image><office:binary-data>aGVsbG8="
                "</office:binary-data></draw:image></draw:frame></text:p></office:text>",
            ),
            "The tenant is Mira Toft.",
        ),
        (
            "a.fods",
            _flat_odf(
                "spreadsheet",
                f'<office:spreadsheet><table:table table:name="Bill">{ROWS}</table:table></office:spreadsheet>',
            ),
            "Bill\n\nNet: 500\nVAT: 95\nNote: paid",
        ),
        (
            "a.fodp",
            _flat_odf(
                "presentation",
                "<office:presentation><draw:page><draw:frame><draw:text-box><text:p>Open.</text:p></draw:text-box>"
                "</draw:frame></draw:page></office:presentation>",
            ),
            "Slide 1\n\nOpen.",
        ),
    ],
)
def test_flat_opendocument_is_read_like_a_package(name: str, content: str, text: str, tmp_path: Path) -> None:
    for path in (
        write(tmp_path / name, content),
        write(tmp_path / "copy.xml", content),
        write(tmp_path / "A", content),
    ):
        loader = catalogue().recognising(str(path))
        assert isinstance(loader, OdfLoader)
        document = load(loader, path).document
        assert (document.text, document.title, document.metadata["author"]) == (text, "Lease", "Ada")


BOOK = """<?xml version="1.0"{}?>
<?mso-application progid="Excel.Sheet"?>
<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet">
<DocumentProperties xmlns="urn:schemas-microsoft-com:office:office"><Title>Sales</Title><Author>J\xf8rgen</Author>
<Created>2004-02-29T12:30:00Z</Created></DocumentProperties>
<Worksheet ss:Name="Sold"><Table>
<Row><Cell><Data ss:Type="String">Region</Data></Cell><Cell><Data ss:Type="String">Kind</Data></Cell>
<Cell><Data ss:Type="String">Sold</Data></Cell><Cell><Data ss:Type="String">Since</Data></Cell></Row>
<Row><Cell ss:MergeDown="1"><Data ss:Type="String">North</Data></Cell><Cell><Data ss:Type="String">salt</Data></Cell>
<Cell><Data ss:Type="Number">2.50</Data></Cell>
<Cell><Data ss:Type="DateTime">2004-02-29T00:00:00.000</Data></Cell></Row>
<Row><Cell ss:Index="2"><Data ss:Type="String">iron</Data></Cell>
<Cell ss:Index="4"><Data ss:Type="String">1905</Data><Comment><ss:Data>a comment</ss:Data></Comment></Cell></Row>
<Row ss:Index="6"><Cell><Data ss:Type="String">Checked</Data></Cell><Cell><Data ss:Type="Boolean">1</Data></Cell></Row>
</Table></Worksheet>
<Worksheet ss:Name="Old"><Table><Row><Cell><Data ss:Type="String">hidden</Data></Cell></Row></Table>
<WorksheetOptions xmlns="urn:schemas-microsoft-com:office:excel"><Visible>SheetHidden</Visible></WorksheetOptions>
</Worksheet></Workbook>"""


@pytest.mark.parametrize("name", ["sales.xml", "sales.xls", "sales", "sales.export"])
@pytest.mark.parametrize("encoding", ["utf-8", "windows-1252", "utf-16"])
def test_spreadsheets_of_excel_2003_are_read_like_xlsx(name: str, encoding: str, tmp_path: Path) -> None:
    declared = "" if encoding == "utf-16" else f' encoding="{encoding}"'
    path = write(tmp_path / name, BOOK.replace("{}", declared, 1).encode(encoding))
    loader = catalogue().recognising(str(path))
    assert isinstance(loader, ExcelXmlLoader)
    document = load(loader, path).document
    assert document.text == (
        "Sold\n\nRegion: North | Kind: salt | Sold: 2.50 | Since: 2004-02-29\nRegion: North | Kind: iron | Since: 1905"
        "\n\nRegion: Checked | Kind: true\n\nOld\n\nhidden"
    )
    assert document.title == "Sales"
    assert document.metadata == {
        "author": "Jørgen",
        "created": datetime(2004, 2, 29, 12, 30, tzinfo=UTC),
        "hidden_sheets": ["Old"],
    }


def test_other_xml_stays_xml_and_a_row_that_never_ends_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.xml", "<Workbook><Row>urn:schemas-microsoft-com:office:spreadsheet</Row></Workbook>")
    assert isinstance(catalogue().recognising(str(path)), XmlLoader)
    endless = BOOK.replace("{}", "", 1).replace('ss:Index="4"', 'ss:Index="999999999"')
    assert load(ExcelXmlLoader(), write(tmp_path / "b.xml", endless)).messages == [
        "has a row of more than 16,384 cells"
    ]
