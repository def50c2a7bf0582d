"""Text recognition (OCR) for PDF pages without text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO

from overstory.errors import BrokenSource
from overstory.protocols import OnBroken
from overstory_loaders.recognition import RecognisedPage, recognise, report_doubts

_RENDERED_DPI = 200
"""Resolution of rendered pages; the recogniser uses 2,000 pixels of the longer side."""
MOST_RENDERED_PIXELS = 3_000
"""Maximum pixels of the longer side; a poster is rendered with fewer dots per inch."""
_POINTS_AN_INCH = 72


def recognised_pages(
    stream: IO[bytes], source: str, pages: Sequence[int], on_broken: OnBroken
) -> dict[int, RecognisedPage]:
    """Return the recognised text of some pages by page number from 0, without pages that have no text.

    Pages that cannot be rendered or recognised are passed to `on_broken`.
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
                # pyright infers an integer from pypdfium2's default of 1
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
