"""Answers to questions about sets: "How many work in Ulm?", "Who is in Ulm but not in Valves?".

They consist of rows of tables. If only sentences are found, no number is claimed, and a question with *not* is answered
only by sentences with a negation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from overstory.answer.citations import without_citations
from overstory.answer.context import Item
from overstory.answer.extractive import Extract
from overstory.answer.overview import Point
from overstory.answer.result import Answer
from overstory.display import counted, printable
from overstory.model import Evidence, Hit, TablePart
from overstory.text.questions.sets import negates, set_question
from overstory.text.table_rows import row_cells
from overstory.text.words import stem

_MOST_ROWS_SHOWN = 20
NOT_COUNTED = "Rows of tables were found, but no table has all words of the question, so nothing was counted."


@dataclass(frozen=True, slots=True)
class RowsAnswer:
    """An answer that consists of rows.

    Attributes:
        lines: for each table, the answer in one sentence, followed by its rows.
        short: the number or the names; with several tables, one sentence for each.
        guess: `short` if a single table answers; otherwise "".
        note: number of rows that are not shown; "" if all are shown.
    """

    lines: tuple[Point, ...]
    short: str
    guess: str
    note: str


def rows_in(evidence: Evidence) -> RowsAnswer | None:
    """Return the answer that tables in the evidence provide; None if there is none."""
    parts = [part for part in evidence.parts if isinstance(part, TablePart)]
    passages = {hit.chunk_id: hit for hit in (*evidence.hits, *evidence.sources)}
    lines: list[Point] = []
    numbers: dict[str, int] = {}
    left = 0
    for part in parts:
        first = next((passages[chunk] for chunk in part.chunks if chunk in passages), None)
        if first is None:
            continue
        lines.append(_line(part.statement, first, numbers))
        shown = [row for row in part.rows if row.chunk in passages][:_MOST_ROWS_SHOWN]
        lines += (_line(row.text, passages[row.chunk], numbers) for row in shown)
        left += len(part.rows) - len(shown)
    if not lines:
        return None
    guess = printable(parts[0].short) if len(parts) == 1 else ""
    short = guess or "; ".join(printable(part.statement) for part in parts)
    note = f"{counted(left, 'more row')} also answer this: --json lists them." if left else ""
    return RowsAnswer(tuple(lines), short, guess, note)


def _line(text: str, passage: Hit, numbers: dict[str, int]) -> Point:
    number = numbers.setdefault(passage.chunk_id, len(numbers) + 1)
    shown = without_citations(printable(text))
    return Point(Item(number, passage, shown, (passage,)), shown)


def without_opposite(found: Extract) -> Extract:
    """Return an extract without the sentences that contain no negation, for a question that excludes something.

    Such sentences would state the opposite: "Ada works in Valves" for "Who does not work in Valves?". Rows of tables
    are left out, because "no" in a cell may belong to anything.
    """
    kept = tuple(each for each in found.sentences if negates(each.text) and not row_cells(each.text))
    if not kept:
        return Extract((), confidence=found.confidence)
    if kept == found.sentences:
        return found
    is_best = found.best in kept
    return Extract(kept, found.best if is_best else kept[0], found.guess if is_best else "", found.confidence)


def not_excluded(excluded: str) -> str:
    """Return the reason for refusing a question that excludes something."""
    return (
        f"The question excludes “{excluded}”: no table, edge or sentence was found that states who or what that leaves."
    )


def without_uncounted_rows(question: str, found: Extract) -> Extract:
    """Return an extract without sentences if it is a row that does not state the number that the question asks for.

    The number must be in a column for what is counted: "visitors: 176" answers "How many visitors …?", but not "How
    many concerts …?".
    """
    asked = set_question(question)
    cells = row_cells(found.best.text) if found.best is not None else {}
    if asked is None or not asked.counts or not cells:
        return found
    head = {each.key for each in asked.words if each.place >= asked.head}
    stated = (
        set(map(stem, re.findall(r"[^\W_]+", name))) & head for name, cell in cells.items() if cell == found.guess
    )
    return found if any(stated) else Extract((), confidence=found.confidence)


def note_on_count(found: Answer) -> Iterator[str]:
    """Yield a note if sentences answer a question that asks for a number, and none of them states it."""
    asked = set_question(found.question)
    if asked is not None and asked.counts and found.answered and not any(map(str.isdigit, found.guess)):
        yield "No table answers this exactly: the sentences shown may not be all, so no number is given."
