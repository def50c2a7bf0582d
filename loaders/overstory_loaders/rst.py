"""Loads reStructuredText in the dialects of docutils and Sphinx."""

from __future__ import annotations

from collections.abc import Iterator

from overstory.errors import BrokenSource
from overstory.model import Document, Link
from overstory.protocols import OnBroken
from overstory_loaders.blocks import clean_text, clean_title, join_blocks
from overstory_loaders.files import address, empty, has_suffix, stem
from overstory_loaders.hyperlinks import hyperlinks
from overstory_loaders.metadata import clean_metadata, separated
from overstory_loaders.text_encoding import read_text

SUFFIXES = (".rst", ".rest")
LISTED_FIELDS = frozenset({"keywords", "tags"})


class RstLoader:
    """Loader for reStructuredText files. The title comes from a `title` field, the first heading or the file name."""

    name = "rst"
    isolated = True

    def recognises(self, source: str) -> bool:
        return has_suffix(source, SUFFIXES)

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document | Link]:  # noqa: ARG002
        """Yield one document, then its links to other files. Fields at the beginning of the text become metadata."""
        from overstory_loaders.rst_blocks import RstReader  # importing docutils takes 0.2 s

        text = clean_text(read_text(source))
        try:
            reader = RstReader(text)
            outlined = join_blocks(reader.blocks())
        except RecursionError as error:
            raise BrokenSource("is nested too deeply", source=source, remedy="Leave it out.") from error
        except ValueError as error:  # by docutils, such as for the number of a list item with thousands of digits
            raise BrokenSource(f"cannot be parsed: {error}", source=source, remedy="Use --loader text.") from error
        if not outlined.text:
            raise empty(source)
        fields = {
            name: separated(value) if name in LISTED_FIELDS else value
            for name, value in reader.fields.items()
            if name not in ("title", "orphan", "tocdepth")
        }
        first = next((heading.text for heading in outlined.headings if heading.level == 1), "")
        yield Document(
            source=address(source),
            source_key="",
            text=outlined.text,
            title=clean_title(reader.fields.get("title", ""))
            or clean_title(first)
            or clean_title(stem(source, SUFFIXES)),
            metadata=clean_metadata(fields).values,
            headings=outlined.headings,
        )
        yield from hyperlinks(address(source), reader.links)
