"""Display of results in a REPL, in a notebook, and as a pandas DataFrame."""

from __future__ import annotations

import html
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
"""Characters of a sentence that are looked at to show a part of it."""


def counted(number: int, singular: str, plural: str = "") -> str:
    """ "1 document", "1,234 documents"."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def about(seconds: float) -> str:
    """A duration, rounded as an estimate deserves: "20 s", "4 min", "1 h 10 min", "30 h"."""
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
    """The origin of a passage, on one line: source, with key and page if there are any."""
    place = escaped(f"{source}#{source_key}" if source_key else source)
    return place if page is None else f"{place}, page {page:,}"


def delete_command(corpus: str) -> str:
    """The command that deletes a corpus, or what an interrupted deletion has left of it."""
    return f"overstory delete --all --corpus {shlex.quote(corpus)}"


def index_command(corpus: str, system: str = "", *, improve: bool = False) -> str:
    """The command that brings the index of a corpus, or of a system in it, up to date.

    Args:
        system: its name, with options after a colon.
        improve: also clusters the whole again.
    """
    of = f"--system {system} " if system else ""
    also = "--improve " if improve else ""
    return f"overstory index {of}{also}--corpus {shlex.quote(corpus)}"


def shortened(text: str, width: int = _DISPLAY_WIDTH) -> str:
    """The text on one line, truncated to a width."""
    line = " ".join(text[: 4 * width].split())
    return line if len(line) <= width and len(text) <= 4 * width else line[: width - 2].rstrip() + " …"


def around(text: str, phrase: str, width: int = 2 * _DISPLAY_WIDTH) -> str:
    """The text on one line, cut to a width around a phrase in it, upper and lower case being one; else to its start."""
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
    """A piece of a text: whether it is one of the words that are marked, and in the sentence that is."""

    text: str
    word: bool
    sentence: bool


def pieces(
    text: str, words: Sequence[tuple[int, int]], sentence: tuple[int, int] | None, *, start: int = 0, stop: int
) -> list[Piece]:
    """The characters from `start` up to, not including, `stop`, cut where marks begin and end.

    Args:
        words: spans in the text, in its order, none in another.
        sentence: the span of one sentence.
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
    """The pieces for a notebook: words marked, the sentence underlined, everything escaped."""
    shown: list[str] = []
    for in_sentence, group in groupby(cut, key=lambda piece: piece.sentence):
        inner = "".join(
            f"<mark>{html.escape(printable(piece.text))}</mark>" if piece.word else html.escape(printable(piece.text))
            for piece in group
        )
        shown.append(f"<u>{inner}</u>" if in_sentence else inner)
    return Html("".join(shown))


class Html(str):
    """Text that is escaped already."""

    __slots__ = ()


def html_table(caption: str, header: Sequence[str], rows: Iterable[Sequence[str]], notes: Iterable[str] = ()) -> str:
    """A table for a notebook, with notes below it; everything but `Html` is escaped."""
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
    """The rows as a DataFrame with these columns, even without rows, followed by any other columns of the rows."""
    try:
        import pandas
    except ImportError as error:
        raise ExtraMissing("pandas", extra="pandas") from error
    records = list(rows)
    others = dict.fromkeys(name for record in records for name in record if name not in columns)
    return pandas.DataFrame.from_records([dict(record) for record in records], columns=[*columns, *others])
