"""Loads the text of PDF files."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from statistics import median
from typing import IO, TYPE_CHECKING, Any

from overstory.errors import BrokenSource
from overstory.model import Annotation, Document, with_zone
from overstory.protocols import OnBroken
from overstory_loaders.blocks import clean_text, clean_title
from overstory_loaders.by_content import format_by_content
from overstory_loaders.files import (
    WHOLE_FILE_BYTE_LIMIT,
    address,
    empty,
    has_suffix,
    missing_extra,
    open_seekable,
    stem,
)
from overstory_loaders.metadata import clean_metadata, separated
from overstory_loaders.pdf_annotations import FormField, TextRun, filled, shown_annotations
from overstory_loaders.pdf_columns import LEAST_JUMP_POINTS, LEAST_ROWS, in_columns
from overstory_loaders.recognition import RecognisedPage, can_recognise

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader


_EDGE_LINES = 2
"""Number of lines at the top of a page, and at its bottom, that may be running heads."""
_LEAST_HEAD_PAGES = 3
_LEAST_HEAD_SHARE = 0.4
"""A line is a running head if it occurs on at least `_LEAST_HEAD_PAGES` pages and this fraction of the pages with text.

The fraction is less than one half, because left and right pages of a book have different heads.
"""
_LEAST_LINES_OF_A_PAGE = 20
"""Running heads are left out only if half of the pages have this many lines. The last lines of a letter may repeat."""
_LEAST_SENTENCE_WORDS = 5
_LEAST_LOWER_SHARE = 0.4
_WORD = re.compile(r"[^\W\d_]+")
_SENTENCE_END = re.compile(r"[.!?…][\"'”’»)\]]*$")
_UNSPACED_SENTENCE_END = re.compile(r"[。！？][」』”]*$")
"""A line with a sentence is no running head. A sentence has 5 words, and 2 of 5 are in lower case."""
_MOST_NUMBERS_OF_A_HEAD = 3
_LONGEST_HEAD_LINE_CHARACTERS = 200
"""Maximum length of a running head. Only its first `_MOST_NUMBERS_OF_A_HEAD` numbers can be page numbers."""

_NUMBER = re.compile(r"\d{1,5}")
_ROMAN = re.compile(r"(?i)[ivxlc]{1,8}")
_ROMAN_DIGITS = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


def without_running_heads(pages: Sequence[str]) -> list[str]:
    """Return the pages without running heads and page numbers.

    A number is a page number if it increases by one from page to page while the rest of its line stays the same. The
    first occurrence of a running head without a page number is kept, because it may be the title. Lines next to a
    repeated sentence are kept, as is every line without a page number if most pages are short. A page that contains
    nothing else stays unchanged.
    """
    lines = [page.split("\n") for page in pages]
    edges = [_edges(page) for page in lines]
    with_text = sum(map(bool, edges))
    pages_of = Counter(form for number, places in enumerate(edges) for form in _forms_of(lines[number], places, number))
    repeated = {form for form, n in pages_of.items() if n >= _LEAST_HEAD_PAGES and n >= _LEAST_HEAD_SHARE * with_text}
    are_short = median([sum(map(bool, map(str.strip, page))) for page in lines] or [0]) < _LEAST_LINES_OF_A_PAGE
    seen: set[str] | None = None if are_short else set()
    return [_shortened(page, edges[number], number, repeated, seen) for number, page in enumerate(lines)]


def _edges(lines: Sequence[str]) -> list[int]:
    places = [place for place, line in enumerate(lines) if line.strip()]
    return sorted({*places[:_EDGE_LINES], *places[-_EDGE_LINES:]})


def _forms_of(lines: Sequence[str], places: Sequence[int], number: int) -> set[str]:
    return {form for place in places for form in _forms(lines[place], number)}


def _forms(line: str, number: int) -> Iterator[str]:
    """Yield the forms of a line that are compared with those of other pages.

    The first form is the line itself. In each of the others, one number is replaced by its difference from the position
    of the page, so that lines with page numbers have equal forms.
    """
    text = " ".join(line.split())
    if len(text) > _LONGEST_HEAD_LINE_CHARACTERS:
        return
    yield text
    for found in list(_NUMBER.finditer(text))[:_MOST_NUMBERS_OF_A_HEAD]:
        yield f"{text[: found.start()]}\0{int(found.group()) - number}\0{text[found.end() :]}"
    if _ROMAN.fullmatch(text):
        yield f"\0{_roman(text) - number}\0roman"


def _shortened(lines: list[str], places: Sequence[int], number: int, repeated: set[str], seen: set[str] | None) -> str:
    """Return a page without its page numbers and repeated lines.

    Args:
        places: indexes of the lines at the top and bottom.
        seen: lines at the edges of earlier pages, to which those of this page are added; None to keep repeated lines.
    """
    dropped: set[int] = set()
    heads: list[int] = []
    for place in places:
        literal, *counted = list(_forms(lines[place], number)) or [""]
        if repeated.intersection(counted):
            dropped.add(place)
        elif literal in repeated and seen is not None and literal in seen:
            heads.append(place)
        if seen is not None:
            seen.add(literal)
    half = len(lines) / 2
    for edge in ([place for place in heads if place < half], [place for place in heads if place >= half]):
        if not any(_is_sentence(lines[place]) for place in edge):
            dropped.update(edge)
    rest = "\n".join(line for place, line in enumerate(lines) if place not in dropped).strip()
    return rest or "\n".join(lines)


def _is_sentence(line: str) -> bool:
    line = line.strip()
    words = _WORD.findall(line)
    in_lower_case = sum(word[0].islower() for word in words)
    is_spaced = len(words) >= _LEAST_SENTENCE_WORDS and in_lower_case >= _LEAST_LOWER_SHARE * len(words)
    return bool(_UNSPACED_SENTENCE_END.search(line) or (is_spaced and _SENTENCE_END.search(line)))


def _roman(text: str) -> int:
    values = [_ROMAN_DIGITS[digit] for digit in text.lower()]
    return sum(-a if a < b else a for a, b in zip(values, [*values[1:], 0], strict=True))


SUFFIXES = (".pdf",)
PAGE_GAP = "\n\n"
_PAGE_OPERATION_LIMIT = 5_000_000
"""Maximum number of drawing operations in a document.

