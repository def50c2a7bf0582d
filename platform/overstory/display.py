"""Display of results in a REPL, in a notebook, and as a pandas DataFrame."""

from __future__ import annotations

import html
import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from overstory.errors import ExtraMissing
from overstory.surrogates import OBEYED, escaped, printable

if TYPE_CHECKING:
    import pandas

__all__ = [
    "OBEYED",
    "counted",
    "data_frame",
    "escaped",
    "html_table",
    "index_command",
    "origin",
    "printable",
    "shortened",
]

WIDTH = 80


def counted(number: int, singular: str, plural: str = "") -> str:
    """ "1 document", "1,234 documents"."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def origin(source: str, source_key: str, page: int | None = None) -> str:
    """The origin of a passage, on one line: source, with key and page if there are any."""
    place = escaped(f"{source}#{source_key}" if source_key else source)
    return place if page is None else f"{place}, page {page:,}"


def index_command(corpus: str, system: str = "") -> str:
    """The command that brings the index of a corpus, or of a system in it, up to date.

    Args:
        system: its name, with options after a colon.
    """
    of = f"--system {system} " if system else ""
    return f"overstory index {of}--corpus {shlex.quote(corpus)}"


def shortened(text: str, width: int = WIDTH) -> str:
    """The text on one line, truncated to a width."""
    line = " ".join(text[: 4 * width].split())
    return line if len(line) <= width and len(text) <= 4 * width else line[: width - 2].rstrip() + " …"


def html_table(caption: str, header: Sequence[str], rows: Iterable[Sequence[str]], notes: Iterable[str] = ()) -> str:
    """A table for a notebook, with notes below it; everything is escaped."""
    head = "".join(f"<th>{html.escape(each)}</th>" for each in header)
    body = "".join(
        "<tr>" + "".join(f'<td style="text-align:left">{html.escape(each)}</td>' for each in row) + "</tr>"
        for row in rows
    )
    below = "".join(f"<p>{html.escape(note)}</p>" for note in notes)
    return (
        f"<table><caption>{html.escape(caption)}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"
    )


def data_frame(rows: Iterable[Mapping[str, object]], columns: Sequence[str]) -> pandas.DataFrame:
    """The rows as a DataFrame with these columns, even without rows, followed by any other columns of the rows.

    Raises:
        ExtraMissing: pandas is not installed.
    """
    try:
        import pandas
    except ImportError as error:
        raise ExtraMissing("pandas", extra="pandas") from error
    records = list(rows)
    others = dict.fromkeys(name for record in records for name in record if name not in columns)
    return pandas.DataFrame.from_records([dict(record) for record in records], columns=[*columns, *others])
