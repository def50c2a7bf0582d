"""Files that are not UTF-8 are refused, or read in the encoding of the run; the run hears which one."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from tests.sources import write, zip_of

from overstory.model import Document
from overstory.sources import DecodedFile, ReadOptions, read_sources

GERMAN = "Die Straße nach Köln führt über die Brücke, und für Fußgänger gibt es dort schöne Wege. Größe zählt nicht.\n"
CHINESE = "北京是中华人民共和国的首都，位于华北平原的北部。\n"
RUSSIAN = "Москва - столица России, город федерального значения, административный центр области.\n"


def read(folder: Path, encoding: str) -> tuple[dict[str, str], list[DecodedFile], list[str]]:
    """The texts by file, the files in other encodings, and what was broken."""
    decoded: list[DecodedFile] = []
    broken: list[str] = []
    items = read_sources(
        [str(folder)],
        loader=None,
        on_broken=lambda error: broken.append(f"{error} {error.remedy}"),
        on_skipped=lambda _: None,
        options=ReadOptions(encoding=encoding),
        on_decoded=decoded.append,
    )
    texts = {Path(item.source).name: item.text for item in items if isinstance(item, Document)}
    return texts, decoded, broken


@pytest.mark.parametrize(
    ("text", "codec", "encodings"),
    [(GERMAN, "cp1252", ("windows-1252", "auto")), (RUSSIAN, "koi8-r", ("koi8-r",))],  # too short to recognise
)
def test_each_format_reads_the_encoding_that_is_named_or_recognised(
    tmp_path: Path, text: str, codec: str, encodings: tuple[str, ...]
) -> None:
    other = text.encode(codec)
    record = ('{"id": "1", "text": "' + text.strip() + '"}\n').encode(codec)
    write(tmp_path / "a.txt", other)
    write(tmp_path / "b.md", b"# Title\n\n" + other)
    write(tmp_path / "c.html", b"<p>" + other + b"</p>")
    write(tmp_path / "d.csv", b'id,text\n1,"' + other.strip() + b'"\n')
    write(tmp_path / "e.jsonl", record)
    write(tmp_path / "f.jsonl.gz", gzip.compress(b'{"text": "One."}\n' * 1 + record))
    write(tmp_path / "g.txt", text)
    write(tmp_path / "h.html", b'<meta charset="iso-8859-5"><p>' + RUSSIAN.encode("iso-8859-5"))
    for encoding in encodings:
        texts, decoded, broken = read(tmp_path, encoding)
        assert not broken
        assert all(text.strip() in texts[name] for name in texts if name != "h.html")
        assert len(texts) == 8
        assert {Path(each.path).name for each in decoded} == {
            "a.txt", "b.md", "c.html", "d.csv", "e.jsonl", "f.jsonl.gz"
        }  # fmt: skip
    assert len(read(tmp_path, "")[2]) == 6


@pytest.mark.parametrize(
    ("head", "codec", "said"),
    [
        ("<meta charset=utf-8>", "utf-8", "utf-8, with � at 2 places"),
        ('<?xml version="1.0" encoding="utf-8"?>', "utf-8", "utf-8, with � at 2 places"),
        ("", "utf-8-sig", "utf-8, with � at 2 places"),
        ("<meta charset=iso-8859-1>", "windows-1252", "cp1252, with � at 2 places"),
    ],
)
def test_a_page_is_read_though_its_encoding_lacks_a_few_bytes_and_the_run_is_told(
    head: str, codec: str, said: str, tmp_path: Path
) -> None:
    bad = b"\x81" if codec == "windows-1252" else b"\xe9"
    page = f"{head}<p>{GERMAN * 3}</p>".encode(codec) + b"<p>The caf" + bad + b" of Brell" + bad + b"</p>"
    write(tmp_path / "a.html", page)
    write(tmp_path / "b.zip", zip_of({"in/a.html": page}))
    for encoding in ("", "koi8-r"):
        texts, decoded, broken = read(tmp_path, encoding)
        assert (broken, {each.shown for each in decoded}) == ([], {said})
        assert texts["a.html"].endswith("The caf� of Brell�")
        assert {each.path.removeprefix(f"{tmp_path}/") for each in decoded} == {"a.html", "b.zip/in/a.html"}


@pytest.mark.parametrize(
    "page", [GERMAN * 9, RUSSIAN * 9, GERMAN + "<b></b>" * 999], ids=["German", "Russian", "marked up"]
)
def test_a_page_that_is_plainly_not_as_declared_is_read_only_in_the_encoding_of_the_run(
    page: str, tmp_path: Path
) -> None:
    codec = "koi8-r" if page.startswith("М") else "windows-1252"
    write(tmp_path / "a.html", b"<meta charset=utf-8>" + page.encode(codec))
    texts, decoded, broken = read(tmp_path, "")
    assert (texts, decoded) == ({}, [])
    assert "is not UTF-8: byte 0x" in broken[0]
    texts, decoded, broken = read(tmp_path, codec)
    assert ([each.shown for each in decoded], broken) == ([codec], [])
    assert texts["a.html"].startswith(page[:20])


def test_what_is_no_text_or_in_yet_another_encoding_is_refused_all_the_same(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x02\xff\xfe\x80" * 20)
    write(tmp_path / "b.txt", b"caf\x81 at the corner")
    texts, decoded, broken = read(tmp_path, "windows-1252")
    assert (texts, decoded) == ({}, [])
    assert "a.txt: looks binary" in broken[0]
    assert broken[1].startswith(f"{tmp_path}/b.txt, line 1: is not WINDOWS-1252: byte 0x81")
    assert "its own encoding: --encoding NAME" in broken[1]


@pytest.mark.parametrize(
    ("text", "codec"),
    [(GERMAN, "windows-1252"), (RUSSIAN, "koi8-r"), (CHINESE, "gb18030")],
)
def test_so_do_xml_archives_and_messages(text: str, codec: str, tmp_path: Path) -> None:
    other = text.encode(codec)
    long = "<p>" + "x" * 70_000 + "</p>"
    write(tmp_path / "a.xml", b"<a><p>" + other + f"</p>{long}</a>".encode())
    graph = f'<graphml><key id="t" attr.name="text"/><node id="b"><data key="t">{text}</data></node></graphml>'
    write(tmp_path / "b.graphml", graph.encode(codec))
    write(tmp_path / "c.zip", zip_of({"in/c.txt": other, "in/d.xml": b"<a><p>" + other + b"</p></a>"}))
    write(tmp_path / "e.eml", b"From: a@b\nSubject: x\n\n" + other)
    attached = b"--x\nContent-Type: text/plain\n\nHello.\n--x\nContent-Disposition: attachment; filename=g.txt\n\n"
    write(
        tmp_path / "f.eml",
        b"From: a@b\nSubject: x\nContent-Type: multipart/mixed; boundary=x\n\n" + attached + other + b"--x--\n",
    )
    texts, decoded, broken = read(tmp_path, codec)
    assert broken == []
    assert {name for name in texts if text.strip() in texts[name]} == {
        "a.xml", "b.graphml", "c.txt", "d.xml", "e.eml", "g.txt"
    }  # fmt: skip
    places = {each.path.removeprefix(f"{tmp_path}/") for each in decoded}
    assert places == {"a.xml", "b.graphml", "c.zip/in/c.txt", "c.zip/in/d.xml", "f.eml/g.txt"}


@pytest.mark.parametrize("codec", ["gb18030", "shift_jis", "koi8-r", "iso-8859-1", "utf-16"])
def test_xml_is_read_in_the_encoding_that_it_declares(codec: str, tmp_path: Path) -> None:
    word = {"gb18030": "北京", "shift_jis": "東京", "koi8-r": "Москва"}.get(codec, "Köln")
    write(tmp_path / "a.xml", f'<?xml version="1.0" encoding="{codec}"?><a><p>{word}</p></a>'.encode(codec))
    for encoding in ("", "windows-1252"):
        assert read(tmp_path, encoding)[0] == {"a.xml": word}
