"""Recognises the text (OCR) of PDF pages that are scanned images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO

from overstory.display import error_text
from overstory.errors import BrokenSource
from overstory.protocols import OnBroken
from overstory_loaders.recognition import RecognisedPage, recognise, report_doubts

_RENDERED_DPI = 200
"""Resolution of rendered pages. The recogniser scales them down to 2,000 pixels on the longer side."""
MOST_RENDERED_PIXELS = 3_000
"""Maximum number of pixels on the longer side. Large pages, such as posters, are rendered at a lower resolution."""
_POINTS_AN_INCH = 72


def recognised_pages(
    stream: IO[bytes], source: str, pages: Sequence[int], on_broken: OnBroken
) -> dict[int, RecognisedPage]:
    """Recognise some pages, and return those that contain text by page number.

    Errors in rendering or recognising a page are passed to `on_broken`.

    Args:
        pages: page numbers, counted from 0.
    """
    import pypdfium2 as pdfium

    found: dict[int, RecognisedPage] = {}
    stream.seek(0)
    try:
        document = pdfium.PdfDocument(stream.read())
    except pdfium.PdfiumError as error:
        on_broken(BrokenSource(f"its pages cannot be rendered: {error_text(error)}", source=source))
        return {}
    try:
        for number in pages:
            try:
                page = document[number]
                longer = max(page.get_size()) or 1.0
                scale = min(_RENDERED_DPI / _POINTS_AN_INCH, MOST_RENDERED_PIXELS / longer)
                # pyright wrongly infers from pypdfium2's default of 1 that `scale` must be an integer.
                picture = page.render(scale=scale).to_numpy()  # pyright: ignore[reportArgumentType]
                recognised = recognise(picture[:, :, :3].copy())
                page.close()
            except Exception as error:  # noqa: BLE001 # either library may raise any exception for a damaged picture
                on_broken(BrokenSource(f"page {number + 1} cannot be recognised: {error_text(error)}", source=source))
                continue
            report_doubts(recognised, number + 1, source, on_broken)
            if recognised.text:
                found[number] = recognised
    finally:
        document.close()
    return found
