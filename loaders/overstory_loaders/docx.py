"""Word files (DOCX)."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

from overstory.errors import BrokenSource
from overstory.model import Annotation, Document, date_of
from overstory.protocols import OnBroken
from overstory_loaders.blocks import join_blocks
from overstory_loaders.cleaning import clean_title
from overstory_loaders.files import (
    WHOLE_FILE_BYTE_LIMIT,
    address,
    empty,
    has_suffix,
    missing_extra,
    open_bytes,
    reading,
    stem,
)
from overstory_loaders.metadata import clean_metadata, separated

if TYPE_CHECKING:
    from docx.document import Document as WordDocument

UNPACKED_BYTE_LIMIT = 512 * 2**20
_OLD_OFFICE = bytes.fromhex("d0cf11e0a1b11ae1")
_CORE = (
    *("author", "category", "comments", "content_status", "created", "identifier", "keywords", "language"),
    *("last_modified_by", "last_printed", "modified", "revision", "subject", "version"),
)
_WHOLE = frozenset({"i1", "i2", "i4", "i8", "int", "ui1", "ui2", "ui4", "ui8", "uint"})
_SAVE_AGAIN = "Open it in Word or LibreOffice, and save it as .docx without a password."


class DocxLoader:
    """DOCX files, with the title from their properties, first heading of level 1, or file name."""

    name = "docx"

    def recognises(self, source: str) -> bool:
        """By name, except Word's lock files of open documents."""
        return has_suffix(source, (".docx",)) and not Path(source).name.startswith("~$")

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document | Annotation]:  # noqa: ARG002
        """One document: paragraphs, headings by style, tables with a line per row; no notes, headers and footers."""
        try:
            from overstory_loaders.docx_blocks import document_blocks
        except ImportError as error:
            raise missing_extra("docx", "python-docx") from error
        with open_bytes(source) as stream:
            _check(stream, source)
            word = _opened(stream, source)
        outlined = join_blocks(document_blocks(word))
        if not outlined.text:
            raise empty(source)
        first = next((heading.text for heading in outlined.headings if heading.level == 1), "")
        yield Document(
            source=address(source),
            source_key="",
            text=outlined.text,
            title=clean_title(word.core_properties.title) or clean_title(first) or clean_title(stem(source)),
            metadata=clean_metadata(_properties(word), dates_in_text=False).values,
            headings=outlined.headings,
        )


def _properties(word: WordDocument) -> dict[str, object]:
    """The properties of a document but for its title, those that its users made up among them."""
    core = word.core_properties
    values: dict[str, object] = dict(_own_properties(word))
    for name in _CORE:
        try:
            value: object = getattr(core, name)
        except ValueError:  # not a valid date
            continue
        if value not in ("", None):
            values[name] = separated(value) if name == "keywords" and isinstance(value, str) else value
    return values


def _own_properties(word: WordDocument) -> Iterator[tuple[str, object]]:
    """The properties that users made up, by the types that they chose."""
    from docx.oxml import parse_xml

    parts = word.part.package.iter_parts() if word.part.package else ()
    part = next((part for part in parts if part.partname == "/docProps/custom.xml"), None)
    try:
        root = None if part is None else parse_xml(part.blob)
    except SyntaxError:  # of lxml
        return
    for node in () if root is None else root:
        name, value = node.get("name"), next(iter(node), None)
        if name and value is not None and value.text:
            yield name, _typed(value.tag.rpartition("}")[2], value.text)


def _typed(type_: str, text: str) -> object:
    """A value by its type in a DOCX: `i4`, `r8`, `bool`, `filetime`, or a text."""
    try:
        if type_ in _WHOLE:
            return int(text)
        if type_ in ("r4", "r8", "decimal"):
            return float(text)
    except ValueError:
        return text
    if type_ == "bool":
        return text.strip().lower() in ("true", "1")
    return (date_of(text.strip()) or text) if type_ in ("filetime", "date") else text


def _check(stream: IO[bytes], source: str) -> None:
    """Raise `BrokenSource` for files that are not ZIP archives, and for archives too large to unpack."""
    with reading(source):
        head = stream.read(len(_OLD_OFFICE))
    if not head:
        raise empty(source)
    if head == _OLD_OFFICE:
        raise BrokenSource("is encrypted, or a .doc of before 2007", source=source, remedy=_SAVE_AGAIN)
    try:
        with reading(source):
            members = zipfile.ZipFile(stream).infolist()
    except (zipfile.BadZipFile, NotImplementedError) as error:
        raise BrokenSource(f"is not a DOCX: {error}", source=source, remedy=_SAVE_AGAIN) from error
    markup = max((member.file_size for member in members if member.filename.endswith(".xml")), default=0)
    if markup > WHOLE_FILE_BYTE_LIMIT or sum(member.file_size for member in members) > UNPACKED_BYTE_LIMIT:
        raise BrokenSource(
            f"unpacks to more than {WHOLE_FILE_BYTE_LIMIT // 2**20} MiB of text, "
            f"or {UNPACKED_BYTE_LIMIT // 2**20} MiB in all",
            source=source,
            remedy="Split it.",
        )


def _opened(stream: IO[bytes], source: str) -> WordDocument:
    import docx

    try:
        return docx.Document(stream)
    except Exception as error:  # python-docx does not wrap errors of ZIP, XML and dictionaries
        raise BrokenSource(
            f"is not a DOCX, or is damaged: {type(error).__name__}: {error}", source=source, remedy=_SAVE_AGAIN
        ) from error
