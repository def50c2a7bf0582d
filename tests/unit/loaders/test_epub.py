from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from tests.sources import CONTAINER, epub_of, load, write, zip_of

from overstory_loaders import EpubLoader

CHAPTERS = {
    "cover.xhtml": "<img src='a.png'/>",
    "1.xhtml": "<h1>1. Salt</h1><p>From the sea.</p><h2>Rocks</h2><p>Or rocks.</p>",
    "2.xhtml": "<h1>Kinds</h1><p>Black<a id='x'/> pepper.</p>",
    "2b.xhtml": "<h1>More kinds</h1><p>White pepper.</p><nav>elsewhere</nav>",
    "end.xhtml": "<p>The end.</p>",
}


def test_chapters_stand_in_order_below_their_names_in_the_table_of_contents(tmp_path: Path) -> None:
    content = epub_of(CHAPTERS, contents={"1.xhtml": "Salt", "2.xhtml": "Pepper", "end.xhtml": "Epilogue"})
    document = load(EpubLoader(), write(tmp_path / "book.epub", content)).document
    assert document.text == (
        "1. Salt\n\nFrom the sea.\n\nRocks\n\nOr rocks.\n\nPepper\n\nKinds\n\nBlack pepper.\n\n"
        "More kinds\n\nWhite pepper.\n\nEpilogue\n\nThe end."
    )
    assert [(heading.level, heading.text) for heading in document.headings] == [
        (1, "1. Salt"),
        (2, "Rocks"),
        (1, "Pepper"),
        (2, "Kinds"),
        (2, "More kinds"),
        (1, "Epilogue"),
    ]
    assert document.title == "book"


def test_the_older_table_of_contents_has_levels(tmp_path: Path) -> None:
    ncx = (
        "<!DOCTYPE ncx PUBLIC '-//NISO//DTD ncx 2005-1//EN' 'http://www.daisy.org/z3986/2005/ncx-2005-1.dtd'><ncx><navMap>"
        "<navPoint><navLabel><text>Part one</text></navLabel><content src='Text/1.html'/><navPoint><navLabel>"
        "<text>Salt</text></navLabel><content src='Text/2%20b.html#s'/></navPoint></navPoint></navMap></ncx>"
    )
    package = (
        "<package><manifest><item id='n' href='toc.ncx' media-type='application/x-dtbncx+xml'/><item id='a' "
        "href='Text/1.html' media-type='text/html'/><item id='b' href='Text/2%20b.html' media-type='text/html'/>"
        "</manifest><spine toc='n'><itemref idref='a'/><itemref idref='b'/><itemref idref='gone'/></spine></package>"
    )
    members = {
        "in/book.opf": package,
        "in/toc.ncx": ncx,
        "in/Text/1.html": "<p>one",
        "in/Text/2 b.html": "<h1>Salt</h1>two",
    }
    content = zip_of({"META-INF/container.xml": CONTAINER, **members})
    document = load(EpubLoader(), write(tmp_path / "book.epub", content)).document
    assert document.text == "Part one\n\none\n\nSalt\n\ntwo"
    assert [(heading.level, heading.text) for heading in document.headings] == [(1, "Part one"), (2, "Salt")]


def test_dublin_core_becomes_metadata(tmp_path: Path) -> None:
    about = (
        "<dc:title>The Book of Salt</dc:title><dc:title>A subtitle</dc:title><dc:creator>Ada</dc:creator>"
        "<dc:creator>Bob</dc:creator><dc:language>en</dc:language><dc:date>0101-01-01T00:00:00+00:00</dc:date>"
        "<dc:date>2024-02-29</dc:date><dc:publisher>Unknown</dc:publisher><dc:description>&lt;p>On salt.&lt;/p>"
        "</dc:description><dc:contributor role='bkp'>calibre</dc:contributor>"
        "<meta property='dcterms:modified'>2024-03-01T00:00:00Z</meta>"
    )
    document = load(EpubLoader(), write(tmp_path / "book.epub", epub_of({"1.xhtml": "x"}, about=about))).document
    assert document.title == "The Book of Salt"
    assert document.metadata == {
        "author": ["Ada", "Bob"],
        "language": "en",
        "date": datetime(2024, 2, 29, tzinfo=UTC),
        "description": "On salt.",
        "modified": datetime(2024, 3, 1, tzinfo=UTC),
    }


def test_fonts_that_are_obfuscated_protect_no_text(tmp_path: Path) -> None:
    fonts = (
        '<encryption><EncryptedData><EncryptionMethod Algorithm="http://www.idpf.org/2008/embedding"/>'
        '<CipherReference URI="in/1.xhtml"/></EncryptedData></encryption>'
    )
    content = epub_of({"1.xhtml": "readable"}, encryption=fonts)
    assert load(EpubLoader(), write(tmp_path / "book.epub", content)).document.text == "readable"


def test_a_chapter_that_cannot_be_read_is_reported_and_the_others_are_kept(tmp_path: Path) -> None:
    content = epub_of({"1.xhtml": "<div>" * 20_000, "2.xhtml": "kept"})
    outcome = load(EpubLoader(), write(tmp_path / "book.epub", content))
    assert [document.text for document in outcome.documents] == ["kept"]
    assert [str(error) for error in outcome.broken] == [
        f"{tmp_path}/book.epub/in/1.xhtml: nests elements more than 10000 deep"
    ]
