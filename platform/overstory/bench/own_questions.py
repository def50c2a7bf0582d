"""Reads a user's questions, with expected answers and sources, from a CSV file.

Here is an example of a file:

question,answer,source
Who wrote Dracula?,Bram Stoker | Stoker,authors/stoker.md
Who is the mayor of Whitby?,,

A cell can contain several answers or sources, separated by " | ". An empty answer means that the documents do not
answer the question. The column `source` is optional.
"""

from __future__ import annotations

import codecs
import csv
import difflib
import io
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from overstory.bench.outcomes import Asked
from overstory.display import counted
from overstory.errors import BenchError, QuestionError
from overstory.index import StoredDocument
from overstory.retrieve.question import check_question

COLUMNS = ("question", "answer", "source")
NEEDED = COLUMNS[:2]
_MOST_QUESTIONS_BYTES = 50_000_000
_MOST_SOURCES_NAMED = 3

_SEPARATORS = ",;\t"
_HEADER = "Begin the file with the line question,answer,source; the column source is optional."
_QUOTE = 'Quote cells that contain a separator, a quotation mark or a line break: "Ulm, Germany".'
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # must precede UTF-16, whose byte order mark is a prefix of this one
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True, slots=True)
class OwnQuestion:
    """A question in the CSV file, with its expected answers and sources.

    Attributes:
        line: line number at which the row starts.
        answers: accepted answers; empty if the documents do not answer the question.
        sources: expected sources, as written in the file. The answer should cite all these sources.
    """

    line: int
    text: str
    answers: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()


def read_own_questions(path: Path) -> list[OwnQuestion]:
    """Read the questions in a CSV file.

    Cells are separated by commas, semicolons or tabs. The encoding is UTF-8. UTF-16 and UTF-32 are also read if the
    file starts with a byte order mark.
    """
    text = _text_of(path)
    rows = _rows(path, text)
    first = next(rows, None)
    if first is None:
        raise BenchError(f"{path}: the file is empty", remedy=_HEADER)
    columns = _columns(path, *first)
    questions = [_question(path, line, cells, columns) for line, cells in rows]
    if not questions:
        raise BenchError(f"{path}: there is no question below the header", remedy="Write one question per line.")
    return questions


def expected(questions: Iterable[OwnQuestion], documents: Iterable[StoredDocument], path: Path) -> list[Asked]:
    """Find the documents that match the expected sources of each question.

    A source matches a document by the document's `source`, `source_key` or `source#source_key`. The last part of a
    path, such as the file name, is enough.

    Args:
        path: the file of questions, for messages.

    Raises:
        BenchError: No document matches a source.
    """
    questions = list(questions)
    found = _documents_named({source for question in questions for source in question.sources}, documents)
    missing = [(question.line, source) for question in questions for source in question.sources if not found[source]]
    if missing:
        line, source = missing[0]
        more = f" (and {counted(len(missing) - 1, 'other source')})" if len(missing) > 1 else ""
        raise BenchError(
            f"{path}, line {line}, column 'source': no document of the corpus matches {source!r}{more}",
            remedy="Write sources as `overstory documents` lists them, or the last part of their path."
            f"{found.nearest(source)}",
        )
    return [
        Asked(
            id=f"line {question.line}",
            text=question.text,
            answers=question.answers,
            answerable=bool(question.answers),
            sources=tuple(found[source] for source in question.sources),
            named=question.sources,
        )
        for question in questions
    ]


def notes_on(asked: Sequence[Asked]) -> tuple[str, ...]:
    """Return a note about the expected sources that match several documents, if there are any."""
    several = {name: len(ids) for each in asked for name, ids in zip(each.named, each.sources, strict=True)}
    named = [f"{name!r} matches {number:,} documents" for name, number in several.items() if number > 1]
    if not named:
        return ()
    more = f"; so do {len(named) - _MOST_SOURCES_NAMED} more sources" if len(named) > _MOST_SOURCES_NAMED else ""
    return (f"{'; '.join(named[:_MOST_SOURCES_NAMED])}{more}. Citing any matching document counts.",)


def among(asked: Sequence[Asked], matching: Collection[str]) -> list[Asked]:
    """Limit the expected sources to given documents, and leave out questions that lose all their sources.

    Args:
        matching: ids of the documents.
    """
    left: list[Asked] = []
    for each in asked:
        own = [frozenset(id_ for id_ in ids if id_ in matching) for ids in each.sources]
        named = tuple(name for name, ids in zip(each.named, own, strict=True) if ids)
        if named or not each.sources:
            left.append(replace(each, sources=tuple(ids for ids in own if ids), named=named))
    return left


