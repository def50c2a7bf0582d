"""Puts two columns of prose one after the other if a PDF page draws them row by row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

from overstory_loaders.pdf_annotations import TextRun

LEAST_ROWS = 8
"""Minimum number of rows with a line in each column."""
LEAST_JUMP_POINTS = 100.0
"""Minimum distance between the beginnings of the two columns."""
_SAME_BASELINE_POINTS = 1.0
_LEAST_LINE_CHARACTERS = 20
"""Minimum median length of the lines of a column. Cells of tables are shorter."""
_LEAST_ALIGNED_SHARE = 0.7
"""Minimum fraction of rows with a piece of text that begins where the right column begins."""
_LEAST_CONTINUED_SHARE = 0.25
"""Minimum fraction of lines that a line with a small first letter continues. Cells of tables begin a text."""
_LONGEST_LINE_SHARE = 1.5
"""A line that is longer than the longest of the left column by this factor crosses both columns, and divides them."""


class _Row(NamedTuple):
    left: str
    right: str


def in_columns(runs: Sequence[TextRun]) -> str:
    """Return the text of a page with its two columns one after the other; "" if it does not have two such columns."""
    rows = _rows(runs)
    starts = Counter(
        round(run.x) for row in rows for run in row[1:] if run.x - row[0].x >= LEAST_JUMP_POINTS
    ).most_common(1)
    if not starts:
        return ""
    gutter, _ = starts[0]
    divided = [_divided(row, gutter) for row in rows]
    both = [row for row in divided if row.left and row.right]
    aligned = sum(any(abs(run.x - gutter) <= _SAME_BASELINE_POINTS for run in row) for row in rows)
    if len(both) < LEAST_ROWS or aligned < _LEAST_ALIGNED_SHARE * len(both):
        return ""
    columns = [[row.left for row in both], [row.right for row in both]]
    if not all(map(_is_prose, columns)):
        return ""
    longest = _LONGEST_LINE_SHARE * max(map(len, columns[0]))
    text: list[str] = []
    left, right = list[str](), list[str]()
    for row in divided:
        if not row.right and len(row.left) > longest:
            text += [*left, *right, row.left]
            left, right = [], []
            continue
        left.append(row.left)
        right.append(row.right)
    return "\n".join(filter(None, [*text, *left, *right]))


def _rows(runs: Sequence[TextRun]) -> list[list[TextRun]]:
    rows: list[list[TextRun]] = []
    for run in runs:
        if not run.text.strip():
            continue
        if rows and abs(rows[-1][-1].y - run.y) <= _SAME_BASELINE_POINTS:
            rows[-1].append(run)
        else:
            rows.append([run])
    return rows


def _divided(row: Sequence[TextRun], gutter: float) -> _Row:
    def side(*, is_right: bool) -> str:
        shown = (run.text for run in row if (run.x >= gutter - _SAME_BASELINE_POINTS) == is_right)
        return " ".join("".join(shown).split())

    return _Row(side(is_right=False), side(is_right=True))


def _is_prose(lines: Sequence[str]) -> bool:
    continued = sum(line[0].islower() for line in lines[1:])
    return median(map(len, lines)) >= _LEAST_LINE_CHARACTERS and continued >= _LEAST_CONTINUED_SHARE * len(lines)
