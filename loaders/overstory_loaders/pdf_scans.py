"""Pages of a PDF that have no text: rendered, and their text recognised."""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO

from overstory.errors import BrokenSource
from overstory.protocols import OnBroken
from overstory_loaders.recognition import RecognisedPage, recognise, report_doubts

_RENDERED_DPI = 200
"""Dots per inch of a page that is rendered: the recogniser takes 2,000 dots of its longer side."""
MOST_RENDERED_PIXELS = 3_000
"""Of the longer side of a page: a poster is rendered with fewer dots per inch."""
_POINTS_AN_INCH = 72


def recognised_pages(
    stream: IO[bytes], source: str, pages: Sequence[int], on_broken: OnBroken
) -> dict[int, RecognisedPage]:
    """The text of some pages, numbered from 0; those without any are left out.

    A page that cannot be rendered or recognised goes to `on_broken`.
    """
    import pypdfium2 as pdfium

    found: dict[int, RecognisedPage] = {}
    stream.seek(0)
    try:
        document = pdfium.PdfDocument(stream.read())
    except pdfium.PdfiumError as error:
        on_broken(BrokenSource(f"its pages cannot be rendered: {error}", source=source))
        return {}
    try:
        for number in pages:
            try:
                page = document[number]
                longer = max(page.get_size()) or 1.0
                scale = min(_RENDERED_DPI / _POINTS_AN_INCH, MOST_RENDERED_PIXELS / longer)
                # pypdfium2's own default is 1, so that pyright takes the scale for a whole number
                picture = page.render(scale=scale).to_numpy()  # pyright: ignore[reportArgumentType]
                recognised = recognise(picture[:, :, :3].copy())
                page.close()
            except Exception as error:  # noqa: BLE001 # a damaged picture may raise anything in either library
                on_broken(BrokenSource(f"page {number + 1} cannot be recognised: {error}", source=source))
                continue
            report_doubts(recognised, number + 1, source, on_broken)
            if recognised.text:
                found[number] = recognised
    finally:
        document.close()
    return found
