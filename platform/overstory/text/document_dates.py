"""Finds the date of a document, which is when its text was said: in metadata, title, file name and first lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from pathlib import PurePosixPath
from typing import Literal, NamedTuple

from overstory.model import Document, MetadataValue
from overstory.model.time_spans import PartialDate
from overstory.text.languages import foreign_language
from overstory.text.time_spans import dates_in, fact_span, names_a_document

DateSource = Literal["metadata", "title", "path", "text"]
"""Part of a document in which its date was found."""

_DATED_BY = ("said_at", "date", "sent", "published", "issued", "publication_date", "pubdate")
"""Metadata keys for the date of a document, the best first.

When an Office file was created is not among them: templates and converters pass on a date of their own. Neither is the
`year` of a record, which is usually that of the thing it describes.
"""

_HEAD_CHARACTERS = 600
_HEAD_LINES = 12
"""Part of a text in which the date of a letter or of minutes is looked for."""


@dataclass(frozen=True, slots=True)
class DocumentDate:
    """The date of a document.

    Attributes:
        words: the words that contain the date.
        found_in: where the words are.
    """

    date: PartialDate
    words: str
    found_in: DateSource


def document_date(*, title: str, path: str, metadata: Mapping[str, object], text: str) -> DocumentDate | None:
    """Return when a document was written, sent or published, as it says itself; None if it does not say so.

    The first of metadata, title, file name and head of the text counts. If it gives only a year or a month, a more
    precise date in the same year or month counts that a later one gives.

    Args:
        path: path or address of the document's file; only its last part is read.
        text: the document's text; only its first lines are read.
    """
    best: DocumentDate | None = None
    for found in _found(title, path, metadata, text):
        if best is None or _refines(found.date, best.date):
            best = found
        if best.date.day is not None:
            break
    return best


SAID_AT = "said_at"
"""Metadata key: the date of a document, if the document gives one; the first day if the date is a year or a month.
It is file metadata: it follows from the document, and corpus digests ignore it."""
SAID_AT_PRECISION = "said_at_precision"
"""Metadata key: "year" or "month" if the date of a document is not a day."""


def with_date(document: Document) -> Document:
    """Return the document with its date in the file metadata, if it has one."""
    found = document_date(
        title=document.title,
        path="" if document.source_key else document.source,  # a record has no file of its own
        metadata=document.metadata,
        text=document.text,
    )
    if found is None or SAID_AT in document.metadata:
        return document
    day = datetime.combine(found.date.first, time(), tzinfo=UTC)
    dated: dict[str, MetadataValue] = {SAID_AT: day}
    if found.date.precision != "day":
        dated[SAID_AT_PRECISION] = found.date.precision
    return replace(document, file_metadata={**document.file_metadata, **dated})


class SectionTime(NamedTuple):
    """The time of facts that the headings above a passage give; "" for each part that they do not give."""

    holds_from: str = ""
    holds_to: str = ""
    said_at: str = ""
    words: str = ""


def section_time(heading: str) -> SectionTime:
    """Return the time in the English headings above a passage. The lowest heading that has one counts.

    A range such as "2007–2011: Ulm" is when the facts hold. A date is when they were said: "Meeting of 4 March 2019".

    Args:
        heading: the headings, from the highest level down, such as "Setup › Linux".
    """
    for part in reversed(heading.split(" › ")):
        span = fact_span(part)
        if span is not None and span.holds_from and span.holds_to and span.holds_from != span.holds_to:
            return SectionTime(str(span.holds_from), str(span.holds_to), "", span.words)
        dates = [each for each in dates_in(part) if each.date.month is not None]
        if len(dates) == 1:
            return SectionTime(said_at=str(dates[0].date), words=part)
    return SectionTime()


def _refines(date_: PartialDate, other: PartialDate) -> bool:
    return other.first <= date_.first and date_.last <= other.last and date_ != other


def _found(title: str, path: str, metadata: Mapping[str, object], text: str) -> Iterator[DocumentDate]:
    for key in _DATED_BY:
        value = next((each for name, each in metadata.items() if name.lower() == key), None)
        written = _in_metadata(value)
        if written is not None:
            yield DocumentDate(written, f"{key}: {written}", "metadata")
            break
    languages = dict.fromkeys((foreign_language(metadata), ""))
    # A year in a title is what the text is about: "2012 Summer Olympics"
    for language in languages:
        precise = [each for each in dates_in(title, language) if each.date.month is not None]
        if len(precise) == 1:
            yield DocumentDate(precise[0].date, title[precise[0].start : precise[0].end], "title")
    yield from _in_name(PurePosixPath(path.replace("\\", "/")).name, languages)
    for language in languages:
        yield from _in_head("\n".join(text[:_HEAD_CHARACTERS].splitlines()[:_HEAD_LINES]), language)


def _in_metadata(value: object) -> PartialDate | None:
    if isinstance(value, date):
        return PartialDate(value.year, value.month, value.day)
    text = str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""
    try:
        return PartialDate.read(text)
    except ValueError:
        dates = dates_in(text)
        return dates[0].date if len(dates) == 1 else None


def _in_name(name: str, languages: Mapping[str, None]) -> Iterator[DocumentDate]:
    for pattern in _IN_NAME:
        found = list(pattern.finditer(name))
        if len(found) == 1:
            parts = found[0].groupdict()
            try:
                yield DocumentDate(PartialDate(*(int(parts[each]) for each in _PARTS if parts.get(each))), name, "path")
            except ValueError:  # there is no such day
                continue
            return
    spaced = re.sub(r"[_.\-]+", " ", name)
    for language in languages:
        written = dates_in(spaced, language)
        if len(written) == 1:
            yield DocumentDate(written[0].date, name, "path")
            return


def _in_head(head: str, language: str) -> Iterator[DocumentDate]:
    """Yield the date of a line that is only a date, of one after a label, and of minutes "of 4 March 2019"."""
    lines = [line.strip(" \t#*_>|-") for line in head.splitlines()]
    for number, line in enumerate(line for line in lines if line):
        for written in dates_in(line, language)[:1]:
            if written.date.month is None:
                continue
            before = line[: written.start].strip(" *_(")
            is_alone = _REST.fullmatch(line, written.end) and (_PLACE.fullmatch(before) or _LABEL.search(before))
            if is_alone or (number < _TITLE_LINES and _is_title(before, language)):
                yield DocumentDate(written.date, line[: written.end][-_WORDS_CHARACTERS:], "text")
                return


def _is_title(before: str, language: str) -> bool:
    """Return True for what may stand before the date in a title: "Board minutes of", "Protokoll der Sitzung vom"."""
    words = before.split()
    return len(words) <= _TITLE_WORDS and names_a_document(before, language) and not _REFERRING.match(before)


_PARTS = ("year", "month", "day")
_IN_NAME = (
    re.compile(
        r"(?<!\d)(?P<year>(?:19|20)\d\d)(?P<between>[-_. ]?)(?P<month>0[1-9]|1[0-2])(?P=between)"
        r"(?P<day>0[1-9]|[12]\d|3[01])(?!\d)"
    ),
    re.compile(r"(?<!\d)(?P<day>0[1-9]|[12]\d|3[01])[-_. ](?P<month>0[1-9]|1[0-2])[-_. ](?P<year>(?:19|20)\d\d)(?!\d)"),
    re.compile(r"(?<!\d)(?P<year>(?:19|20)\d\d)[-_. ](?P<month>0[1-9]|1[0-2])(?!\d|[-_. ]\d)"),
    re.compile(r"(?<![\d.])(?P<year>(?:19|20)\d\d)(?![\d.]\d|\d)"),
)
"""Dates in file names: 2019-03-04 or 20190304, 04.03.2019, 2019-03, 2019."""
_REST = re.compile(r"[\s.,;)*_|]*(?:\d{1,2}[:.h]\d\d(?::\d\d)?)?[\s\w+:.()*_|]{0,12}")
"""The rest of the line after a date: a time, with its zone."""
_PLACE = re.compile(r"(?:(?:[^\W\d_][\w'’.-]*+\s*+){0,4},\s*(?:den|the|le|el|il|a|op|am|on|\w+day,?)?)?")
_LABEL = re.compile(
    r"^(?:\w+\s)?(?:date|dated|datum|fecha|data|sent|gesendet|envoyé|enviado|inviato|verzonden|published|veröffentlicht|publié"
    r"|publicado|pubblicato|gepubliceerd|issued|ausgegeben|(?:last )?(?:updated|changed|revised)|stand|version|as of"
    r"|mis à jour|actualizado|aggiornato|bijgewerkt)\b\s*+(?:le|el|il|am|on|den|op)?"
    r"\s*+[:\-–]?\s*+(?:\w{2,10}\.?,\s*+)?$",
    re.IGNORECASE,
)
_REFERRING = re.compile(
    r"(?:see|in|according|as|per|under|with|siehe|laut|gemäß|nach|selon|voir|según|véase|secondo|vedi|volgens|zie)\b",
    re.IGNORECASE,
)
_TITLE_LINES = 3
_TITLE_WORDS = 8
_WORDS_CHARACTERS = 80
