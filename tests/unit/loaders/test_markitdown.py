from __future__ import annotations

from pathlib import Path

import pytest
from tests.sources import docx_of, load, write

from overstory_loaders import MarkItDownLoader

PAGE = (
    "<html><head><title>Prices</title></head><body><h1>Prices</h1>"
    "<table><tr><th>a</th></tr><tr><td>1</td></tr></table></body></html>"
)


def test_what_it_converts_is_a_document_with_headings(tmp_path: Path) -> None:
    path = write(tmp_path / "table.html", PAGE)
    assert not MarkItDownLoader().recognises(str(path))
    document = load(MarkItDownLoader(), path).document
    assert (document.title, document.source) == ("Prices", path.as_posix())
    assert document.text == "# Prices\n\n| a |\n| --- |\n| 1 |"
    assert [heading.text for heading in document.headings] == ["Prices"]


@pytest.mark.parametrize(
    ("name", "content"),
    [("empty.txt", b""), ("photo.xyz", b"\x00\x01\x02" * 99), ("report.docx", docx_of(("Normal", "x"))[:200])],
)
def test_what_it_cannot_read_is_broken(name: str, content: bytes, tmp_path: Path) -> None:
    outcome = load(MarkItDownLoader(), write(tmp_path / name, content))
    assert (outcome.documents, len(outcome.broken)) == ([], 1)
    assert outcome.broken[0].source == str(tmp_path / name)
