from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser
from tests.sources import load, write

from overstory_loaders import HtmlLoader, join_blocks
from overstory_loaders.html_blocks import page_blocks

TAGS = ["h1", "h2", "p", "div", "table", "tr", "td", "caption", "ul", "li", "pre", "br", "b", "script", "template", "a"]
SOUP = st.lists(st.sampled_from([f"<{slash}{tag}>" for tag in TAGS for slash in ("", "/")] + [" x\n", "y\u0301 "]))

PAGE = """<!doctype html>
<html lang="en"><head>
<title>Salt &amp; Pepper</title>
<meta name="Author" content="Ada"><meta name="description" content="On spices">
<style>p { color: red }</style>
</head><body>
<nav><a href="/">Home</a></nav>
<header>Site</header>
<h1 id="salt">Salt<a class="headerlink" href="#salt">¶</a></h1>
<p>Sodium   <b>chlo</b>ride,<br>NaCl.</p>
<script>var x = "<p>no</p>";</script><noscript>no</noscript><template><p>no</p></template>
<div>Loose text<p>A paragraph</p>more</div>
<ul><li>sea</li><li><p>rock</p><p>from mines</p></li></ul>
<h2>Prices
in <i>Europe</i></h2>
<table><caption>Per kilogram</caption>
<thead><tr><th>Kind</th><th>Price</th></tr></thead>
<tr><td>sea<br>salt</td><td> 2&nbsp;€ </td></tr><tr><td></td><td></td></tr></table>
<pre>
a = 1
  b = 2
</pre>
<p hidden>no</p><p hidden="until-found">found by search</p><!-- no -->
</body></html>
"""


def test_a_page_reads_as_its_reader_sees_it(tmp_path: Path) -> None:
    document = load(HtmlLoader(), write(tmp_path / "page.html", PAGE)).document
    assert document.text == (
        "Salt\n\n"
        "Sodium chloride,\nNaCl.\n\n"
        "Loose text\n\nA paragraph\n\nmore\n\n"
        "sea\nrock\n\nfrom mines\n\n"
        "Prices in Europe\n\n"
        "Per kilogram\n\n"
        "Kind: sea salt | Price: 2 €\n\n"
        "a = 1\n  b = 2\n\n"
        "found by search"
    )


def test_headings_title_and_metadata_are_kept(tmp_path: Path) -> None:
    document = load(HtmlLoader(), write(tmp_path / "page.html", PAGE)).document
    assert document.title == "Salt & Pepper"
    assert document.metadata == {"language": "en", "author": "Ada", "description": "On spices"}
    assert [(heading.level, heading.text) for heading in document.headings] == [(1, "Salt"), (2, "Prices in Europe")]
    for heading in document.headings:
        assert document.text[heading.start :].startswith(heading.text + "\n")


def test_meta_elements_named_as_parts_of_a_document_do_not_hide_these(tmp_path: Path) -> None:
    page = (
        "<html><head><meta name='Source' content='Reuters'><meta name='title' content='t'></head><body>x</body></html>"
    )
    document = load(HtmlLoader(), write(tmp_path / "a.html", page)).document
    assert document.metadata == {"meta:source": "Reuters", "meta:title": "t"}
    assert document.source.endswith("a.html")


def test_meta_elements_that_describe_the_document_are_metadata(tmp_path: Path) -> None:
    page = (
        "<html><head><meta property='article:published_time' content='2024-02-29T12:00:00+01:00'>"
        "<meta property='article:tag' content='salt'><meta property='article:tag' content='pepper'>"
        "<meta name='Keywords' content='salt, sea salt'><meta name='dc.language' content='fr'>"
        "<meta name='viewport' content='width=device-width'><meta name='google-site-verification' content='x'>"
        "<meta name='robots' content='all'><meta property='og:image' content='a.png'><meta name='empty' content=' '>"
        "<meta name='date' content='last spring'><meta content='nothing'></head><body>Salt.</body></html>"
    )
    document = load(HtmlLoader(), write(tmp_path / "page.html", page)).document
    assert document.metadata == {
        "language": "fr",
        "article:published_time": datetime(2024, 2, 29, 12, tzinfo=timezone(timedelta(hours=1))),
        "article:tag": ["salt", "pepper"],
        "keywords": ["salt", "sea salt"],
        "dc.language": "fr",
        "date": "last spring",
    }


def test_tables_that_lay_out_a_page_are_not_squeezed_into_rows(tmp_path: Path) -> None:
    page = "<table><tr><td>menu</td><td><h1>Title</h1><p>One.</p><p>Two.</p></td></tr></table>"
    document = load(HtmlLoader(), write(tmp_path / "page.html", page)).document
    assert document.text == "menu\n\nTitle\n\nOne.\n\nTwo."
    assert document.title == "Title"


