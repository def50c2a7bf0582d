"""Text recognition in pictures (OCR) with RapidOCR and the weights in its package."""

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
"""Lines with a lower confidence are left out: they are noise, or in a script that the model does not know."""
_LOW_PAGE_CONFIDENCE = 0.8
"""Pages with a lower confidence are reported, because some words are probably wrong."""
_LEAST_SHADES = 16
"""A page is blank if its darkest and brightest points differ by less."""
_LEAST_LINE_OVERLAP = 0.5
"""Two pieces belong to the same line if they share this part of the smaller height."""
_PARAGRAPH_GAP_LINES = 0.9
"""A gap of this many line heights separates two paragraphs."""


@dataclass(frozen=True, slots=True)
class RecognisedPage:
    """The text of a picture.

    Attributes:
        confidence: mean confidence of its lines, weighted by length, from 0 to 1; 0 without text.
        left_out: number of lines that could not be recognised reliably.
    """

    text: str = ""
    confidence: float = 0.0
    left_out: int = 0


class RecognisedLine(NamedTuple):
    """A piece of a line in a picture: text, confidence, and edges in pixels."""

    text: str
    confidence: float
    left: float
    top: float
    bottom: float


class _Output(Protocol):
    """Result of RapidOCR; each field is None if there is no text."""

    txts: Sequence[str] | None
    scores: Sequence[float] | None
    boxes: Sequence[Sequence[Sequence[float]]] | None


class _Recogniser(Protocol):
    def __call__(self, picture: Picture) -> _Output: ...


def can_recognise() -> bool:
    """Return True if the extra `ocr` is installed."""
    return all(find_spec(name) is not None for name in ("rapidocr", "pypdfium2"))


def recognise(picture: Picture) -> RecognisedPage:
    """Return the text of a picture of shape (height, width, 3). Blank pictures are skipped."""
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
    """Return the page with its lines from top to bottom and their pieces from left to right.

    A wide gap separates two paragraphs.
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
    """Report lines of a page that were left out, or a page that is probably wrong."""
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
        "Global.text_score": 0.0,  # otherwise RapidOCR drops lines silently
        "EngineConfig.onnxruntime.intra_op_num_threads": processors(),
    }
    return cast("_Recogniser", RapidOCR(params=options))
