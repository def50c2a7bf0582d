"""OpenDocument files of LibreOffice and others: texts (ODT), spreadsheets (ODS), presentations (ODP)."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

from overstory.errors import BrokenSource
from overstory.model import Annotation, Document, date_of
from overstory.model.metadata import number_of
from overstory.model.pages import PAGE_STARTS
from overstory.protocols import OnBroken
from overstory_loaders.blocks import join_blocks
from overstory_loaders.by_content import format_by_content
from overstory_loaders.cleaning import clean_title
from overstory_loaders.files import GZIP_SUFFIX, address, empty, has_suffix, open_seekable, stem
from overstory_loaders.metadata import clean_metadata, separated
from overstory_loaders.odf_blocks import OdfBlocks
from overstory_loaders.packages import PackageKind, open_member, open_package, readable_tree
from overstory_loaders.xlsx import HIDDEN_SHEETS, SPLIT_SHEETS
from overstory_loaders.xml_reading import xml_events

SUFFIXES = (".odt", ".ods", ".odp")

_CONTENT, _META, _MANIFEST = "content.xml", "meta.xml", "META-INF/manifest.xml"
_SAVE_AGAIN = "Open it in LibreOffice, and save it without a password."
_NAMES = {
    "creation-date": "created",
    "creator": "last_modified_by",
    "date": "modified",
    "description": "comments",
    "editing-cycles": "revision",
    "initial-creator": "author",
    "print-date": "last_printed",
}
"""Names as DOCX has them, where those in the file are others."""
_DATES = frozenset({"created", "modified", "last_printed"})
_FOR_PROGRAMS = frozenset({"editing_duration", "generator"})


class OdfLoader:
    """ODT, ODS and ODP files, with the title from their properties, a first heading, or the file name."""

    name = "odf"
    isolated = True

    def recognises(self, source: str) -> bool:
        """By name, except LibreOffice's lock files of open documents."""
        return has_suffix(source, SUFFIXES) and not Path(source).name.startswith(".~lock")

    def recognises_content(self, source: str) -> bool:
        """By what the ZIP archive says of itself."""
        return f".{format_by_content(source)}" in SUFFIXES

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document | Annotation]:  # noqa: ARG002
        """One document: headings, paragraphs, lists and tables; a heading per sheet; a heading and a page per slide."""
        kind = PackageKind(_kind_of(source), _SAVE_AGAIN, "a file of another program")
        with open_seekable(source) as stream:
            archive = open_package(
                stream, source, kind, is_streamed=lambda name: name == _CONTENT and kind.name == "ODS"
            )
            _check_encryption(archive, source)
            properties = _properties(archive, source)
            with open_member(archive, _CONTENT, source) as content:
                reader = OdfBlocks(xml_events(content, source, part=_CONTENT), source)
                remedy = SPLIT_SHEETS if kind.name == "ODS" else "Split it."
                outlined = join_blocks(reader.blocks(), source=source, remedy=remedy)
        if not reader.says_anything or not outlined.text:
            raise empty(source)
        first = next((each.text for each in outlined.headings if each.level == 1), "") if kind.name != "ODS" else ""
        first = "" if outlined.page_starts and first == "Slide 1" else first
        if outlined.page_starts:
            properties |= {"pages": len(outlined.page_starts), PAGE_STARTS: list(outlined.page_starts)}
        yield Document(
            source=address(source),
            source_key="",
            text=outlined.text,
            title=clean_title(str(properties.pop("title", "")))
            or clean_title(first)
            or clean_title(stem(source, SUFFIXES)),
            metadata=clean_metadata(
                {**properties, HIDDEN_SHEETS: reader.hidden_sheets or None}, dates_in_text=False
            ).values,
            headings=outlined.headings,
        )


def _kind_of(source: str) -> str:
    """ODT, ODS or ODP: by the name of a file, else by its content."""
    ending = Path(source.lower().removesuffix(GZIP_SUFFIX)).suffix
    return (ending[1:] if ending in SUFFIXES else format_by_content(source) or "odt").upper()


def _check_encryption(archive: zipfile.ZipFile, source: str) -> None:
    manifest = readable_tree(archive, _MANIFEST, source)
    if manifest is not None and manifest.first("encryption-data") is not None:
        raise BrokenSource("is encrypted, and needs a password", source=source, remedy=_SAVE_AGAIN)


def _properties(archive: zipfile.ZipFile, source: str) -> dict[str, object]:
    """What a document says of itself; a document is worth more than properties that are damaged."""
    tree = readable_tree(archive, _META, source)
    found: dict[str, object] = {}
    keywords: list[str] = []
    for element in tree.elements() if tree is not None else ():
        for each in element.elements():
            text = each.text().strip()
            name = _NAMES.get(each.name, each.name.replace("-", "_"))
            if not text or name in _FOR_PROGRAMS:
                continue
            if each.name == "keyword":
                keywords += separated(text)
            elif each.name == "user-defined":
                found.setdefault(each.attributes.get("name", ""), _typed(each.attributes.get("value-type", ""), text))
            else:
                found.setdefault(name, _value(name, text))
    return {**found, "keywords": list(dict.fromkeys(keywords)) or None}


def _value(name: str, text: str) -> object:
    if name == "revision" and text.isdecimal() and text.isascii():
        return int(text[:18])
    return (_date(text) or text) if name in _DATES else text


def _typed(kind: str, text: str) -> object:
    match kind:
        case "float":
            return number_of(text) or text
        case "boolean":
            return text == "true"
        case "date":
            return _date(text) or text
        case _:
            return text


def _date(text: str) -> object:
    """A date as LibreOffice writes it, with nine digits of a second."""
    whole, point, fraction = text.partition(".")
    return date_of(f"{whole}{point}{fraction[:6]}" if fraction.isdecimal() else text)