def test_a_table_in_a_table_is_data_in_a_layout(tmp_path: Path) -> None:
    page = "<table><tr><td>before<table><tr><td>a<td>b<tr><td>c<td>d</table>after</td></tr></table>"
    assert load(HtmlLoader(), write(tmp_path / "page.html", page)).document.text == "before\n\na: b\nc: d\n\nafter"


@pytest.mark.parametrize(
    ("head", "encoding"),
    [
        ("", "utf-8"),
        ("", "utf-16"),
        ('<meta charset="iso-8859-1">', "cp1252"),
        ("<meta charset=utf-8>", "utf-8"),
        ("<meta charset=utf-16le>", "utf-8"),
        ('<meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS">', "cp932"),
        ("<meta charset=gb2312>", "gb18030"),
        ('<?xml version="1.0" encoding="ISO-8859-15"?>', "iso8859-15"),
    ],
)
def test_the_encoding_is_the_declared_one(tmp_path: Path, head: str, encoding: str) -> None:
    letters = {"cp932": "日本①", "gb18030": "日本喆"}.get(encoding, "é €")  # ① and 喆 are Windows' own
    page = f"<html><head>{head}</head><p>{letters}</p>"
    assert load(HtmlLoader(), write(tmp_path / "page.html", page.encode(encoding))).document.text == letters


def test_an_encoding_that_the_bytes_do_not_keep_to_is_reported(tmp_path: Path) -> None:
    page = b"<meta charset=utf-8>\n<p>caf\xe9</p>"
    assert load(HtmlLoader(), write(tmp_path / "a.html", page)).messages == [
        "line 2: is not UTF-8: byte 0xe9 at offset 27"
    ]


@pytest.mark.parametrize("name", ["unicode", "klingon", "hex", "undefined", "x-user-defined", "none"])
def test_an_unknown_encoding_is_ignored(tmp_path: Path, name: str) -> None:
    page = f"<html><head><meta charset='{name}'></head><body><p>The tenant is Mira Toft of Århus.</p></body></html>"
    assert load(HtmlLoader(), write(tmp_path / "a.html", page)).document.text == "The tenant is Mira Toft of Århus."
    bad = load(HtmlLoader(), write(tmp_path / "b.html", f"<meta charset={name}><p>Århus".encode("latin-1")))
    assert [message[:24] for message in bad.messages] == ["line 1: is not UTF-8: by"]
    assert "--encoding auto" in bad.broken[0].remedy


@pytest.mark.parametrize(
    ("label", "encoding", "text"),
    [
        ("x-sjis", "cp932", "日本①"),
        ("ks_c_5601-1987", "cp949", "똠방각하"),
        ("GB2312", "gb18030", "日本喆"),
        ("x-x-big5", "big5", "臺北"),
        ("iso-8859-8-i", "iso8859-8", "שלום"),
        ("x-mac-cyrillic", "mac-cyrillic", "Москва"),
        ("l9", "iso8859-15", "40 €"),
        ("latin1", "cp1252", "40 €"),
        ("unicode-1-1-utf-8", "utf-8", "40 €"),
        ("cp850", "cp850", "Øre"),
        ("hz-gb-2312", "hz", "日本"),
    ],
)
def test_labels_are_those_of_browsers_and_of_python(tmp_path: Path, label: str, encoding: str, text: str) -> None:
    page = f"<meta http-equiv=Content-Type content='text/html; charset={label}'><p>{text}</p>".encode(encoding)
    assert load(HtmlLoader(), write(tmp_path / "a.html", page)).document.text == text


@pytest.mark.parametrize(
    "hidden",
    [
        "<div style='display:none'>Preview of the letter</div>",
        "<p STYLE='color: red; Display : NONE !important;'>Preview</p>",
        "<table style=display:none><tr><td>Preview<td>of it<tr><td>1<td>2</table>",
        "<span style='max-height:0;display:none;'>Pre<b>view</b></span>",
    ],
)
def test_elements_that_are_not_displayed_are_left_out(tmp_path: Path, hidden: str) -> None:
    page = f"<body>{hidden}<p style='display:block; flow: none'>The rent is 840 euro.</p></body>"
    assert load(HtmlLoader(), write(tmp_path / "a.html", page)).document.text == "The rent is 840 euro."


def test_a_page_that_a_script_displays_is_read_whole(tmp_path: Path) -> None:
    page = "<body style='display:none'><p>The rent is 840 euro.</body>"
    assert load(HtmlLoader(), write(tmp_path / "a.html", page)).document.text == "The rent is 840 euro."


def test_a_page_without_a_title_is_called_by_its_heading_or_its_file(tmp_path: Path) -> None:
    assert load(HtmlLoader(), write(tmp_path / "a.html", "<h1>H</h1><p>text")).document.title == "H"
    assert load(HtmlLoader(), write(tmp_path / "b.htm", "<p>text")).document.title == "b"


