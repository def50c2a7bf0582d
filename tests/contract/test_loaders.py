"""The contract of every registered loader. A new one needs a sample here."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.sources import (
    CONVERTS_POD,
    FORMATS_MANUAL_PAGES,
    docx_of,
    epub_of,
    load,
    mail_of,
    notebook_of,
    odf_of,
    pdf_of,
    picture_of,
    pptx_of,
    tiff_of,
    write,
    xlsx_of,
    zip_of,
)

from overstory.errors import BrokenSource
from overstory.model import Document
from overstory.protocols import Loader
from overstory.sources import catalogue

LOADERS = catalogue().loaders
PARAGRAPH = "The caf\u00e9 in Oslo opened in 1895. "

GRAPHML = f"""<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="d0" for="node" attr.name="name" attr.type="string"/>
<graph edgedefault="directed">
<node id="a"><data key="d0">Caf\u00e9 {PARAGRAPH}</data></node>
<node id="b"/>
<edge source="a" target="b" label="NEAR"/>
</graph></graphml>
"""

EXCEL_XML = f"""<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"><Worksheet Name="Caf\u00e9"><Table>
<Row><Cell><Data>{PARAGRAPH}</Data></Cell></Row></Table></Worksheet></Workbook>"""

SAMPLES: dict[str, tuple[str, str | bytes]] = {
    "text": ("notes.txt", f"\n {PARAGRAPH}\r\n\r\nIt closed.\n"),
    "markdown": ("page.md", f"---\nyear: 1895\n---\n\n# Caf\u00e9\n\n{PARAGRAPH}\n\n## Owners\n\nTwo.\n"),
    "html": ("page.html", f"<title>Caf&eacute;</title><h1>Caf&eacute;</h1><p>{PARAGRAPH}<h2>Owners</h2>Two."),
    "pdf": ("report.pdf", pdf_of([PARAGRAPH, "Two owners."], title="Caf\u00e9")),
    "rst": ("page.rst", f"Caf\u00e9\n====\n\n.. note:: {PARAGRAPH}\n\nOwners\n------\n\nTwo.\n"),
    "man": (
        "coffee.1",
        f'.TH COFFEE 1 1895-02-28 "Oslo 1.0"\n.SH Caf\u00e9\n{PARAGRAPH}\n.SS Owners\n.TP\n.B \\-\\-all\nTwo.\n',
    ),
    "pod": (
        "coffee.pod",
        f"=encoding utf8\n\n=head1 Caf\u00e9\n\nC<<< {PARAGRAPH} >>>\n\n=head2 Owners\n\nTwo.\n\n=cut\n",
    ),
    "code": ("cafe.py", f"# {PARAGRAPH}\n\n\ndef owners():\n    return 2\n"),
    "image": ("scan.tif", tiff_of(picture_of("Coffee"))),
    "archive": ("notes.zip", zip_of({"a/notes.txt": PARAGRAPH, "page.md": f"# One\n\n{PARAGRAPH}"})),
    "docx": ("report.docx", docx_of(("Heading 1", "Caf\u00e9"), ("Normal", PARAGRAPH), ("Heading 2", "Owners"))),
    "epub": (
        "book.epub",
        epub_of({"1.xhtml": f"<h1>Caf\u00e9</h1><p>{PARAGRAPH}</p>", "2.xhtml": "<h2>Owners</h2><p>Two.</p>"}),
    ),
    "pptx": ("talk.pptx", pptx_of(("Caf\u00e9", PARAGRAPH), ("Owners", "Two."))),
    "xlsx": ("prices.xlsx", xlsx_of(Cafes=[("Caf\u00e9", "City", "Opened"), (PARAGRAPH, "Oslo", 1895)])),
    "odf": (
        "report.odt",
        odf_of(
            f"<office:text><text:h text:outline-level='1'>Caf\u00e9</text:h><text:p>{PARAGRAPH}</text:p>"
            "<text:h text:outline-level='2'>Owners</text:h><text:p>Two.</text:p></office:text>"
        ),
    ),
    "rtf": ("report.rtf", rf"{{\rtf1\ansi Caf\'e9\par {PARAGRAPH}\par}}".encode("cp1252")),
    "excel2003": ("prices.xml", EXCEL_XML),
    "mail": ("offer.eml", mail_of("Caf\u00e9", f"{PARAGRAPH}\n\nTwo owners.").as_bytes()),
    "notebook": (
        "analysis.ipynb",
        notebook_of(("markdown", f"# Caf\u00e9\n{PARAGRAPH}"), ("markdown", "## Owners"), ("code", "print(2)")),
    ),
    "settings": ("deploy.yaml", f"name: Caf\u00e9\nabout: |\n  {PARAGRAPH}\n"),
    "subtitles": (
        "film.en.srt",
        f"1\n00:00:01,000 --> 00:00:03,500\n{PARAGRAPH}\n\n2\n00:01:00,000 --> 00:01:02,000\nTwo.\n",
    ),
    "xml": (
        "book.xml",
        f"<book><title>Caf\u00e9</title><para>{PARAGRAPH}</para><s><title>Owners</title>Two.</s></book>",
    ),
    "graph": (
        "graph.graphml",
        GRAPHML,
    ),
    "jsonl": ("records.jsonl", '{"id": "a", "text": "One.", "x": {"y": [1]}}\n{"text": "Two."}\n{"text": "Two."}\n'),
    "csv": ("table.csv", "id,title,text\na,One,First.\nb,Two,Second.\n"),
    "beir": ("corpus.jsonl", '{"_id": "a", "title": "One", "text": "First."}\n{"_id": "b", "text": "Second."}\n'),
    "openie": (
        "openie.json",
        json.dumps({"docs": [{"idx": "a", "passage": "x y z", "extracted_entities": [], "extracted_triples": []}]}),
    ),
}

Sample = Callable[[str], Path]


@pytest.fixture
def sample(tmp_path: Path) -> Sample:
    """The sample of a loader, written to a folder of its own."""

    def write_one(name: str) -> Path:
        if (name == "man" and not FORMATS_MANUAL_PAGES) or (name == "pod" and not CONVERTS_POD):
            pytest.skip("the program for this format is not installed")
        file, content = SAMPLES[name]
        return write(tmp_path / name / file, content)

    return write_one


def test_every_registered_loader_has_a_sample() -> None:
    assert set(LOADERS) == {*SAMPLES, "markitdown"}  # which recognises nothing: see its own tests


@pytest.mark.parametrize("name", SAMPLES)
def test_it_is_a_loader_of_its_name_and_made_without_arguments(name: str) -> None:
    loader = LOADERS[name]
    assert isinstance(loader, Loader)
    assert loader.name == name
    assert type(loader)().name == name


@pytest.mark.parametrize("name", SAMPLES)
def test_it_alone_recognises_its_sample(name: str, sample: Sample) -> None:
    path = str(sample(name))
    assert [other for other in LOADERS if LOADERS[other].recognises(path)] == [name]


@pytest.mark.parametrize("name", SAMPLES)
def test_it_does_not_recognise_what_is_not_for_it(name: str, tmp_path: Path) -> None:
    (tmp_path / SAMPLES[name][0]).mkdir()
    assert not LOADERS[name].recognises(str(tmp_path / SAMPLES[name][0]))  # a folder of that name
    assert not LOADERS[name].recognises(str(write(tmp_path / "image.png", b"\x89PNG")))
    assert not LOADERS[name].recognises(str(tmp_path))


@pytest.mark.parametrize("name", SAMPLES)
def test_loading_twice_gives_equal_documents(name: str, sample: Sample) -> None:
    path = sample(name)
    first = load(LOADERS[name], path)
    assert first == load(LOADERS[name], path)
    assert first.documents
    assert first.broken == []


@pytest.mark.parametrize("name", SAMPLES)
def test_the_folder_it_is_called_from_does_not_matter(
    name: str, sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = sample(name)
    absolute = load(LOADERS[name], path)
    monkeypatch.chdir(path.parent)
    assert load(LOADERS[name], Path(path.name)) == absolute
    assert all(Path(document.source).is_absolute() for document in absolute.documents)


@pytest.mark.parametrize("name", SAMPLES)
def test_documents_are_clean_and_their_keys_unique(name: str, sample: Sample) -> None:
    documents = load(LOADERS[name], sample(name)).documents
    assert len({(document.source, document.source_key) for document in documents}) == len(documents)
    for document in documents:
        assert document.text
        assert document.text == document.text.strip() == unicodedata.normalize("NFC", document.text)
        assert "\r" not in document.text
        assert document.title == " ".join(document.title.split())
        for value in document.metadata.values():
            parts = value if isinstance(value, list) else [value]
            assert all(isinstance(part, str | bool | int | float | datetime) for part in parts)


@pytest.mark.parametrize("name", ["markdown", "html", "docx", "odf", "epub", "notebook", "rst", "man", "pod"])
def test_headings_stand_where_they_say(name: str, sample: Sample) -> None:
    (document,) = load(LOADERS[name], sample(name)).documents
    assert [(heading.level, heading.text) for heading in document.headings] == [(1, "Caf\u00e9"), (2, "Owners")]
    for heading in document.headings:
        line = document.text[heading.start :].partition("\n")[0]
        assert line.lstrip("# ") == heading.text
    assert all(one.start < other.start for one, other in pairwise(document.headings))


@pytest.mark.parametrize("name", SAMPLES)
def test_nothing_is_read_before_it_is_asked_for(name: str, tmp_path: Path) -> None:
    items = LOADERS[name].load(str(tmp_path / SAMPLES[name][0]), on_broken=_fail)
    with pytest.raises(BrokenSource):
        next(items)


@pytest.mark.parametrize("name", ["jsonl", "csv", "beir", "openie"])
def test_records_are_read_one_by_one(name: str, tmp_path: Path) -> None:
    lines = {
        "jsonl": ["", '{"text": "x"}', "{"],
        "csv": ["id,text\n", "1,x", "1,2,3"],
        "beir": ["", '{"_id": "a", "text": "x"}', "{"],
        "openie": ["", '{"_id": "a", "entities": [], "triples": []}', "{"],
    }
    header, good, bad = lines[name]
    file = SAMPLES[name][0].replace("openie.json", "openie.jsonl")
    path = write(tmp_path / file, f"{header}{good}\n{bad}\n")
    broken: list[BrokenSource] = []
    items = LOADERS[name].load(str(path), on_broken=broken.append)
    next(items)
    assert broken == []
    assert list(items) == []
    assert [error.line for error in broken] == [header.count("\n") + 2]


@pytest.mark.parametrize("content", [None, b"", b" \n\n ", b"\x00" * 5_000, bytes(range(256)) * 20])
@pytest.mark.parametrize("name", SAMPLES)
def test_a_source_that_cannot_be_read_is_broken_and_named(name: str, content: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / SAMPLES[name][0]
    if content is not None:
        write(path, content)
    outcome = load(LOADERS[name], path)
    assert outcome.documents == []
    assert outcome.broken
    for error in outcome.broken:
        assert error.source == str(path)
        assert str(error).startswith(str(path))


@pytest.mark.parametrize("name", ["jsonl", "csv", "beir", "openie"])
def test_what_the_listener_raises_stops_the_loading(name: str, sample: Sample) -> None:
    path = sample(name)
    path.write_bytes(path.read_bytes().partition(b"\n")[0] + b"\n\xff\n" + path.read_bytes())
    with pytest.raises(BrokenSource) as raised:
        list(LOADERS[name].load(str(path), on_broken=_fail))
    assert raised.value.source == str(path)


@pytest.mark.parametrize(
    "name", [name for name in SAMPLES if name != "image"]
)  # a picture with damage is read, which takes seconds
@settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(data=st.data())
def test_damage_of_any_kind_is_a_broken_source_and_no_other_error(
    name: str, tmp_path: Path, data: st.DataObject
) -> None:
    file, content = SAMPLES[name]
    whole = content.encode() if isinstance(content, str) else content
    start = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(start, min(len(whole), start + 200)))
    damaged = whole[:start] + data.draw(st.binary(max_size=50)) + whole[end:]
    outcome = load(LOADERS[name], write(tmp_path / file, damaged))
    for document in outcome.documents:
        _check_storable(document)


def _check_storable(document: Document) -> None:
    for text in (document.source_key, document.title, document.text):
        text.encode("utf-8")
    for heading in document.headings:
        assert 0 <= heading.start < len(document.text)


def _fail(error: BrokenSource) -> None:
    raise error