class _SourceDocuments:
    def __init__(self, wanted: Iterable[str]) -> None:
        self._ids: dict[str, set[str]] = {_plain(source): set() for source in wanted}
        self._last: dict[str, None] = {}
        self._longest = max(map(len, self._ids), default=0)

    def take(self, document: StoredDocument) -> None:
        for name in (document.source, document.source_key, f"{document.source}#{document.source_key}"):
            plain = _plain(name)
            for ending in _endings(plain, self._longest):
                if ending in self._ids:
                    self._ids[ending].add(document.id)
            self._last.setdefault(plain.rpartition("/")[2])

    def __getitem__(self, source: str) -> frozenset[str]:
        return frozenset(self._ids[_plain(source)])

    def nearest(self, source: str) -> str:
        near = difflib.get_close_matches(_plain(source).rpartition("/")[2], list(self._last), _MOST_SOURCES_NAMED)
        return f" Similar: {', '.join(near)}." if near else ""


def _documents_named(sources: Iterable[str], documents: Iterable[StoredDocument]) -> _SourceDocuments:
    named = _SourceDocuments(sources)
    for document in documents:
        named.take(document)
    return named


def _plain(source: str) -> str:
    return source.replace("\\", "/").casefold().removeprefix("./")


def _endings(name: str, longest: int) -> Iterator[str]:
    """Yield a path and its trailing parts: "a/b/c", "b/c" and "c" for "a/b/c".

    Args:
        longest: maximum length of a trailing part. Longer ones match no expected source.
    """
    yield name
    at = name.find("/", max(0, len(name) - longest - 1))
    while at >= 0:
        yield name[at + 1 :]
        at = name.find("/", at + 1)


def _text_of(path: Path) -> str:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BenchError(
            f"{path} cannot be read: {error.strerror or error}", remedy="Name an existing CSV file."
        ) from error
    if len(data) > _MOST_QUESTIONS_BYTES:
        raise BenchError(
            f"{path} has {len(data):,} bytes; a file of questions may have {_MOST_QUESTIONS_BYTES:,}.",
            remedy="Name another file.",
        )
    codec = next((codec for mark, codec in _MARKS if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(codec)
    except UnicodeError as error:
        at = error.start if isinstance(error, UnicodeDecodeError) else 0
        line = data.count(b"\n", 0, at) + 1
        raise BenchError(
            f"{path}, line {line}: this is not {'UTF-8' if codec.startswith('utf-8') else codec.upper()}",
            remedy="Save it as CSV in UTF-8, or convert it: iconv -f WINDOWS-1252 -t UTF-8 OLD > NEW",
        ) from error
    if "\0" in text:
        raise BenchError(f"{path} is not a text file", remedy="Save the table as CSV in UTF-8.")
    return text


def _rows(path: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    header = text.lstrip("\r\n").partition("\n")[0]
    separator = max(_SEPARATORS, key=header.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    line = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield line, [cell.strip() for cell in cells]
            line = reader.line_num + 1
    except csv.Error as error:
        raise BenchError(f"{path}, line {line}: {error}", remedy=_QUOTE) from error


def _columns(path: Path, line: int, header: Sequence[str]) -> Mapping[str, int]:
    names = [name.casefold() for name in header]
    while names and not names[-1]:
        names.pop()
    for name in names:
        if name not in COLUMNS:
            raise BenchError(f"{path}, line {line}: unknown column {name!r}", remedy=_HEADER)
        if names.count(name) > 1:
            raise BenchError(f"{path}, line {line}: duplicate column {name!r}", remedy=_HEADER)
    for name in NEEDED:
        if name not in names:
            raise BenchError(f"{path}, line {line}: the column {name!r} is missing", remedy=_HEADER)
    return {name: at for at, name in enumerate(names)}


def _question(path: Path, line: int, cells: Sequence[str], columns: Mapping[str, int]) -> OwnQuestion:
    if any(cells[len(columns) :]):
        raise BenchError(
            f"{path}, line {line}: {len(cells)} cells for {len(columns)} columns; the first extra cell is "
            f"{cells[len(columns)]!r}",
            remedy=_QUOTE,
        )
    for name in NEEDED:
        if columns[name] >= len(cells):
            raise BenchError(
                f"{path}, line {line}, column {name!r}: the row ends before this column",
                remedy="Write the separator even if the answer is empty: Who is the mayor of Whitby?,",
            )
    text = cells[columns["question"]]
    try:
        check_question(text)
    except QuestionError as error:
        raise BenchError(
            f"{path}, line {line}, column 'question': {error}", remedy="Write a question, or remove the line."
        ) from error
    at = columns.get("source", len(cells))
    return OwnQuestion(line, text, _several(cells[columns["answer"]]), _several(cells[at] if at < len(cells) else ""))


def _several(cell: str) -> tuple[str, ...]:
    parts = (part.strip() for part in f" {cell} ".split(" | "))
    return tuple(dict.fromkeys(part for part in parts if part))