def test_deep_nesting_is_read_and_endless_nesting_refused(tmp_path: Path) -> None:
    assert load(HtmlLoader(), write(tmp_path / "a.html", "<div>" * 9_000 + "deep")).document.text == "deep"
    assert load(HtmlLoader(), write(tmp_path / "b.html", "<div>" * 20_000 + "deep")).messages == [
        "nests elements more than 10000 deep"
    ]


MANY = " ".join(f"a{number}=1" for number in range(3_000))


@pytest.mark.parametrize(
    "page",
    [
        f"<p {MANY}>x",
        f"<P TITLE='>' {MANY}>x",
        f"<p title=O'Neil {MANY} rel=\"x",  # never closes
        f"<script {MANY}>go()</script><p>x",
        f"<!-- <p --><p {MANY}>x",
    ],
)
def test_an_element_with_thousands_of_attributes_is_refused(tmp_path: Path, page: str) -> None:
    messages = load(HtmlLoader(), write(tmp_path / "a.html", page)).messages
    assert messages == ["has an element with more than 2,000 attributes"]


@pytest.mark.parametrize(
    "page",
    [
        f"<svg><path d='{MANY}'/></svg><p>x",
        f"<script>for (i=0;i<n;i++) {MANY}</script><p>x",
        f"<style>/* <b {MANY} */</style><p>x",
        f"<!-- <p {MANY}> --><p>x",
        f"<p title=O'Neil>x</p><pre hidden>{MANY}</pre>",
        f"<p hidden>1 < 2 {MANY}</p>x",
        "<p a=1 b=2>x</p>" + "<i a=1 b=2></i>" * 3_000,
    ],
)
def test_values_scripts_comments_and_texts_are_no_attributes(tmp_path: Path, page: str) -> None:
    assert load(HtmlLoader(), write(tmp_path / "a.html", page)).document.text == "x"


def test_many_elements_side_by_side_are_no_nesting(tmp_path: Path) -> None:
    page = "<div>x</div><p>y" * 20_000
    assert load(HtmlLoader(), write(tmp_path / "a.html", page)).document.text.count("x") == 20_000


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # machines may be busy
@given(SOUP)
def test_whatever_the_markup_headings_stand_where_they_say(soup: list[str]) -> None:
    outlined = join_blocks(page_blocks(LexborHTMLParser("".join(soup)).root))
    assert outlined.text == outlined.text.strip()
    for heading in outlined.headings:
        assert outlined.text[heading.start :].partition("\n")[0] == heading.text


@pytest.mark.parametrize(
    ("table", "text"),
    [
        (
            "<table><tr><th>Kind<th>Price<tr><td>sea salt<td>2.5<tr><td>rock salt<td>3</table>",
            "Kind: sea salt | Price: 2.5\nKind: rock salt | Price: 3",
        ),
        ("<table><tr><td>Kind<td>Price<tr><td>sea salt<td>2.5</table>", "Kind: Price\nsea salt: 2.5"),
        (
            "<table><thead><tr><td>a<td>b</thead><tr><td>1<td>2<tr><td>3<td>4</table>",
            "a: 1 | b: 2\na: 3 | b: 4",
        ),
        (
            "<table><tr><th>Born<td>1905<tr><th>Died<td>1990</table>",
            "Born: 1905\nDied: 1990",
        ),
        (
            "<table><tr><th rowspan=2>Kind<th colspan=2>Price<tr><th>2023<th>2024<tr><td>salt<td>2<td>3</table>",
            "Kind: salt | Price 2023: 2 | Price 2024: 3",
        ),
        (
            "<table><tr><th>Land<th>Town<tr><td rowspan=2>Norway<td>Oslo<tr><td>Bergen</table>",
            "Land: Norway | Town: Oslo\nLand: Norway | Town: Bergen",
        ),
        ("<table><tr><td>a<td>b<td>c<tr><td>d<td>e<td>f</table>", "a, b, c\nd, e, f"),
        ("<table role=presentation><tr><th>a<th>b<tr><td>c<td>d</table>", "a\n\nb\n\nc\n\nd"),
        ("<table><tr><td>Home<td>News</table>", "Home\n\nNews"),
        ("<table><tr><td>One.<tr><td>Two.</table>", "One.\n\nTwo."),
        ("<table><tr><td><table><tr><th>a<th>b<tr><td>1<td>2</table><td>x</table>", "a: 1 | b: 2\n\nx"),
    ],
)
def test_rows_of_tables_name_their_columns_and_layout_leaves_no_bars(table: str, text: str, tmp_path: Path) -> None:
    assert load(HtmlLoader(), write(tmp_path / "a.html", table)).document.text == text


def test_a_table_becomes_no_thousand_times_its_size(tmp_path: Path) -> None:
    long = "x" * 10_000
    rows = "<tr><td rowspan=9999 colspan=1000>" + long + "<td>1" + "<tr><td>2<td>3" * 3_000
    page = f"<table><tr><th>{long}<th>b{rows}</table>"
    assert len(load(HtmlLoader(), write(tmp_path / "a.html", page)).document.text) < 3 * len(page)
