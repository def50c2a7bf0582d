from __future__ import annotations

from pathlib import Path

import pytest
from tests.sources import load, write

from overstory.sources.loader_catalogue import catalogue
from overstory_loaders import RtfLoader

FONTS = r"{\fonttbl{\f0 Arial;}{\f1\fcharset238 Times;}}"


def _rtf(body: str, about: str = "") -> str:
    return rf"{{\rtf1\ansi\ansicpg1252\deff0{FONTS}{about}" + "\n" + body + "}"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (r"\f0 The tenant is Mira T\'f8ft.\par It ends in May.\par", "The tenant is Mira Tøft.\n\nIt ends in May."),
        (r"Caf\u233? \f1 \'9akola", "Café škola"),
        (r"It ends{\footnote \pard Or in June.} in May.", "It ends Note: Or in June. in May."),
        (r"Above.\par{\shp{\*\shpinst{\sp{\sn a}{\sv 1}}{\shptxt \pard In a box.\par}}}", "Above.\n\nIn a box."),
        (r"{\*\generator Word;}{\header On each page}{\pict\pngblip 89504e47}Said.", "Said."),
        (
            r"\trowd Customer\cell Ada Byron\cell\row\trowd Net\cell 500\cell\row\trowd VAT\cell 95\cell\row\pard End.",
            "Customer: Ada Byron\nNet: 500\nVAT: 95\n\nEnd.",
        ),
        (
            r"\trowd Kind\cell Sold\cell Left\cell\row salt\cell 4\cell\cell\row iron\cell 3\cell 5\cell\row\pard",
            "Kind: salt | Sold: 4\nKind: iron | Sold: 3 | Left: 5",
        ),
    ],
)
def test_paragraphs_tables_notes_and_boxes_are_read(body: str, text: str, tmp_path: Path) -> None:
    path = write(tmp_path / "lease.rtf", _rtf(body))
    assert RtfLoader().recognises(str(path))
    assert load(RtfLoader(), path).document.text == text


def test_the_title_comes_from_the_properties_and_the_content_shows_the_format(tmp_path: Path) -> None:
    about = r"{\info{\author Ada}{\title The lease of K\'f6ln}}"
    path = write(tmp_path / "lease.doc", _rtf("Said.", about))
    loader = catalogue().recognising(str(path))
    assert isinstance(loader, RtfLoader)
    assert load(loader, path).document.title == "The lease of Köln"
    assert load(loader, write(tmp_path / "lease.rtf", _rtf("Said."))).document.title == "lease"


def test_what_is_no_rtf_is_refused(tmp_path: Path) -> None:
    assert load(RtfLoader(), write(tmp_path / "a.rtf", "text")).messages == [
        "is not RTF: it does not begin with {\\rtf"
    ]
    assert load(RtfLoader(), write(tmp_path / "b.rtf", " ")).messages == ["is empty"]
    assert load(RtfLoader(), write(tmp_path / "c.rtf", _rtf(r"{\pict 00}"))).messages == ["is empty"]
    deep = _rtf("{" * 100_000)
    assert load(RtfLoader(), write(tmp_path / "d.rtf", deep)).messages == ["is empty"]
