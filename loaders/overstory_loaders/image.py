"""Loads scanned pages (TIFF, PNG and JPEG) with text recognition (OCR)."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING

from overstory.display import error_text
from overstory.errors import BrokenSource, install_command
from overstory.model import Document
from overstory.protocols import OnBroken, OnSkipped
from overstory_loaders.blocks import clean_text, clean_title
from overstory_loaders.files import address, empty, has_suffix, missing_extra, open_seekable, read_head, reading, stem
from overstory_loaders.metadata import clean_metadata
from overstory_loaders.pdf import joined_pages
from overstory_loaders.pdf_scans import MOST_RENDERED_PIXELS
from overstory_loaders.recognition import RecognisedPage, can_recognise, recognise, report_doubts

if TYPE_CHECKING:
    from PIL.Image import Image

_PICTURE_SUFFIXES = (".png", ".jpg", ".jpeg")
SUFFIXES = (".tif", ".tiff", *_PICTURE_SUFFIXES)
_PICTURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff")
"""The first bytes of PNG and JPEG files."""
_MOST_PICTURE_PIXELS = 100_000_000
"""Maximum number of pixels in a picture. An A3 page at 600 dpi has 70 million pixels."""


class ImageLoader:
    """Loader for scans and other pictures with text."""

    name = "image"
    isolated = True

    def recognises(self, source: str) -> bool:
        """Return True for TIFF files and, if the extra `ocr` is installed, for PNG and JPEG files."""
        if not has_suffix(source, _PICTURE_SUFFIXES):
            return has_suffix(source, SUFFIXES)
        return can_recognise() and _is_picture(source)

    def why_not(self, source: str) -> BrokenSource | None:
        """Return the error for a picture if the extra `ocr` is not installed; None for other files."""
        if not has_suffix(source, _PICTURE_SUFFIXES) or can_recognise() or not _is_picture(source):
            return None
        return BrokenSource(
            "is a picture, whose text is read only by OCR", source=source, remedy=install_command("ocr")
        )

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document]:
        """Yield one document, in which each picture of the file is a page."""
        return self.load_container(source, on_broken=on_broken, on_skipped=lambda _: None)

    def load_container(self, source: str, *, on_broken: OnBroken, on_skipped: OnSkipped) -> Iterator[Document]:
        """Do the same as `load`. Report a PNG or JPEG file without text as skipped, because most are no pages."""
        if not can_recognise():
            raise missing_extra("ocr", "rapidocr")
        pages = list(_pages(source, on_broken))
        joined = joined_pages([clean_text(page.text) for page in pages])
        if not joined.text and has_suffix(source, _PICTURE_SUFFIXES):
            on_skipped(f"{source} (a picture without text)")
            return
        if not joined.text:
            raise empty(source, "no text was recognised in it")
        recognised = [page for page in pages if page.text]
        metadata = {
            "pages": len(pages),
            "page_starts": joined.starts,
            "ocr_confidence": round(min(page.confidence for page in recognised), 2),
        }
        yield Document(
            source=address(source),
            source_key="",
            text=joined.text,
            title=clean_title(stem(source, SUFFIXES)),
            metadata=clean_metadata(metadata).values,
        )


def _is_picture(source: str) -> bool:
    try:
        return read_head(source, max(map(len, _PICTURES))).startswith(_PICTURES)
    except BrokenSource:
        return False


def _pages(source: str, on_broken: OnBroken) -> Iterator[RecognisedPage]:
    import numpy as np
    from PIL import Image, ImageOps, ImageSequence, UnidentifiedImageError

    with open_seekable(source) as stream, reading(source):
        if not stream.read(1):
            raise empty(source)
        stream.seek(0)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # problems that matter are reported below
                picture = Image.open(stream)
            for number, frame in enumerate(ImageSequence.Iterator(picture), start=1):
                upright = ImageOps.exif_transpose(_smaller(frame, source))
                page = recognise(np.asarray(upright.convert("RGB")))
                report_doubts(page, number, source, on_broken)
                yield page
        except BrokenSource:
            raise
        except Image.DecompressionBombError as error:
            raise _too_large(source) from error
        except UnidentifiedImageError as error:
            raise BrokenSource("is not a picture, or is damaged", source=source, remedy="Leave it out.") from error
        except Exception as error:  # Pillow may raise any exception for a damaged picture
            raise BrokenSource(
                f"is damaged: {error_text(error)}", source=source, remedy="Download it again."
            ) from error


def _too_large(source: str) -> BrokenSource:
    return BrokenSource(
        f"has more than {_MOST_PICTURE_PIXELS // 10**6} million pixels", source=source, remedy="Scale it down."
    )


def _smaller(frame: Image, source: str) -> Image:
    if frame.width * frame.height > _MOST_PICTURE_PIXELS:
        raise _too_large(source)
    frame.thumbnail((MOST_RENDERED_PIXELS, MOST_RENDERED_PIXELS))
    return frame
