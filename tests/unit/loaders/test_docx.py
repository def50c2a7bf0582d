from __future__ import annotations

import io
import re
import zipfile
from datetime import UTC, date, datetime
from pathlib import Path

import docx
import pytest
from docx.document import Document as WordDocument
from docx.enum.style import WD_STYLE_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from tests.sources import damaged, docx_of, load, parts_of, pptx_of, write, xlsx_of, zip_of

from overstory.protocols import Loader
from overstory_loaders import DocxLoader, PptxLoader, XlsxLoader


def test_headings_lists_and_paragraphs_are_told_by_style(tmp_path: Path) -> None:
    content = docx_of(
        ("Title", "The Report"),
        ("Normal", "An introduction\tof words."),
        ("Heading 1", "Methods"),
        ("List Bullet", "one"),
        ("List Bullet", "two"),
        ("Normal", ""),
        ("Heading 2", "Details"),
        ("Normal", "End."),
    )
    document = load(DocxLoader(), write(tmp_path / "a.docx", content)).document
    assert document.text == ("The Report\n\nAn introduction\tof words.\n\nMethods\n\none\ntwo\n\nDetails\n\nEnd.")
    assert [(heading.level, heading.text) for heading in document.headings] == [
        (1, "The Report"),
        (1, "Methods"),
        (2, "Details"),
    ]
    for heading in document.headings:
        assert document.text[heading.start :].startswith(heading.text)
    assert document.title == "The Report"


def test_tables_have_a_line_a_row(tmp_path: Path) -> None:
    word = docx.Document()
    word.add_paragraph("before")
    table = word.add_table(rows=3, cols=2)
    for row, texts in enumerate([("Kind", "Price"), ("sea\nsalt", "2 €"), ("", "")]):
        for column, text in enumerate(texts):
            table.cell(row, column).text = text
    word.add_paragraph("after")
    assert _text_of(word, tmp_path) == "before\n\nKind: sea salt | Price: 2 €\n\nafter"


def test_merged_cells_are_read_once(tmp_path: Path) -> None:
    word = docx.Document()
    table = word.add_table(rows=3, cols=3)
    for place, text in enumerate(("Land", "Town", "River")):
        table.cell(0, place).text = text
    table.cell(1, 0).merge(table.cell(2, 0)).text = "Norway"
    table.cell(1, 1).merge(table.cell(1, 2)).text = "wide"
    table.cell(2, 1).text = "Oslo"
    assert _text_of(word, tmp_path) == "River\nLand: Norway | Town: wide\nLand: Norway | Town: Oslo"


@pytest.mark.parametrize("mark", ["bold", "repeated"])
def test_a_header_of_words_is_one_if_the_table_says_so(mark: str, tmp_path: Path) -> None:
    word = docx.Document()
    table = word.add_table(rows=3, cols=2)
    for row, texts in enumerate([("Setting", "Value"), ("timeout", "none"), ("retries", "many")]):
        for column, text in enumerate(texts):
            table.cell(row, column).paragraphs[0].add_run(text).bold = row == 0 and mark == "bold"
    if mark == "repeated":
        word.element.xpath("//w:tr")[0].get_or_add_trPr().append(parse_xml(f"<w:tblHeader {nsdecls('w')}/>"))
    text = _text_of(word, tmp_path)
    assert text == "Setting: timeout | Value: none\nSetting: retries | Value: many"


def test_a_table_of_one_row_or_column_only_places_its_texts(tmp_path: Path) -> None:
    word = docx.Document()
    table = word.add_table(rows=1, cols=2)
    for place, text in enumerate(("left", "right")):
        table.cell(0, place).text = text
    assert _text_of(word, tmp_path) == "left\n\nright"


def test_a_table_with_headings_is_a_layout(tmp_path: Path) -> None:
    word = docx.Document()
    cell = word.add_table(rows=1, cols=1).cell(0, 0)
    cell.paragraphs[0].text = "Inside"
    cell.paragraphs[0].style = "Heading 1"
    cell.add_paragraph("One.")
    assert _text_of(word, tmp_path) == "Inside\n\nOne."


