"""Conversion of results to text for terminals, to HTML for notebooks, and to pandas DataFrames."""

from __future__ import annotations

import html
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

from overstory.errors import ExtraMissing
from overstory.surrogates import OBEYED, escaped, on_one_line, printable

if TYPE_CHECKING:
    import pandas

__all__ = [
    "OBEYED",
    "Html",
    "Piece",
    "about",
    "around",
    "counted",
    "data_frame",
    "error_text",
    "escaped",
    "html_pieces",
    "html_table",
    "index_command",
    "on_one_line",
    "origin",
    "pieces",
    "printable",
    "shortened",
]

_DISPLAY_WIDTH = 80
_MOST_CHARACTERS_READ = 10_000


def counted(number: int, singular: str, plural: str = "") -> str:
    """Return a number with its noun, such as "1 document", "1,234 documents" or "2 entities"."""
    return f"{number:,} {singular if number == 1 else plural or plural_of(singular)}"


def plural_of(noun: str) -> str:
    """Return the regular plural of a noun, such as "entities" for "entity" and "keys" for "key"."""
    return f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2] not in "aeiou" else f"{noun}s"


_PYTHON_OBJECT = re.compile(r"""(['"]?)<(?:[\w.]+ (?:object|name=|at 0x)|class |function |module )[^<>]*>\1""")
_BYTES = re.compile(r"""\bb(?=(['"])[^'"]*\1)""")


def error_text(error: BaseException) -> str:
    """Return the message of an error of a library, with "…" in place of Python objects."""
    return _BYTES.sub("", _PYTHON_OBJECT.sub("…", str(error)))


def about(seconds: float) -> str:
    """Return a rounded duration, such as "20 s", "4 min", "1 h 10 min" or "30 h"."""
    if seconds < 57.5:
        return f"{max(5, 5 * round(seconds / 5))} s"
    minutes = round(seconds / 60)
    if minutes >= 20:
        minutes = 5 * round(minutes / 5)
    if minutes < 60:
        return f"{minutes} min"
    hours, rest = divmod(10 * round(minutes / 10), 60)
    if hours >= 10:
        return f"{round(minutes / 60):,} h"
    return f"{hours} h {rest} min" if rest else f"{hours} h"


def origin(source: str, source_key: str, page: int | None = None) -> str:
    """Return the origin of a passage on one line: the source, followed by the key and the page if there are any."""
    place = escaped(f"{source}#{source_key}" if source_key else source)
    return place if page is None else f"{place}, page {page:,}"


def delete_command(corpus: str) -> str:
    """Return the command that deletes a corpus, or what an interrupted deletion has left of it."""
    return f"overstory delete --all --corpus {shlex.quote(corpus)}"


def index_command(corpus: str, system: str = "", *, improve: bool = False) -> str:
    """Return the command that updates the index of a corpus.

    Args:
        system: name of a system whose index the command also updates, with options after a colon; "" for none.
        improve: True if the command also clusters the whole corpus again.
    """
    of = f"--system {system} " if system else ""
    also = "--improve " if improve else ""
    return f"overstory index {of}{also}--corpus {shlex.quote(corpus)}"


def shortened(text: str, width: int = _DISPLAY_WIDTH) -> str:
    """Return the text on one line, cut to at most `width` characters."""
    line = " ".join(text[: 4 * width].split())
    return line if len(line) <= width and len(text) <= 4 * width else line[: width - 2].rstrip() + " …"


def around(text: str, phrase: str, width: int = 2 * _DISPLAY_WIDTH) -> str:
    """Return an excerpt of about `width` characters, on one line, around the first occurrence of a phrase in the text.

    Upper and lower case are not distinguished. If the phrase does not occur, the excerpt is the start of the text.
    """
    line = " ".join(text[:_MOST_CHARACTERS_READ].split())
    if len(line) <= width and len(text) <= _MOST_CHARACTERS_READ:
        return line
    found = max(0, line.lower().find(" ".join(phrase.lower().split())))
    start = max(0, min(found - (width - len(phrase)) // 2, len(line) - width))
    if start:
        start = 1 + line.rfind(" ", 0, found + 1) if (space := line.find(" ", start - 1, found)) < 0 else 1 + space
    end = found + len(phrase)
    stop = max(start + width, end)
    if stop < len(line) and (space := line.rfind(" ", max(end, start + width // 2), stop + 1)) > 0:
        stop = space
    return ("… " if start else "") + line[start:stop].rstrip() + (" …" if stop < len(line) else "")


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a text in which some words and one sentence are marked."""

    text: str
    word: bool
    sentence: bool


def pieces(
    text: str, words: Sequence[tuple[int, int]], sentence: tuple[int, int] | None, *, start: int = 0, stop: int
) -> list[Piece]:
    """Split the text between `start` and `stop` where marked words and the marked sentence begin and end.

    Args:
        words: spans (start, end) of the marked words, sorted and without overlaps.
        sentence: span of the marked sentence; None if there is none.
    """
    inside = [(first, last) for first, last in words if first < stop and last > start]
    ends = {start, stop, *(sentence or ()), *(end for span in inside for end in span)}
    cuts = sorted(end for end in ends if start <= end <= stop)
    within = {first for first, _ in inside} | (
        {start} if any(first <= start < last for first, last in inside) else set()
    )
    return [
        Piece(text[first:last], first in within, sentence is not None and sentence[0] <= first < sentence[1])
        for first, last in pairwise(cuts)
    ]


def html_pieces(cut: Iterable[Piece]) -> Html:
    """Convert pieces to HTML for a notebook. Words are marked, the sentence is underlined, and the text is escaped."""
    shown: list[str] = []
    for in_sentence, group in groupby(cut, key=lambda piece: piece.sentence):
        inner = "".join(
            f"<mark>{html.escape(printable(piece.text))}</mark>" if piece.word else html.escape(printable(piece.text))
            for piece in group
        )
        shown.append(f"<u>{inner}</u>" if in_sentence else inner)
    return Html("".join(shown))


class Html(str):
    """Text that is HTML and must not be escaped again."""

    __slots__ = ()


def html_table(caption: str, header: Sequence[str], rows: Iterable[Sequence[str]], notes: Iterable[str] = ()) -> str:
    """Return an HTML table for a notebook, with notes below it. All texts except `Html` are escaped."""
    head = "".join(f"<th>{html.escape(each)}</th>" for each in header)
    body = "".join(
        "<tr>"
        + "".join(
            f'<td style="text-align:left">{each if isinstance(each, Html) else html.escape(printable(each))}</td>'
            for each in row
        )
        + "</tr>"
        for row in rows
    )
    below = "".join(f"<p>{html.escape(printable(note))}</p>" for note in notes)
    return (
        f"<table><caption>{html.escape(printable(caption))}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"
    )


def data_frame(rows: Iterable[Mapping[str, object]], columns: Sequence[str]) -> pandas.DataFrame:
    """Return the rows as a DataFrame. These columns come first, followed by all other columns of the rows."""
    try:
        import pandas
    except ImportError as error:
        raise ExtraMissing("pandas", extra="pandas") from error
    records = list(rows)
    others = dict.fromkeys(name for record in records for name in record if name not in columns)
    return pandas.DataFrame.from_records([dict(record) for record in records], columns=[*columns, *others])
