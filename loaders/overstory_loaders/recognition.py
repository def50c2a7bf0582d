"""Text in pictures (OCR), by RapidOCR with the weights that its package brings."""

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
"""A line that was recognised with less is left out: it is noise, or in a script that the model does not know."""
_LOW_PAGE_CONFIDENCE = 0.8
"""A page with less is reported: some of its words are probably wrong."""
_LEAST_SHADES = 16
"""A page whose darkest and brightest points differ by less is blank."""
_LEAST_LINE_OVERLAP = 0.5
"""Part of the lower one's height that two pieces of one line share."""
_PARAGRAPH_GAP_LINES = 0.9
"""A gap of so many lines' height parts two paragraphs."""


@dataclass(frozen=True, slots=True)
class RecognisedPage:
    """The text of a picture.

    Attributes:
        confidence: the mean of its lines' by their length, from 0 to 1; 0 without text.
        left_out: how many lines could not be recognised reliably.
    """

    text: str = ""
    confidence: float = 0.0
    left_out: int = 0


class RecognisedLine(NamedTuple):
    """A piece of a line in a picture: its words, their confidence, and its edges in pixels."""

    text: str
    confidence: float
    left: float
    top: float
    bottom: float


class _Output(Protocol):
    """What RapidOCR returns; each is None where there is no text."""

    txts: Sequence[str] | None
    scores: Sequence[float] | None
    boxes: Sequence[Sequence[Sequence[float]]] | None


class _Recogniser(Protocol):
    def __call__(self, picture: Picture) -> _Output: ...


def can_recognise() -> bool:
    """Whether the extra `ocr` is installed."""
    return all(find_spec(name) is not None for name in ("rapidocr", "pypdfium2"))


def recognise(picture: Picture) -> RecognisedPage:
    """The text of a picture, height × width × 3; a blank one is not looked at."""
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
    """Lines from the top, pieces of one line from the left; a wide gap parts paragraphs."""
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
    """Reports what of a page was left out, or is probably wrong."""
    if page.left_out:
        on_broken(
            BrokenSource(
                f"page {number}: {counted(page.left_out, 'line')} could not be recognised, and the rest was kept",
                source=source,
                remedy="Scan it again with 300 dpi, or leave it as it is.",
            )
        )
    elif page.text and page.confidence < _LOW_PAGE_CONFIDENCE:
        on_broken(
            BrokenSource(
                f"page {number}: was recognised with a confidence of {page.confidence:.2f}, so that words may be wrong",
                source=source,
                remedy="Scan it again with 300 dpi, or leave it as it is.",
            )
        )


@cache
def _engine() -> _Recogniser:
    from rapidocr import RapidOCR

    options = {
        "Global.log_level": "critical",
        "Global.text_score": 0.0,  # or it drops lines and does not say so
        "EngineConfig.onnxruntime.intra_op_num_threads": processors(),
    }
    return cast("_Recogniser", RapidOCR(params=options))