def test_content_controls_insertions_and_text_boxes_are_read_and_deletions_are_not(tmp_path: Path) -> None:
    word = docx.Document()
    for markup in (
        "<w:sdt {ns}><w:sdtContent><w:p><w:r><w:t>in a control</w:t></w:r></w:p></w:sdtContent></w:sdt>",
        "<w:p {ns}><w:r><w:t>kept</w:t></w:r><w:ins><w:r><w:tab/><w:t>inserted</w:t></w:r></w:ins></w:p>",
        "<w:p {ns}><w:del><w:r><w:delText>deleted</w:delText></w:r></w:del><w:r><w:t>left</w:t></w:r></w:p>",
        "<w:p {ns}><w:r><w:txbxContent><w:p><w:r><w:t>box</w:t></w:r></w:p></w:txbxContent><w:t>text</w:t></w:r></w:p>",
    ):
        word.element.body.insert_element_before(parse_xml(markup.replace("{ns}", nsdecls("w"))), "w:sectPr")
    assert _text_of(word, tmp_path) == "in a control\n\nkept\tinserted\n\nleft\n\ntext\n\nbox"


def _with_notes(word: WordDocument, kind: str, *notes: str) -> None:
    """Adds a part with notes, whose ids count from 1."""
    said = "".join(
        f'<w:{kind} w:id="{number}"><w:p><w:r><w:{kind}Ref/></w:r><w:r><w:t>{note}</w:t></w:r></w:p></w:{kind}>'
        for number, note in enumerate(notes, start=1)
    )
    content = f"<w:{kind}s {nsdecls('w')}>{said}</w:{kind}s>"
    place, described = f"/word/{kind}s.xml", "application/vnd.openxmlformats-officedocument.wordprocessingml"
    part = Part(PackURI(place), f"{described}.{kind}s+xml", content.encode(), word.part.package)
    word.part.relate_to(part, f"http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}s")


def _refer(word: WordDocument, kind: str, note: int) -> None:
    """Refers to a note at the end of the last paragraph, in a table or not."""
    reference = parse_xml(f'<w:{kind}Reference {nsdecls("w")} w:id="{note}"/>')
    word.element.xpath("//w:p")[-1].add_r().append(reference)


def test_footnotes_and_endnotes_stand_below_the_paragraph_or_the_table_that_refers_to_them(tmp_path: Path) -> None:
    word = docx.Document()
    word.add_paragraph("Salt was mined here.")
    _refer(word, "footnote", 2)
    word.add_paragraph("It was sold in Brell.")
    _refer(word, "endnote", 1)
    table = word.add_table(rows=2, cols=2)
    for row, texts in enumerate([("Kind", "Price"), ("sea salt", "2")]):
        for column, text in enumerate(texts):
            table.cell(row, column).text = text
    _refer(word, "footnote", 1)
    word.add_paragraph("The end.")
    _with_notes(word, "footnote", "Of Vorgen.", "Until 1890, says Aas.")
    _with_notes(word, "endnote", "By the Ostrow family.")
    assert _text_of(word, tmp_path) == (
        "Salt was mined here.\nNote: Until 1890, says Aas.\n\nIt was sold in Brell.\nNote: By the Ostrow family.\n\n"
        "Kind: sea salt | Price: 2\nNote: Of Vorgen.\n\nThe end."
    )


def test_notes_that_cannot_be_read_are_reported_and_those_that_refer_to_each_other_read_once(tmp_path: Path) -> None:
    word = docx.Document()
    word.add_paragraph("Salt was mined here.")
    _refer(word, "footnote", 1)
    word.add_paragraph("It was sold.")
    _refer(word, "endnote", 1)
    _with_notes(word, "footnote", 'See above.</w:t><w:footnoteReference w:id="1"/><w:t>')
    _with_notes(word, "endnote", "<")
    stream = io.BytesIO()
    word.save(stream)
    loaded = load(DocxLoader(), write(tmp_path / "a.docx", stream.getvalue()))
    assert loaded.documents[0].text == "Salt was mined here.\nNote: See above.\n\nIt was sold."
    assert "its endnotes cannot be read: XMLSyntaxError" in str(loaded.broken[0])


