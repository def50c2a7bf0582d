"""Files of any format that MarkItDown turns into Markdown, for those who have it installed and ask for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from overstory.errors import BrokenSource
from overstory.model import Document, Link
from overstory.protocols import OnBroken
from overstory_loaders.blocks import clean_text
from overstory_loaders.files import WHOLE_FILE_BYTE_LIMIT, empty, missing_extra, reading
from overstory_loaders.markdown import markdown_document


class MarkItDownLoader:
    """Whatever MarkItDown reads; recognises nothing by itself, so that each format has one reader."""

    name = "markitdown"
    isolated = True

    def recognises(self, source: str) -> bool:  # noqa: ARG002
        """Never: it is asked for by `--loader markitdown`."""
        return False

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document | Link]:  # noqa: ARG002
        """One document, with the headings and links of the Markdown. Plug-ins are not used, and nothing is fetched."""
        try:
            from markitdown import MarkItDown, MarkItDownException
        except ImportError as error:
            raise missing_extra("markitdown", "markitdown") from error
        with reading(source):
            size = Path(source).stat().st_size
        if not size:
            raise empty(source)
        if size > WHOLE_FILE_BYTE_LIMIT:
            raise BrokenSource(
                f"has more than {WHOLE_FILE_BYTE_LIMIT // 2**20} MiB, too much to read at once",
                source=source,
                remedy="Split it.",
            )
        try:
            converted = MarkItDown(enable_plugins=False).convert_local(source)
        except MarkItDownException as error:
            first = str(error).strip().partition("\n")[0]
            raise BrokenSource(
                f"MarkItDown cannot read it: {first}", source=source, remedy="Use another loader, or convert it."
            ) from error
        except Exception as error:  # the libraries that it reads with may raise anything
            raise BrokenSource(f"MarkItDown cannot read it: {error}", source=source, remedy="Get it again.") from error
        text = clean_text(converted.markdown)
        if not text:
            raise empty(source)
        yield from markdown_document(source, text, title=converted.title or "")
