"""Presentations (PPTX)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, TYPE_CHECKING

from overstory.errors import BrokenSource
from overstory.model import Annotation, Document
from overstory.model.metadata import PAGE_STARTS
from overstory.protocols import OnBroken
from overstory_loaders.blocks import Block, clean_title, join_blocks
from overstory_loaders.by_content import format_by_content
from overstory_loaders.files import address, empty, has_suffix, missing_extra, open_seekable, stem
from overstory_loaders.metadata import clean_metadata
from overstory_loaders.office_packages import OpenedOffice, office_properties, open_office
from overstory_loaders.packages import PackageKind, why_not_old

if TYPE_CHECKING:
    from pptx.presentation import Presentation
    from pptx.slide import Slide

SUFFIXES = (".pptx",)
HIDDEN_SLIDES = "hidden_slides"
_SAVE_AGAIN = "Open it in PowerPoint or LibreOffice, and save it as .pptx without a password."
_KIND = PackageKind("PPTX", _SAVE_AGAIN, "a .ppt of before 2007")
_NO_TITLE = re.compile(r"(?i)powerpoint[ -]\w+|pr[eé]sentation powerpoint|untitled.*")
"""Titles that PowerPoint inserts if the author gave none."""


class PptxLoader:
    """PPTX files, with the title from their properties, the first slide, or the file name."""

    name = "pptx"
    isolated = True

    def recognises(self, source: str) -> bool:
        """By name, except PowerPoint's lock files of open presentations."""
        return has_suffix(source, SUFFIXES) and not Path(source).name.startswith("~$")

    def recognises_content(self, source: str) -> bool:
        """By what the ZIP archive holds."""
        return format_by_content(source) == "pptx"

    def why_not(self, source: str) -> BrokenSource | None:
        """Of files of before 2007."""
        return why_not_old(source, ".ppt", _KIND)

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document | Annotation]:
        """One document, with a page and a heading per slide, notes, tables, and the figures of charts.

        Slides that cannot be read are reported, and the others kept.
        """
        try:
            from overstory_loaders.pptx_blocks import is_hidden, slide_blocks
        except ImportError as error:
            raise missing_extra("office", "python-pptx") from error
        with open_seekable(source) as stream, ExitStack() as copies:
            opened = open_office(stream, source, _KIND, copies, by=_opened)
            properties = office_properties(opened.archive, source)
            slides = _slides(opened, source)
        hidden: list[int] = []
        blocks: list[Block] = []
        says_anything = False
        for fault in _lost_parts(opened, slides, source):
            on_broken(fault)
        for number, slide in enumerate(slides, start=1):
            if slide is None:
                blocks.append(Block(f"Slide {number}", level=1, opens_page=True))
                continue
            try:
                found = list(slide_blocks(slide, number))
                if is_hidden(slide):
                    hidden.append(number)
            except Exception as error:  # noqa: BLE001 # python-pptx does not wrap errors of XML and dictionaries
                on_broken(BrokenSource(f"slide {number} cannot be read: {error}", source=source, remedy=_SAVE_AGAIN))
                found = [Block(f"Slide {number}", level=1, opens_page=True)]
            heading, *below = found
            says_anything = (
                says_anything or heading.text != f"Slide {number}" or any(block.text.strip() for block in below)
            )
            blocks += found
        outlined = join_blocks(blocks, source=source)
        if not says_anything or not outlined.headings:  # a text of invisible characters is cleaned away
            raise empty(source, "its slides have no text")
        title = clean_title(str(properties.pop("title", "")))
        first = outlined.headings[0].text
        properties |= {
            "pages": len(outlined.page_starts),
            PAGE_STARTS: list(outlined.page_starts),
            HIDDEN_SLIDES: hidden or None,
        }
        yield Document(
            source=address(source),
            source_key="",
            text=outlined.text,
            title=("" if _NO_TITLE.fullmatch(title) else title)
            or ("" if first == "Slide 1" else clean_title(first))
            or clean_title(stem(source, SUFFIXES)),
            metadata=clean_metadata(properties, dates_in_text=False).values,
            headings=outlined.headings,
        )


def _opened(stream: IO[bytes]) -> Presentation:
    import pptx

    return pptx.Presentation(stream)


def _slides(opened: OpenedOffice[Presentation], source: str) -> list[Slide | None]:
    """The slides, None for one that is damaged.

    Raises:
        BrokenSource: all are.
    """
    slides: list[Slide | None] = []
    for relation in _slide_relations(opened):
        try:
            slides.append(opened.document.part.related_slide(relation))
        except Exception:  # noqa: BLE001 # python-pptx does not wrap errors of dictionaries and of parts that are no slides
            slides.append(None)
    if slides and not any(slides):
        why = f": its {opened.lost[0]}" if opened.lost else ""
        raise BrokenSource(f"none of its slides can be read{why}", source=source, remedy=_SAVE_AGAIN)
    return slides


def _slide_relations(opened: OpenedOffice[Presentation]) -> list[str]:
    """By which relations the presentation refers to its slides, in their order."""
    return [str(relation) for relation in opened.document.element.xpath("p:sldIdLst/p:sldId/@r:id")]


def _lost_parts(
    opened: OpenedOffice[Presentation], slides: Sequence[Slide | None], source: str
) -> Iterator[BrokenSource]:
    """What is to be said of damaged parts, those of slides by the numbers of these."""
    numbers = {slide.part.partname[1:]: number for number, slide in enumerate(slides, start=1) if slide is not None}
    ids = _slide_relations(opened)
    main = opened.document.part.partname[1:]
    lost = {part.relation for part in opened.lost if part.referrer == main}
    for number, slide in enumerate(slides, start=1):
        if slide is None and ids[number - 1] not in lost:
            yield BrokenSource(f"slide {number} cannot be read: it is missing", source=source, remedy=_SAVE_AGAIN)
    for part in opened.lost:
        if part.referrer == main and part.relation in ids:
            said = f"slide {ids.index(part.relation) + 1} ({part.name[:200]}) cannot be read: {part.why}"
        elif part.referrer in numbers:
            said = f"slide {numbers[part.referrer]}: its {part}"
        else:
            said = f"its {part}"
        yield BrokenSource(said, source=source, remedy=_SAVE_AGAIN)