def _with_extras() -> bytes:
    """A document with a heading, a footnote, a header and a comment."""
    word = docx.Document()
    word.add_heading("Salt", 1)
    word.add_paragraph("It was mined here.")
    _refer(word, "footnote", 1)
    _with_notes(word, "footnote", "Until 1890.")
    word.sections[0].header.paragraphs[0].text = "A header"
    word.add_comment(word.paragraphs[1].runs, "Really?")
    stream = io.BytesIO()
    word.save(stream)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("part", "text", "message"),
    [
        ("word/footnotes.xml", "Salt\n\nIt was mined here.", "its footnotes (word/footnotes.xml) cannot be read: "),
        ("word/comments.xml", "", "its comments (word/comments.xml) cannot be read: "),
        ("word/header1.xml", "", "its header (word/header1.xml) cannot be read: "),
        ("word/styles.xml", "", "its styles (word/styles.xml) cannot be read: "),
        ("docProps/core.xml", "", "its properties (docProps/core.xml) cannot be read: "),
        (
            "word/_rels/document.xml.rels",
            "Salt\n\nIt was mined here.",
            "its relations (word/_rels/document.xml.rels) cannot be read: ",
        ),
    ],
)
def test_a_damaged_part_is_reported_and_the_body_kept(part: str, text: str, message: str, tmp_path: Path) -> None:
    content = _with_extras()
    loaded = load(DocxLoader(), write(tmp_path / "a.docx", damaged(content, part)))
    assert loaded.messages == [f"{message}its data are damaged"]
    assert loaded.documents[0].text == (text or "Salt\n\nIt was mined here.\nNote: Until 1890.")
    if part == "word/footnotes.xml":  # which are read by themselves
        return
    loaded = load(DocxLoader(), write(tmp_path / "b.docx", zip_of(parts_of(content) | {part: b"<a><b></a>"})))
    assert loaded.messages == [f"{message}is not well-formed XML: mismatched tag"]
    assert loaded.documents[0].text == (text or "Salt\n\nIt was mined here.\nNote: Until 1890.")


def test_a_document_whose_main_part_is_damaged_is_refused_and_pictures_do_not_count(tmp_path: Path) -> None:
    content = _with_extras()
    loaded = load(DocxLoader(), write(tmp_path / "a.docx", damaged(content, "word/document.xml", "word/header1.xml")))
    assert loaded.documents == []
    said = "its main part (word/document.xml) cannot be read: its data are damaged"
    assert loaded.messages == [f"is not a DOCX, or is damaged: {said}"]
    picture = "docProps/thumbnail.jpeg"
    assert load(DocxLoader(), write(tmp_path / "b.docx", damaged(content, picture))).document.title == "Salt"
    missing = {name: part for name, part in parts_of(content).items() if name not in (picture, "word/comments.xml")}
    loaded = load(DocxLoader(), write(tmp_path / "c.docx", zip_of(missing)))
    assert loaded.messages == ["its comments (word/comments.xml) cannot be read: it is missing"]
    assert loaded.documents[0].text == "Salt\n\nIt was mined here.\nNote: Until 1890."


@pytest.mark.parametrize("loader", [DocxLoader(), PptxLoader(), XlsxLoader()], ids=lambda loader: loader.name)
def test_the_strict_variant_of_office_files_is_read_as_the_usual_one(loader: Loader, tmp_path: Path) -> None:
    content = {
        "docx": docx_of(("Heading 1", "Salt"), ("List Bullet", "one"), ("Normal", "x" * 99_999), ("Normal", "End.")),
        "pptx": pptx_of(("Salt", "It was sold in Brell.")),
        "xlsx": xlsx_of(Salt=[["Kind", "Since"], *[[f"salt {n}", date(2024, 2, 29)] for n in range(9999)]]),
    }[loader.name]
    usual = load(loader, write(tmp_path / f"a.{loader.name}", content)).document
    strict = zip_of(
        {
            name: re.sub(
                rb"http://schemas.openxmlformats.org/(officeDocument|\w+ml)/2006/([\w-]+)",
                lambda found: b"http://purl.oclc.org/ooxml/%b/%b" % (found[1], found[2].replace(b"-p", b"P")),
                part,
            )
            for name, part in parts_of(content).items()
        }
    )
    assert b"purl.oclc.org" in parts_of(strict)["_rels/.rels"]
    loaded = load(loader, write(tmp_path / "strict" / f"a.{loader.name}", strict))
    assert (loaded.document.text, loaded.document.title) == (usual.text, usual.title)
    assert loaded.document.headings == usual.headings
    assert loaded.document.metadata == usual.metadata


