"""Files that differ from a usual format only in their container: compression, macros, templates."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest
from tests.sources import docx_of, load, mail_of, odf_of, parts_of, pptx_of, write, xlsx_of, zip_of

from overstory.display import error_text
from overstory.sources.loader_catalogue import catalogue

WORD, SLIDES, OPEN = "vnd.ms-word", "vnd.ms-powerpoint", "vnd.openxmlformats-officedocument"
TYPES = {
    "docm": f"{WORD}.document.macroEnabled",
    "dotx": f"{OPEN}.wordprocessingml.template",
    "dotm": f"{WORD}.template.macroEnabledTemplate",
    "pptm": f"{SLIDES}.presentation.macroEnabled",
    "ppsx": f"{OPEN}.presentationml.slideshow",
    "ppsm": f"{SLIDES}.slideshow.macroEnabled",
    "potx": f"{OPEN}.presentationml.template",
    "potm": f"{SLIDES}.template.macroEnabled",
    "xltx": f"{OPEN}.spreadsheetml.template",
    "xltm": "vnd.ms-excel.template.macroEnabled",
}
PACKED: dict[str, Callable[[bytes], bytes]] = {"bz2": bz2.compress, "xz": lzma.compress, "gz": gzip.compress}
PLAIN = {
    "wordprocessingml.document": docx_of(("Normal", "The tenant is Mira Toft.")),
    "presentationml.presentation": pptx_of(("The tenant is Mira Toft.", "")),
    "spreadsheetml.sheet": xlsx_of(Sheet=[["The tenant is Mira Toft."]]),
}


def _texts(path: Path) -> list[str]:
    loader = catalogue().recognising(str(path))
    assert loader
    return [load(loader, path).document.text]


@pytest.mark.parametrize("suffix", sorted(TYPES))
def test_macros_templates_and_slide_shows_are_read_as_plain_files(suffix: str, tmp_path: Path) -> None:
    family = {"d": "wordprocessingml.document", "p": "presentationml.presentation", "x": "spreadsheetml.sheet"}[
        suffix[0]
    ]
    parts = parts_of(PLAIN[family])
    types = parts["[Content_Types].xml"].decode()
    assert f"{OPEN}.{family}.main" in types
    parts["[Content_Types].xml"] = types.replace(f"{OPEN}.{family}.main", f"{TYPES[suffix]}.main").encode()
    for name in (f"a.{suffix}", "renamed"):
        assert "The tenant is Mira Toft." in _texts(write(tmp_path / name, zip_of(parts)))[0]


@pytest.mark.parametrize("suffix", ["bz2", "xz", "gz"])
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", b"The tenant is Mira Toft."),
        ("a.csv", b"text\nThe tenant is Mira Toft.\n"),
        ("a.docx", docx_of(("Normal", "The tenant is Mira Toft."))),
        ("a.odt", odf_of("<office:text><text:p>The tenant is Mira Toft.</text:p></office:text>")),
        ("NOTES", b"The tenant is Mira Toft."),
    ],
)
def test_a_compressed_file_is_read_as_what_it_contains(suffix: str, name: str, content: bytes, tmp_path: Path) -> None:
    packed = PACKED[suffix](content)
    assert _texts(write(tmp_path / f"{name}.{suffix}", packed)) == ["The tenant is Mira Toft."]


@pytest.mark.parametrize("suffix", ["bz2", "xz"])
def test_damaged_compression_is_reported(suffix: str, tmp_path: Path) -> None:
    packed = bytearray(PACKED[suffix](bytes(range(256)) * 100))
    packed[60:80] = b"x" * 20
    path = write(tmp_path / f"a.txt.{suffix}", bytes(packed))
    loader = catalogue().recognising(str(path))
    assert loader
    [broken] = load(loader, path).broken
    assert broken.reason.startswith("the compressed data are damaged: ")
    assert broken.remedy.startswith("Check it with bzip2 or xz -t")


@pytest.mark.parametrize("length", [0, 100, 100_000])  # programs that convert mail do not count well
def test_a_message_of_apple_mail_is_read_without_its_property_list(length: int, tmp_path: Path) -> None:
    plist = b'<?xml version="1.0"?>\n<plist version="1.0"><dict><key>flags</key></dict></plist>\n'
    content = f"{length}\n".encode() + mail_of("Lease", "The tenant lives in Köln.").as_bytes() + plist
    [text] = _texts(write(tmp_path / "1.emlx", content))
    assert text.endswith("The tenant lives in Köln.")


def test_messages_contain_no_python_objects(tmp_path: Path) -> None:
    stream = io.BytesIO()
    openpyxl.Workbook().save(stream)
    path = write(tmp_path / "a.docx", stream.getvalue())
    loader = catalogue().named("docx")
    [broken] = load(loader, path).broken
    assert "<" not in str(broken)
    for thing in (object(), stream, dict, b"PK"):
        text = error_text(ValueError(f"'{thing}' or {thing!r} is no file"))
        assert "<" not in text
        assert "b'" not in text
