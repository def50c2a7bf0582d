"""Recognises text in pictures (OCR) with RapidOCR and the models that it is installed with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from overstory.display import counted
from overstory.errors import BrokenSource
from overstory.machine import processors
from overstory.protocols import OnBroken

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Picture = npt.NDArray[np.uint8]

_LEAST_LINE_CONFIDENCE = 0.5
"""Minimum confidence of a line. Lines below it are left out: they are noise, or in a script that the model cannot read.
"""
_LOW_PAGE_CONFIDENCE = 0.8
"""Pages with a lower confidence are reported, because they probably contain wrong words."""
_LEAST_SHADES = 16
"""A page counts as blank if its darkest and brightest points differ by less than this (of 255)."""
_LEAST_LINE_OVERLAP = 0.5
"""Two pieces of text belong to the same line if their vertical overlap exceeds this fraction of the smaller height."""
_PARAGRAPH_GAP_LINES = 0.9
"""A vertical gap of more than this many line heights separates two paragraphs."""


@dataclass(frozen=True, slots=True)
class RecognisedPage:
    """The text that was recognised in a picture.

    Attributes:
        confidence: mean confidence of the lines, weighted by their lengths, from 0 to 1. It is 0 if there is no text.
        left_out: number of lines that were left out because they could not be recognised reliably.
    """

    text: str = ""
    confidence: float = 0.0
    left_out: int = 0


class RecognisedLine(NamedTuple):
    """A piece of a line in a picture, with its text, its confidence, and its edges in pixels."""

    text: str
    confidence: float
    left: float
    top: float
    bottom: float


class _Output(Protocol):
    """The result of RapidOCR. All fields are None if the picture contains no text."""

    txts: Sequence[str] | None
    scores: Sequence[float] | None
    boxes: Sequence[Sequence[Sequence[float]]] | None


class _Recogniser(Protocol):
    def __call__(self, picture: Picture) -> _Output: ...


def can_recognise() -> bool:
    """Return True if the extra `ocr` is installed."""
    return all(find_spec(name) is not None for name in ("rapidocr", "pypdfium2"))


def recognise(picture: Picture) -> RecognisedPage:
    """Recognise the text in a picture of shape (height, width, 3). Blank pictures are not passed to RapidOCR."""
    if int(picture.max(initial=0)) - int(picture.min(initial=255)) < _LEAST_SHADES:
        return RecognisedPage()
    found = _engine()(picture)
    boxes = found.boxes if found.boxes is not None else ()
    lines = [
        RecognisedLine(
            text.strip(),
            float(score),
            min(float(x) for x, _ in box),
            min(float(y) for _, y in box),
            max(float(y) for _, y in box),
        )
        for text, score, box in zip(found.txts or (), found.scores or (), boxes, strict=True)
    ]
    return page_of_lines(lines)


def page_of_lines(found: Sequence[RecognisedLine]) -> RecognisedPage:
    """Return the page with its lines ordered from top to bottom, and the pieces of each line from left to right.

    Lines are separated into paragraphs where the gap between them is large.
    """
    good = [line for line in found if line.confidence >= _LEAST_LINE_CONFIDENCE and line.text]
    rows: list[list[RecognisedLine]] = []
    for line in sorted(good, key=lambda line: (line.top, line.left)):
        last = rows[-1][0] if rows else None
        shared = min(last.bottom, line.bottom) - max(last.top, line.top) if last else 0.0
        if last and shared > _LEAST_LINE_OVERLAP * min(last.bottom - last.top, line.bottom - line.top):
            rows[-1].append(line)
        else:
            rows.append([line])
    parts: list[str] = []
    for number, row in enumerate(rows):
        if number:
            above, height = rows[number - 1][0], row[0].bottom - row[0].top
            parts.append("\n\n" if row[0].top - above.bottom > _PARAGRAPH_GAP_LINES * height else "\n")
        parts.append(" ".join(line.text for line in sorted(row, key=lambda line: line.left)))
    left_out = sum(line.confidence < _LEAST_LINE_CONFIDENCE and bool(line.text) for line in found)
    length = sum(len(line.text) for line in good)
    confidence = sum(line.confidence * len(line.text) for line in good) / length if length else 0.0
    return RecognisedPage("".join(parts), confidence, left_out)


def report_doubts(page: RecognisedPage, number: int, source: str, on_broken: OnBroken) -> None:
    """Report a page if lines were left out, or if its text probably contains errors."""
    if page.left_out:
        on_broken(
            BrokenSource(
                f"page {number}: {counted(page.left_out, 'line')} could not be recognised; the others were kept",
                source=source,
                remedy="Scan it again with 300 dpi, or leave it as it is.",
            )
        )
    elif page.text and page.confidence < _LOW_PAGE_CONFIDENCE:
        on_broken(
            BrokenSource(
                f"page {number}: was recognised with a confidence of {page.confidence:.2f}, so words may be wrong",
                source=source,
                remedy="Scan it again with 300 dpi, or leave it as it is.",
            )
        )


@cache
def _engine() -> _Recogniser:
    from rapidocr import RapidOCR

    options = {
        "Global.log_level": "critical",
        "Global.text_score": 0.0,  # keeps lines that RapidOCR would drop silently
        "EngineConfig.onnxruntime.intra_op_num_threads": processors(),
    }
    return cast("_Recogniser", RapidOCR(params=options))