def test_styles_based_on_a_heading_are_headings(tmp_path: Path) -> None:
    word = docx.Document()
    style = word.styles.add_style("House heading", WD_STYLE_TYPE.PARAGRAPH)
    style.base_style = word.styles["Heading 3"]  # type: ignore[attr-defined, unused-ignore]
    word.add_paragraph("Ours", style="House heading")
    stream = io.BytesIO()
    word.save(stream)
    (heading,) = load(DocxLoader(), write(tmp_path / "a.docx", stream.getvalue())).document.headings
    assert heading.level == 3


def test_the_properties_give_title_and_author(tmp_path: Path) -> None:
    word = docx.Document()
    word.core_properties.title = "From the properties"
    word.core_properties.author = "Ada"
    word.core_properties.keywords = "salt; pepper"
    word.core_properties.language = "en-GB"
    word.core_properties.comments = ""
    word.core_properties.created = datetime(2024, 2, 29, 12)  # noqa: DTZ001 # python-docx takes these for UTC
    word.add_paragraph("text")
    stream = io.BytesIO()
    word.save(stream)
    document = load(DocxLoader(), write(tmp_path / "a.docx", stream.getvalue())).document
    assert document.title == "From the properties"
    assert document.metadata == {
        "author": "Ada",
        "created": datetime(2024, 2, 29, 12, tzinfo=UTC),
        "keywords": ["salt", "pepper"],
        "language": "en-GB",
        "revision": 1,
    }


CUSTOM = """<?xml version="1.0" encoding="UTF-8"?>
<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/custom-properties"
  xmlns:vt="http://schemas.openxmlformats.org/officeDocument/2006/docPropsVTypes">
<property name="Client"><vt:lpwstr>2024-02-29</vt:lpwstr></property>
<property name="Pages"><vt:i4>12</vt:i4></property>
<property name="Share"><vt:r8>0.5</vt:r8></property>
<property name="Final"><vt:bool>true</vt:bool></property>
<property name="Signed"><vt:filetime>2024-02-29T12:00:00Z</vt:filetime></property>
<property name="Empty"><vt:lpwstr></vt:lpwstr></property>
<property name="Odd"><vt:i4>many</vt:i4></property>
</Properties>"""


@pytest.mark.parametrize("is_broken", [False, True])
def test_properties_that_users_made_up_have_the_types_that_they_chose(tmp_path: Path, is_broken: bool) -> None:
    word = docx.Document()
    word.add_paragraph("text")
    assert word.part.package
    content = CUSTOM[:200] if is_broken else CUSTOM
    kind = "application/vnd.openxmlformats-officedocument.custom-properties+xml"
    part = Part(PackURI("/docProps/custom.xml"), kind, content.encode(), word.part.package)
    word.part.package.relate_to(
        part, "http://schemas.openxmlformats.org/officeDocument/2006/relationships/custom-properties"
    )
    stream = io.BytesIO()
    word.save(stream)
    document = load(DocxLoader(), write(tmp_path / "a.docx", stream.getvalue())).document
    own = {key: value for key, value in document.metadata.items() if key[0].isupper()}
    assert own == (
        {}
        if is_broken
        else {
            "Client": "2024-02-29",
            "Pages": 12,
            "Share": 0.5,
            "Final": True,
            "Signed": datetime(2024, 2, 29, 12, tzinfo=UTC),
            "Odd": "many",
        }
    )


def test_locks_that_word_leaves_beside_open_documents_are_not_recognised(tmp_path: Path) -> None:
    assert not DocxLoader().recognises(str(tmp_path / "~$report.docx"))
    assert DocxLoader().recognises(str(tmp_path / "Report.DOCX"))


def test_an_archive_that_would_fill_the_memory_is_refused(tmp_path: Path) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"\0" * (65 * 2**20))
    outcome = load(DocxLoader(), write(tmp_path / "a.docx", stream.getvalue()))
    assert outcome.messages == ["unpacks to more than 64 MiB of text, or 512 MiB in all"]


def _text_of(word: WordDocument, folder: Path) -> str:
    stream = io.BytesIO()
    word.save(stream)
    return load(DocxLoader(), write(folder / "a.docx", stream.getvalue())).document.text
