"""Loads files that MarkItDown can convert to Markdown, if it is installed and the user requests it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from overstory.display import error_text
from overstory.errors import BrokenSource
from overstory.model import Document, Link
from overstory.protocols import OnBroken
from overstory_loaders.blocks import clean_text
from overstory_loaders.files import WHOLE_FILE_BYTE_LIMIT, empty, missing_extra, reading
from overstory_loaders.markdown import markdown_document


class MarkItDownLoader:
    """Loader for all formats that MarkItDown reads. It is used only with `--loader markitdown`."""

    name = "markitdown"
    isolated = True

    def recognises(self, source: str) -> bool:  # noqa: ARG002
        """Return False, because users must request this loader with `--loader markitdown`."""
        return False

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document | Link]:  # noqa: ARG002
        """Yield one document, then its links to other files. MarkItDown's plug-ins and network access are not used."""
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
        except Exception as error:  # MarkItDown's libraries may raise any exception
            raise BrokenSource(
                f"MarkItDown cannot read it: {error_text(error)}", source=source, remedy="Download it again."
            ) from error
        text = clean_text(converted.markdown)
        if not text:
            raise empty(source)
        yield from markdown_document(source, text, title=converted.title or "")