A manual of 14,000 pages has this many. A malicious file of one megabyte may have far more.
"""

_MOST_TIMES_LISTED = 1_000
"""Maximum number of references to the same page. A reference takes only 6 bytes, but causes the page to be read again.
"""
_SHOWS_TEXT = frozenset((b"Tj", b"TJ", b"'", b'"'))
"""Operators that show text."""
_LEAST_RUN_TOGETHER = 3
"""If a page has this many words of 25 or more Latin, Greek or Cyrillic letters, the spaces between words were lost."""

_RUN_TOGETHER = re.compile(r"(?<![a-zà-ɏͰ-ӿ])[a-zà-ɏͰ-ӿ]{25,}+", re.IGNORECASE)
_HYPHENATED = re.compile(r"(?<=[a-zß-öø-ÿ])-\n(?=[a-zß-öø-ÿ])")
_NO_TITLE = re.compile(r"(?i)untitled.*|microsoft \w+ - .*|.*\.(?:docx?|tex|dvi|indd|pdf|qxd|ps)")
"""Matches titles that programs insert if the author specified none."""


_NO_OUTPUT = logging.NullHandler()
_NAMES = {"/CreationDate": "created", "/ModDate": "modified"}
_DATE = re.compile(
    r"(?:D:)?(\d{4})(?:(\d\d)(?:(\d\d)(?:(\d\d)(?:(\d\d)(?:(\d\d))?)?)?)?)?(?:Z|([+-])(\d\d)'?(?:(\d\d)'?)?)?(?:00'?)*",
    re.ASCII,
)


class PdfLoader:
    """Loader for PDF files. The title comes from the metadata or the file name. Headings are not detected."""

    name = "pdf"
    isolated = True

    def recognises(self, source: str) -> bool:
        return has_suffix(source, SUFFIXES)

    def recognises_content(self, source: str) -> bool:
        return format_by_content(source) == "pdf"

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document | Annotation]:
        """Yield one document, without running heads and page numbers.

        Its metadata includes the PDF metadata, the number of pages (`pages`) and their offsets in the text
        (`page_starts`). Unreadable pages are reported and left out.
        """
        with open_seekable(source) as stream:
            reader = _opened(stream, source)
            read = list(_page_texts(reader, source, on_broken))
            scans = _recognised(stream, source, [page.text for page in read], on_broken)
            texts = without_running_heads([scans[n].text if n in scans else page.text for n, page in enumerate(read)])
            texts = [_without_hyphens(text) for text in texts]
            pages = joined_pages(
                ["\n".join(filter(None, (t, *page.notes))) for t, page in zip(texts, read, strict=True)]
            )
            described = _described(reader)
        if not pages.text:
            raise _without_text(source, len(pages.starts))
        metadata = {**described.metadata, "pages": len(pages.starts), "page_starts": pages.starts}
        if scans:
            metadata["ocr_pages"] = [number + 1 for number in scans]
            metadata["ocr_confidence"] = round(min(page.confidence for page in scans.values()), 2)
        yield Document(
            source=address(source),
            source_key="",
            text=pages.text,
            title=described.title or clean_title(stem(source, SUFFIXES)),
            metadata=clean_metadata(metadata, dates_in_text=False).values,
        )


@dataclass(frozen=True, slots=True)
class _ReadPage:
    """The text of a page, and the texts of its stamps and free-text annotations."""

    text: str
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class JoinedPages:
    """The text of several pages, and the offset of each page. An empty page starts where the text before it ends."""

    text: str
    starts: list[int]


@dataclass(frozen=True, slots=True)
class _PdfMetadata:
    title: str = ""
    metadata: Mapping[str, object] = field(default_factory=dict)


def _opened(stream: IO[bytes], source: str) -> PdfReader:
    try:
        from pypdf import PdfReader
        from pypdf.errors import DependencyError, EmptyFileError
    except ImportError as error:
        raise missing_extra("pdf", "pypdf") from error
    # This handler prevents Python from printing pypdf's warnings to standard error.
    logging.getLogger("pypdf").addHandler(_NO_OUTPUT)
    try:
        reader = PdfReader(stream)
        # Publishers often encrypt files with an empty password to forbid printing. Anyone may read these files.
        readable = not reader.is_encrypted or bool(reader.decrypt(""))
        page_count = len(reader.pages) if readable else 0
    except DependencyError as error:
        raise missing_extra("pdf", "cryptography") from error
    except EmptyFileError as error:
        raise empty(source) from error
    except Exception as error:  # pypdf's manual: "broken PDF files might cause other Exceptions"
        raise BrokenSource(
            f"is not a PDF, or is damaged: {_error_text(error)}",
            source=source,
            remedy="Download it again, or try: qpdf OLD.pdf NEW.pdf",
        ) from error
    if not readable:
        raise BrokenSource(
            "is encrypted, and needs a password",
            source=source,
            remedy="Decrypt it first: qpdf --decrypt --password=… OLD.pdf NEW.pdf",
        )
    if not page_count:
        raise BrokenSource("has no pages", source=source, remedy="Download it again, or try: qpdf OLD.pdf NEW.pdf")
    return reader


def _page_texts(reader: PdfReader, source: str, on_broken: OnBroken) -> Iterator[_ReadPage]:
    left = _PAGE_OPERATION_LIMIT
    characters = 0
    listed = Counter[object]()

    def count(*_: object) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise _too_large(source, f"has more than {_PAGE_OPERATION_LIMIT:,} drawing operations")

    jumps = 0
    at = (0.0, 0.0)

    def follow(operator: bytes, _operands: object, matrix: Sequence[float], inner: Sequence[float]) -> None:
        nonlocal jumps, at
        count()
        if operator in _SHOWS_TEXT:
            before, at = at, _position(matrix, inner)
            jumps += at[0] - before[0] >= LEAST_JUMP_POINTS and abs(at[1] - before[1]) <= 1

    for number in range(1, len(reader.pages) + 1):
        text, notes = "", list[str]()
        page: PageObject | None = None
        try:
            page = reader.pages[number - 1]
            listed[page.indirect_reference] += 1
            if listed[page.indirect_reference] > _MOST_TIMES_LISTED:
                raise BrokenSource(
                    f"lists the same page more than {_MOST_TIMES_LISTED:,} times", source=source, remedy="Leave it out."
                )
            jumps = 0
            text = page.extract_text(visitor_operand_before=follow)
            if len(_RUN_TOGETHER.findall(text)) >= _LEAST_RUN_TOGETHER and _without_false_space(page):
                text = page.extract_text(visitor_operand_before=count)
            if jumps >= LEAST_ROWS:
                text = in_columns(_text_runs(page, count)) or text
        except BrokenSource:
            raise
        except Exception as error:  # noqa: BLE001 # pypdf may raise any exception for a damaged file
            on_broken(BrokenSource(f"page {number} cannot be read: {_error_text(error)}", source=source))
        try:
            if page is not None and "/Annots" in page:
                text, notes = _with_annotations(page, text, count)
        except BrokenSource:
            raise
        except Exception as error:  # noqa: BLE001 # as above
            on_broken(
                BrokenSource(f"page {number}: its form fields cannot be read: {_error_text(error)}", source=source)
            )
        characters += len(text) + sum(map(len, notes))
        if characters > WHOLE_FILE_BYTE_LIMIT:
            raise _too_large(source, f"has more than {WHOLE_FILE_BYTE_LIMIT // 2**20} MiB of text")
        yield _ReadPage(clean_text(text), notes)


def _with_annotations(page: PageObject, text: str, count: Callable[..., None]) -> tuple[str, list[str]]:
    """Return the text of a page with the values of its form fields, and the texts of its stamps and free text."""

    def text_of(form: Any) -> str:
        return page.extract_xform_text(form, visitor_operand_before=count)

    fields: list[FormField] = []
    notes: list[str] = []
    for each in shown_annotations(page, text_of):
        count()
        if isinstance(each, FormField):
            fields.append(each)
        elif each:
            notes.append(each)
    return filled(_text_runs(page, count), fields) if fields else text, notes


def _position(matrix: Sequence[float], inner: Sequence[float]) -> tuple[float, float]:
    """Return the position on the page that a text matrix within a transformation has."""
    x, y = inner[4], inner[5]
    return x * matrix[0] + y * matrix[2] + matrix[4], x * matrix[1] + y * matrix[3] + matrix[5]


def _text_runs(page: PageObject, count: Callable[..., None]) -> list[TextRun]:
    """Return the text of a page in pieces, as its drawing operations show it."""
    from pypdf.generic import ContentStream, FloatObject, NameObject

    runs: list[TextRun] = []

    def add(text: str, matrix: Sequence[float], inner: Sequence[float], *_: object) -> None:
        if text:
            runs.append(TextRun(text, *_position(matrix, inner)))

    if "/Contents" not in page:
        return []
    contents = ContentStream(page["/Contents"].get_object(), page.pdf, "bytes")
    # pypdf passes on the text that it has collected when the coordinates change. Setting them to themselves makes it
    # pass on the text of each operation.
    unchanged = [FloatObject(each) for each in (1, 0, 0, 1, 0, 0)]
    contents.operations = [
        each
        for operation in contents.operations
        for each in ([(unchanged, b"cm"), operation] if operation[1] in _SHOWS_TEXT else [operation])
    ]
    original = page.raw_get("/Contents")
    try:
        page[NameObject("/Contents")] = contents
        page.extract_text(visitor_operand_before=count, visitor_text=add)
    finally:
        page[NameObject("/Contents")] = original
    return runs


def _without_false_space(page: PageObject) -> bool:
    """Set the width of glyph number 32 to 0 in fonts that number their glyphs. Return True if there are such fonts.

    These fonts, which XeTeX uses for example, may have no space. pypdf then takes the width of glyph 32 for the width
    of a space. It is often too large, and pypdf therefore overlooks the gaps between words.
    """
    from pypdf.generic import ArrayObject, NumberObject

    changed = False
    resources: Any = page.get("/Resources", {})
    for font in resources.get("/Font", {}).values():
        for descendant in font.get_object().get("/DescendantFonts", ()):
            widths = descendant.get_object().get("/W", None)
            widths = widths and widths.get_object()
            if isinstance(widths, ArrayObject):
                widths.extend([NumberObject(ord(" ")), ArrayObject([NumberObject(0)])])
                changed = True
    return changed


def _too_large(source: str, what: str) -> BrokenSource:
    return BrokenSource(
        f"{what}, too much to read at once", source=source, remedy="Split it: qpdf --split-pages=500 OLD.pdf NEW.pdf"
    )


def _without_hyphens(text: str) -> str:
    """Join words that are hyphenated at the end of a line, as pdftotext does."""
    return _HYPHENATED.sub("", text)


def _recognised(
    stream: IO[bytes], source: str, texts: Sequence[str], on_broken: OnBroken
) -> Mapping[int, RecognisedPage]:
    """Recognise the pages without text, and return them by page number, counted from 0.

    Return {} if the extra `ocr` is not installed.
    """
    textless = [number for number, text in enumerate(texts) if not text]
    if not textless or not can_recognise():
        return {}
    from overstory_loaders.pdf_scans import recognised_pages

    return recognised_pages(stream, source, textless, on_broken)


def _without_text(source: str, pages: int) -> BrokenSource:
    if can_recognise():
        return BrokenSource(
            f"has no text on its {pages} pages, and text recognition found none", source=source, remedy="Leave it out."
        )
    return BrokenSource(
        f"has no text on its {pages} pages: they are probably scanned images",
        source=source,
        remedy="Install overstory[ocr], or recognise the text first, for example: ocrmypdf OLD.pdf NEW.pdf",
    )


def joined_pages(pages: Sequence[str]) -> JoinedPages:
    """Join the texts of pages into one text, and record the offset of each page."""
    starts: list[int] = []
    text: list[str] = []
    length = 0
    for page in pages:
        if page and text:
            text.append(PAGE_GAP)
            length += len(PAGE_GAP)
        starts.append(length)
        if page:
            text.append(page)
            length += len(page)
    return JoinedPages("".join(text), starts)


def _described(reader: PdfReader) -> _PdfMetadata:
    """Return the title and the other metadata, including the language. Names are in lower case."""
    try:
        found: Mapping[str, object] = reader.metadata or {}
        entries = {name: str(value) for name, value in found.items() if isinstance(value, str)}
        language = reader.root_object.get("/Lang")
    except Exception:  # noqa: BLE001 # damaged metadata are ignored, whatever pypdf raises
        return _PdfMetadata()
    title = clean_title(entries.pop("/Title", ""))
    metadata: dict[str, object] = {"language": str(language) if isinstance(language, str) and language else None}
    for name, text in entries.items():
        key = _NAMES.get(name, name.removeprefix("/").lower())
        if clean_text(text):
            metadata.setdefault(key, _entry(key, text))
    return _PdfMetadata("" if _NO_TITLE.fullmatch(title) else title, metadata)


def _entry(key: str, text: str) -> object:
    if key == "keywords":
        return separated(text)
    return (pdf_date(text) or text) if key in _NAMES.values() else text


def pdf_date(text: str) -> datetime | None:
    """Parse a PDF date such as "D:20240229123000+01'00'", in which only the year is required; None if it is invalid."""
    found = _DATE.fullmatch(text.strip())
    if found is None:
        return None
    *moment, sign, hours, minutes = found.groups()
    offset = timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
    year, month, day, hour, minute, second = (
        int(each or least) for each, least in zip(moment, (0, 1, 1, 0, 0, 0), strict=True)
    )
    try:
        zone = timezone(-offset if sign == "-" else offset)
        return with_zone(datetime(year, month, day, hour, minute, second, tzinfo=zone))
    except ValueError:  # the date or the time zone does not exist
        return None


def _error_text(error: Exception) -> str:
    """Return the reason for a failure, in words that make sense to people who do not know pypdf."""
    from pypdf.errors import PdfStreamError, PyPdfError

    if isinstance(error, PdfStreamError):  # pypdf raises this for truncated files
        return "it ends unexpectedly"
    if isinstance(error, PyPdfError) and str(error):
        return str(error)
    return f"its structure is invalid ({error})" if str(error) else "its structure is invalid"
