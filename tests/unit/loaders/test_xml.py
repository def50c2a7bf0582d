from __future__ import annotations

from pathlib import Path

import pytest
from tests.sources import load, write

from overstory_loaders import XmlLoader, xml_reader

LONG = "Salt is a mineral. " * 20
BOOK = f"""<book xml:lang="en"><title>Salt</title><!-- no --><para>It is <b>good</b>.</para>
<chapter id="c"><title>Sea</title><para>Short.</para><note>{LONG}</note></chapter></book>"""
RECORDS = """<books><book isbn='1'><title>On salt</title><author>Ada</author></book>
<book><title>On
pepper</title><year>1905</year></book><entry id='a' name='x &amp; y'/></books>"""
FEED = f"""<feed xmlns='http://www.w3.org/2005/Atom'><title>News</title><updated>2024</updated>
<entry><title>One</title><summary>{LONG}</summary><link href='x'/></entry></feed>"""


@pytest.mark.parametrize(
    ("content", "text", "headings"),
    [
        (
            BOOK,
            f"Salt\n\nIt is good.\n\nSea\n\nShort.\n\n{LONG.strip()}",
            [(1, "Salt"), (2, "Sea")],
        ),
        (
            RECORDS,
            "isbn: 1 | title: On salt | author: Ada\n\ntitle: On pepper | year: 1905\n\nentry: id: a | name: x & y",
            [],
        ),
        (
            FEED,
            f"News\n\nupdated: 2024\n\nOne\n\n{LONG.strip()}\n\nlink: href: x",
            [(1, "News"), (2, "One")],
        ),
        (
            "<settings><name>a</name><name lang='de'>b</name><group class='x'><on>true</on></group></settings>",
            "name: a\nname (de): b\n\non: true",
            [],
        ),
    ],
)
def test_titles_are_headings_and_small_elements_lines(
    tmp_path: Path, content: str, text: str, headings: list[tuple[int, str]]
) -> None:
    document = load(XmlLoader(), write(tmp_path / "a.xml", content)).document
    assert document.text == text
    assert [(heading.level, heading.text) for heading in document.headings] == headings
    assert document.title == (headings[0][1] if headings else "a")
    assert document.metadata == ({"language": "en"} if "xml:lang" in content else {})


def test_an_element_with_more_in_it_than_fits_in_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(xml_reader, "_MOST_TREE_ELEMENTS", 100)
    path = write(tmp_path / "a.xml", f"<a>{'<b>x</b>' * 200}<c>{'<d/>' * 101}</c></a>")
    assert load(XmlLoader(), path).messages == ["has more than 100 elements in <c>"]


@pytest.mark.parametrize(
    ("declared", "encoding"),
    [
        ("utf-8", "utf-16"),
        ("utf-16", "utf-8"),
        ("utf-16", "utf-8-sig"),
        ("iso-8859-1", "utf-8-sig"),
        ("utf-16le", "utf-8"),
        ("windows-1252", "utf-16"),
        ("klingon", "utf-8"),
        ("klingon", "utf-16"),
        ("x-sjis", "cp932"),
        ("latin1", "cp1252"),
    ],
)
def test_a_byte_order_mark_overrides_the_declaration_and_unknown_names_are_ignored(
    tmp_path: Path, declared: str, encoding: str
) -> None:
    word = "東京" if encoding == "cp932" else "Århus – 40 €"
    content = f'<?xml version="1.0" encoding="{declared}"?><a><p>{word}</p></a>'.encode(encoding)
    assert load(XmlLoader(), write(tmp_path / "a.xml", content)).document.text == word


@pytest.mark.parametrize("declared", ['<?xml version="1.0"?>', '<?xml version="1.0" encoding="UTF-8"?>'])
def test_a_file_in_another_encoding_is_refused_with_a_remedy(tmp_path: Path, declared: str) -> None:
    outcome = load(XmlLoader(), write(tmp_path / "a.xml", f"{declared}<a><p>Århus".encode("latin-1")))
    assert outcome.messages[0].startswith("is not UTF-8: ")
    assert "--encoding auto" in outcome.broken[0].remedy


@pytest.mark.parametrize(
    "declarations",
    [
        '<!NOTATION TIF SYSTEM "tif"> <!ENTITY fig1 SYSTEM "fig1.tif" NDATA TIF>',
        '<!ENTITY logo PUBLIC "-//X//Logo" "logo.png" NDATA PNG><!NOTATION PNG PUBLIC "image/png">',
        '<!NOTATION EPS SYSTEM "eps"><!ENTITY a SYSTEM "a.eps" NDATA EPS><!ENTITY b SYSTEM "b.eps" NDATA EPS>',
    ],
)
def test_declarations_of_pictures_are_skipped(tmp_path: Path, declarations: str) -> None:
    content = (
        f'<?xml version="1.0"?><!DOCTYPE list [ {declarations} ]>\n'
        '<list><kiln owner="Mira Toft">Kiln A stands in Aarhus.</kiln></list>'
    )
    text = load(XmlLoader(), write(tmp_path / "a.xml", content)).document.text
    assert text == "kiln: Kiln A stands in Aarhus. | owner: Mira Toft"


def test_the_declared_encoding_is_believed(tmp_path: Path) -> None:
    content = '<?xml version="1.0" encoding="iso-8859-1"?><a><p>café</p></a>'.encode("latin-1")
    assert load(XmlLoader(), write(tmp_path / "a.xml", content)).document.text == "café"


RSS = """<rss><channel><title>Harbour</title><link>https://example.org</link>
<item><title>Fish &amp;amp; &lt;b&gt;chips&lt;/b&gt;</title><description>&lt;p&gt;Sold at the &lt;em&gt;pier&lt;/em&gt;
of Brell.&lt;/p&gt;&lt;h2&gt;When&lt;/h2&gt;&lt;ul&gt;&lt;li&gt;in May&lt;/li&gt;&lt;/ul&gt;</description></item>
<item><title>Tide</title><description><![CDATA[Is <b>high</b> at 3&nbsp;pm.<script>run()</script>]]></description>
</item>
</channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>Harbour</title><entry><title>Tide</title>
<content type="html">&lt;p&gt;High at 3 pm.&lt;/p&gt;&lt;p&gt;Low at 9 pm.&lt;/p&gt;</content></entry></feed>"""


def test_html_in_feeds_is_read_as_such(tmp_path: Path) -> None:
    rss = load(XmlLoader(), write(tmp_path / "a.rss", RSS)).document
    assert rss.text == (
        "Harbour\n\nlink: https://example.org\n\nFish & chips\n\nSold at the pier of Brell.\n\nWhen\n\nin May\n\n"
        "title: Tide | description: Is high at 3 pm."
    )
    atom = load(XmlLoader(), write(tmp_path / "a.atom", ATOM)).document
    assert atom.text == "Harbour\n\nTide\n\nHigh at 3 pm.\n\nLow at 9 pm."
    other = load(XmlLoader(), write(tmp_path / "a.xml", "<code><p>Write &lt;b&gt; for bold.</p></code>")).document
    assert other.text == "Write <b> for bold."
