"""Word files (DOCX)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, TYPE_CHECKING

from overstory.errors import BrokenSource
from overstory.model import Annotation, Document
from overstory.protocols import OnBroken
from overstory_loaders.blocks import clean_title, join_blocks
from overstory_loaders.by_content import format_by_content
from overstory_loaders.files import address, empty, has_suffix, missing_extra, open_seekable, stem
from overstory_loaders.metadata import clean_metadata
from overstory_loaders.office_packages import office_properties, open_office
from overstory_loaders.packages import PackageKind, why_not_old

if TYPE_CHECKING:
    from docx.document import Document as WordDocument

SUFFIXES = (".docx",)

_SAVE_AGAIN = "Open it in Word or LibreOffice, and save it as .docx without a password."
_KIND = PackageKind("DOCX", _SAVE_AGAIN, "a .doc of before 2007")


class DocxLoader:
    """DOCX files, with the title from their properties, first heading of level 1, or file name."""

    name = "docx"
    isolated = True

    def recognises(self, source: str) -> bool:
        """By name, except Word's lock files of open documents."""
        return has_suffix(source, SUFFIXES) and not Path(source).name.startswith("~$")

    def recognises_content(self, source: str) -> bool:
        """By what the ZIP archive holds."""
        return format_by_content(source) == "docx"

    def why_not(self, source: str) -> BrokenSource | None:
        """Of files of before 2007."""
        return why_not_old(source, ".doc", _KIND)

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document | Annotation]:
        """One document: paragraphs, headings by style, tables with a line per row, notes; no headers and footers.

        Damaged parts but the main one are reported, and the rest is kept.
        """
        try:
            from overstory_loaders.docx_blocks import document_blocks
        except ImportError as error:
            raise missing_extra("docx", "python-docx") from error
        with open_seekable(source) as stream, ExitStack() as copies:
            opened = open_office(stream, source, _KIND, copies, by=_opened)
            properties = office_properties(opened.archive, source)

        def report(what: str) -> None:
            on_broken(BrokenSource(f"its {what}", source=source, remedy=_SAVE_AGAIN))

        def report_notes(what: str, error: Exception) -> None:
            report(f"{what} cannot be read: {type(error).__name__}: {error}")

        for part in opened.lost:
            report(str(part))
        outlined = join_blocks(document_blocks(opened.document, on_lost=report_notes))
        if not outlined.text:
            raise empty(source)
        first = next((heading.text for heading in outlined.headings if heading.level == 1), "")
        yield Document(
            source=address(source),
            source_key="",
            text=outlined.text,
            title=clean_title(str(properties.pop("title", "")))
            or clean_title(first)
            or clean_title(stem(source, SUFFIXES)),
            metadata=clean_metadata(properties, dates_in_text=False).values,
            headings=outlined.headings,
        )


def _opened(stream: IO[bytes]) -> WordDocument:
    import docx

    return docx.Document(stream)
